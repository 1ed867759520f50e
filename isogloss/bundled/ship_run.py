"""Put a finished run among those that come with Isogloss.

    python -m isogloss.bundled.ship_run ID NAME --note FILE

Results, provenance and kept arrays go into `cache/demo/runs/NAME`. Paths to data are cut to the
names of their files: what identifies the data are the hashes that the run has noted. The note says
how the settings were chosen; pages show it beside the figures.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import shutil
from pathlib import Path
from typing import Any

from cache import Store
from isogloss.errors import RunError
from isogloss.jobs import SHIPPED, Run, Runs
from isogloss.run_files import FACTS, KEPT, NOTE, RESULTS, RUN


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, prog="python -m isogloss.bundled.ship_run"
    )
    parser.add_argument("id", metavar="ID", help="the run, as `python -m isogloss runs ls` has it")
    parser.add_argument("name", metavar="NAME", help="what to call it, such as mini-en-zh-xnli")
    parser.add_argument(
        "--note", metavar="FILE", type=Path, required=True, help="how the settings were chosen"
    )
    arguments = parser.parse_args()
    run = Runs(Store(), shipped=None).get(arguments.id)
    place = ship(run, arguments.name, arguments.note.read_text(encoding="utf-8"))
    print(f"{place} holds {len(Run(place, shipped=True).results())} results.")


def ship(run: Run, name: str, note: str, to: Path = SHIPPED) -> Path:
    """Copy a finished run to `to`/`name`, without the places of this machine."""
    if run.state != "finished":
        raise RunError(f"Run {run.id} is {run.state}: only finished runs are shipped.")
    place = to / name
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    for file in (RESULTS, FACTS):
        if (run.path / file).is_file():
            shutil.copyfile(run.path / file, place / file)
    if (run.path / KEPT).is_dir():
        shutil.copytree(run.path / KEPT, place / KEPT)
    words = [_file_name(word) for word in shlex.split(run.command)]
    description = {
        **run.description,
        "plan": _file_name(dict(run.description["plan"])),
        "command": shlex.join(words),
    }
    text = json.dumps(description, ensure_ascii=False, indent=1)
    (place / RUN).write_text(text, encoding="utf-8")
    (place / NOTE).write_text(f"{note.strip()}\n", encoding="utf-8")
    return place


def _file_name(value: Any) -> Any:
    """Paths of files and directories by their last part, within lists and options, too."""
    if isinstance(value, dict):
        return {name: _file_name(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_file_name(part) for part in value]
    if not isinstance(value, str):
        return value
    option, equals, rest = value.partition("=")
    if equals and option.startswith("--"):
        return f"{option}={_file_name(rest)}"
    is_path = os.sep in value and os.path.exists(value)
    return os.path.basename(value.rstrip(os.sep)) if is_path else value


if __name__ == "__main__":
    main()
