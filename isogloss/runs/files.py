"""The small files that a run consists of, read while another process may be writing them.

root/runs/<id>/run.json         the plan, and how it was asked for; written once
root/runs/<id>/results.jsonl    one line for each finished unit; only ever appended to
root/runs/<id>/facts.json       provenance: data hashes, versions, device
root/runs/<id>/progress.json    how far it is
root/runs/<id>/log.txt          what happened, for people
root/runs/<id>/kept/            arrays that units left
root/runs/<id>/note.md          how its settings were chosen, where someone has written it down
root/runs/<id>/borrowed.txt     entries of the store that go when the run ends
root/runs/<id>/queued, stop, problem.txt    marks
"""

from __future__ import annotations

import json
import os
import uuid
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from cache.files import translate_os_errors

RUN, RESULTS, FACTS, NOTE = "run.json", "results.jsonl", "facts.json", "note.md"
PROGRESS, LOG, KEPT, LOCK = "progress.json", "log.txt", "kept", "run.lock"
QUEUED, STOP, PROBLEM, BORROWED = "queued", "stop", "problem.txt", "borrowed.txt"


def whole_lines(path: Path) -> list[str]:
    """The lines that end as they should; a kill can leave a last one that does not."""
    try:
        text = path.read_bytes()
    except FileNotFoundError:
        return []
    # Not splitlines(): it also cuts at characters that JSON leaves as they are, such as U+2028.
    return text[: text.rfind(b"\n") + 1].decode("utf-8").split("\n")[:-1]


def read_json(path: Path) -> dict[str, Any] | None:
    try:
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, json.JSONDecodeError):
        return None
    return found


def replace_json(path: Path, value: Any) -> None:
    """Put a new file in the place of the old one, so that a reader sees one or the other."""
    half = path.with_suffix(f".{uuid.uuid4().hex[:6]}.tmp")
    with translate_os_errors(path.parent):
        half.write_bytes(as_json(value))
        os.replace(half, path)


def as_json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, indent=1).encode()


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
