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

import hashlib
import json
import os
import uuid
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from isogloss.errors import RunError
from isogloss.formatting import human_size
from isogloss.settings import RUNS_LIMIT
from isogloss.store.files import size_below, translate_os_errors
from isogloss.store.results import SEAL

RUN, RESULTS, FACTS, NOTE = "run.json", "results.jsonl", "facts.json", "note.md"
PROGRESS, LOG, KEPT, LOCK = "progress.json", "log.txt", "kept", "run.lock"
QUEUED, STOP, PROBLEM, BORROWED = "queued", "stop", "problem.txt", "borrowed.txt"


def check_room(root: Path) -> None:
    """Raise RunError where the runs below `root` take as much as the owner allows."""
    limit = RUNS_LIMIT.read()
    if limit is not None and (size := size_below(root)) >= limit:
        raise RunError(
            f"The runs kept here take {human_size(size)}, and {RUNS_LIMIT.name} allows "
            f"{human_size(limit)}: remove some (`python -m isogloss runs ls`, `runs rm`), or "
            "raise it."
        )


def whole_lines(path: Path) -> list[str]:
    """The lines that end as they should; a kill can leave a last one that does not.

    Raises ValueError where they are no text.
    """
    # Not splitlines(): it also cuts at characters that JSON leaves as they are, such as U+2028.
    return whole_bytes(path).decode("utf-8").split("\n")[:-1]


def whole_bytes(path: Path) -> bytes:
    """A file's content up to the end of its last whole line; nothing where there is no file."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return b""
    return content[: content.rfind(b"\n") + 1]


def read_text(path: Path) -> str:
    """What people wrote or are to read, as far as it is text; empty where there is no file."""
    return path.read_text(encoding="utf-8", errors="replace").strip() if path.is_file() else ""


def read_json(path: Path) -> dict[str, Any] | None:
    """What is in a file that says how far something is; None where that cannot be told."""
    try:
        return parse_sealed(path.read_bytes())
    except (OSError, ValueError):
        return None


def read_sealed(path: Path) -> dict[str, Any] | None:
    """What was written by `replace_json`, None where there is no file; ValueError if damaged."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ValueError(f"{path.name} cannot be read ({error.strerror})") from error
    try:
        return parse_sealed(content)
    except ValueError:
        raise ValueError(f"{path.name} is cut or altered") from None


def parse_sealed(content: bytes | str) -> dict[str, Any]:
    """The object in `content`; ValueError where that is none, or not the one that was sealed.

    What was written before 0.4 has no seal and is taken as it is, unless it holds half a character,
    which nothing that people are shown can hold.
    """
    try:
        found = json.loads(content)
        json.dumps(found, ensure_ascii=False).encode("utf-8")
        intact = isinstance(found, dict) and found.get(SEAL) in (None, digest_of(found))
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    if not intact:
        raise ValueError("not what was written")
    found.pop(SEAL, None)
    return dict(found)


def sealed(value: Mapping[str, Any]) -> dict[str, Any]:
    """`value` with a digest of itself, by which a changed byte is found."""
    return {**value, SEAL: digest_of(value)}


def digest_of(value: Mapping[str, Any]) -> str:
    """A digest of what JSON makes of `value`, in whatever order its fields are."""
    as_read = json.loads(json.dumps({name: each for name, each in value.items() if name != SEAL}))
    text = json.dumps(as_read, sort_keys=True)
    return hashlib.sha256(text.encode("ascii")).hexdigest()[:16]


def replace_json(path: Path, value: Mapping[str, Any]) -> None:
    """Put a new file in the place of the old one, so that a reader sees one or the other."""
    half = path.with_suffix(f".{uuid.uuid4().hex[:6]}.tmp")
    with translate_os_errors(path.parent):
        try:
            half.write_bytes(as_json(sealed(value)))
            os.replace(half, path)
        finally:
            half.unlink(missing_ok=True)


def as_json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, indent=1).encode()


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
