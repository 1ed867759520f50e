"""Put a finished run, or several that belong together, among those that come with Isogloss.

    python -m isogloss.bundled.making.ship_run ID… NAME --note FILE

Results, provenance and kept arrays go into `cache/demo/runs/NAME`. Several runs become one if they
differ only in seeds or in N: the model, the data with their hashes and all other settings have to
be the same, and together they have to cover every N with every seed. Every run's command is kept.
Paths to data are cut to the names of their files: what identifies the data are the hashes that the
run has noted. The note says how the settings were chosen; pages show it beside the figures.
"""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cache import Store
from isogloss.errors import RunError
from isogloss.runs.context import SAME_FOR_ALL_UNITS
from isogloss.runs.files import FACTS, KEPT, NOTE, RESULTS, RUN, as_json
from isogloss.runs.plan import read_plan
from isogloss.runs.queue import SHIPPED, Runs
from isogloss.runs.run import Run

MAY_DIFFER = ("seeds", "frozen")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, prog="python -m isogloss.bundled.making.ship_run"
    )
    parser.add_argument(
        "ids", metavar="ID", nargs="+", help="runs, as `python -m isogloss runs ls` has them"
    )
    parser.add_argument("name", metavar="NAME", help="what to call it, such as mini-en-zh-xnli")
    parser.add_argument(
        "--note", metavar="FILE", type=Path, required=True, help="how the settings were chosen"
    )
    arguments = parser.parse_args()
    all_runs = Runs(Store(), shipped=None)
    runs = [all_runs.get(start) for start in arguments.ids]
    place = ship(runs, arguments.name, arguments.note.read_text(encoding="utf-8"))
    print(f"{place} holds {len(Run(place, shipped=True).results())} results.")


def ship(runs: Sequence[Run], name: str, note: str, to: Path = SHIPPED) -> Path:
    """Copy finished runs to `to`/`name` as one, without the places of this machine."""
    for run in runs:
        if run.state != "finished":
            raise RunError(f"Run {run.id} is {run.state}: only finished runs are shipped.")
    fields = join_plans(runs)
    results = {unit: result for run in runs for unit, result in run.results().items()}
    missing = [unit for unit in read_plan(runs[0].kind, fields).units() if unit not in results]
    if missing:
        raise RunError(f"Together the runs lack {missing[0]}: add a run that has it.")
    place = to / name
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    for run in runs:
        if (run.path / KEPT).is_dir():
            shutil.copytree(run.path / KEPT, place / KEPT, dirs_exist_ok=True)
    lines = b"".join((run.path / RESULTS).read_bytes() for run in runs)
    (place / RESULTS).write_bytes(lines)
    if runs[0].facts:
        (place / FACTS).write_bytes(as_json(_file_name(runs[0].facts)))
    commands = (shlex.join(map(_file_name, shlex.split(run.command))) for run in runs)
    description = {
        **runs[0].description,
        "plan": _file_name(fields),
        "command": "\n".join(commands),
    }
    (place / RUN).write_bytes(as_json(description))
    (place / NOTE).write_text(f"{note.strip()}\n", encoding="utf-8")
    return place


def join_plans(runs: Sequence[Run]) -> dict[str, Any]:
    """The fields of one plan that stands for several runs; raises RunError if they do not fit."""
    first, *others = runs
    fields = dict(first.description["plan"])
    seen = set(first.results())
    for run in others:
        own = dict(run.description["plan"])
        facts = [f for f in SAME_FOR_ALL_UNITS if run.facts.get(f) != first.facts.get(f)]
        settings = [name for name in fields if own.get(name) != fields[name]]
        wrong = [*sorted(facts), *(name for name in settings if name not in MAY_DIFFER)]
        if run.kind != first.kind or own.keys() != fields.keys() or wrong:
            what = wrong[0] if wrong else "kind"
            raise RunError(
                f"Runs {first.id} and {run.id} do not go together: they differ in {what}, and only "
                f"{' and '.join(MAY_DIFFER)} may differ."
            )
        twice = seen & set(run.results())
        if twice:
            raise RunError(f"Run {run.id} repeats {min(twice)}: leave one of the two out.")
        seen |= set(run.results())
        for name in settings:
            fields[name] = sorted({*(fields[name] or ()), *(own[name] or ())})
    return fields


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
