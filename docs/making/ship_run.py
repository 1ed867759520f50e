"""Put a finished run, or several that belong together, among those that come with Isogloss.

    python -m docs.making.ship_run ID… NAME --note FILE

Results, provenance and kept arrays go into `cache/demo/runs/NAME`. Several runs become one if they
differ only in seeds, in conditions, in N or in the learning rate of an N: the model, the data with
their hashes and all other settings have to be the same, and together they have to try every N with
one seed at least. A run that ships already may be among them, by its name. Every run's command is
kept. Paths to data are cut to the names of their files: what identifies the data are the hashes
that the run has noted. The note says how the settings were chosen; pages show it.

Runs of Transfer and of Emergence ship as far as they have come, also while they are under way:
the first with every N of which something is finished, the second with its conditions and seeds, and
its words as maps and not as states.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import shutil
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, cast

from isogloss.errors import RunError
from isogloss.former_names import fields_on_disk
from isogloss.lab.emergence.pictures import Picture, WordMap, lay_out, map_name, picture_name
from isogloss.lab.emergence.plan import EmergencePlan, emergence_unit
from isogloss.lab.emergence.scores import HeldOut
from isogloss.lab.emergence.shown_words import ShownWords
from isogloss.lab.emergence.sources import read_source
from isogloss.lab.emergence.watching import plan_of, shown_unit
from isogloss.lab.runs.context import SAME_FOR_ALL_UNITS
from isogloss.lab.runs.files import FACTS, KEPT, NOTE, RESULTS, RUN, as_json, sealed, whole_bytes
from isogloss.lab.runs.plan import read_plan
from isogloss.lab.runs.queue import SHIPPED, Runs
from isogloss.lab.runs.run import Run
from isogloss.lab.transfer.plan import TransferPlan, transfer_unit
from isogloss.store import Store
from isogloss.store.results import write_arrays

MAY_SHIP_UNDER_WAY = (TransferPlan.KIND, EmergencePlan.KIND)
_NOTHING_YET = "The run has finished nothing yet: wait until it has."
MAY_DIFFER = ("seeds", "conditions", "frozen", "learning_rate", "rates")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, prog="python -m docs.making.ship_run")
    parser.add_argument(
        "ids", metavar="ID", nargs="+", help="runs, as `python -m isogloss runs ls` has them"
    )
    parser.add_argument("name", metavar="NAME", help="what to call it, such as mini-en-zh-xnli")
    parser.add_argument(
        "--note", metavar="FILE", type=Path, required=True, help="how the settings were chosen"
    )
    arguments = parser.parse_args()
    all_runs = Runs(Store())
    runs = [all_runs.get(start) for start in arguments.ids]
    place = ship(runs, arguments.name, arguments.note.read_text(encoding="utf-8"))
    print(f"{place} holds {len(Run(place, shipped=True).results())} results.")


def ship(runs: Sequence[Run], name: str, note: str, to: Path = SHIPPED) -> Path:
    """Copy what runs have finished to `to`/`name` as one, without the places of this machine."""
    for run in runs:
        if run.state in ("running", "queued") and run.kind not in MAY_SHIP_UNDER_WAY:
            raise RunError(f"Run {run.id} is {run.state}: stop it, or wait until it is finished.")
    lines = b"".join(whole_bytes(run.path / RESULTS) for run in runs)
    fields = join_plans(runs)
    place = to / name
    half = to / f".{name}"
    shutil.rmtree(half, ignore_errors=True)
    half.mkdir(parents=True)
    for run in runs:
        if run.kind == EmergencePlan.KIND:
            _keep_maps(run, half, place, fields["seeds"][0])
        elif (run.path / KEPT).is_dir():
            half_written = shutil.ignore_patterns("*.tmp")
            shutil.copytree(run.path / KEPT, half / KEPT, ignore=half_written, dirs_exist_ok=True)
    (half / RESULTS).write_bytes(lines)
    if runs[0].facts:
        (half / FACTS).write_bytes(as_json(sealed(_file_name(runs[0].facts))))
    commands = (
        shlex.join(map(_file_name, shlex.split(line)))
        for run in runs
        for line in run.command.splitlines()
    )
    description = {
        **runs[0].description,
        "plan": fields_on_disk(runs[0].kind, fields),
        "command": "\n".join(commands),
    }
    (half / RUN).write_bytes(as_json(sealed(description)))
    (half / NOTE).write_text(f"{note.strip()}\n", encoding="utf-8")
    shutil.rmtree(place, ignore_errors=True)
    return half.rename(place)


def _keep_maps(run: Run, to: Path, before: Path, seed: int) -> None:
    """Put emergence's map of every finished condition into `to`; one in `before` is taken over.

    Pages show that of the first seed, `seed`; a run that begins with another one adds no map. A run
    of the first version kept states and not its words, which are dealt out again.
    """
    (to / KEPT).mkdir(exist_ok=True)
    if plan_of(run).seeds[0] != seed:
        return
    known = Run(before, shipped=True)
    finished = run.results()
    for condition in plan_of(run).conditions:
        unit = shown_unit(plan_of(run), condition)
        if unit not in finished:
            continue
        name = map_name(unit)
        arrays = known.kept(name) or run.kept(name)
        if arrays is None:
            arrays = _laid_out(run, condition, finished[unit]["text"]["sha256"]).as_arrays()
        write_arrays(to / KEPT / f"{name}.safetensors", arrays)


def _laid_out(run: Run, condition: str, text: str) -> WordMap:
    plan = plan_of(run)
    unit = shown_unit(plan, condition)
    names = [picture_name(unit, step) for step in plan.look_steps()]
    pictures = [run.kept_as(name, Picture.from_arrays) for name in names]
    states = [picture.states for picture in pictures if picture is not None]
    return lay_out(_words_of(plan, condition, text), plan.look_steps(), states)


def _words_of(plan: EmergencePlan, condition: str, sha256: str) -> ShownWords:
    """The words that a condition's pictures are of; the text has to be what it was."""
    source = read_source(plan.text, plan.languages)
    text = plan.text_of(source, condition, plan.seeds[0])
    assert text.content_hash == sha256, f"The text of {condition} is not what it was learned from."
    training = plan.training_of(condition, plan.seeds[0], text)
    return HeldOut(text, training.numbering).shown_words(plan.pictured)


def join_plans(runs: Sequence[Run]) -> dict[str, Any]:
    """The fields of one plan that stands for several runs; raises RunError if they do not fit."""
    first, *others = runs
    fields = _fields(first)
    facts = _file_name(first.facts)
    seen = set(first.results())
    for run in others:
        own, own_facts = _fields(run), _file_name(run.facts)
        wrong = [
            *sorted(fact for fact in SAME_FOR_ALL_UNITS if own_facts.get(fact) != facts.get(fact)),
            *(name for name in fields if name not in MAY_DIFFER and own.get(name) != fields[name]),
        ]
        if run.kind != first.kind or wrong:
            raise RunError(
                f"Runs {first.id} and {run.id} do not go together: they differ in "
                f"{wrong[0] if wrong else 'kind'}, and only {', '.join(MAY_DIFFER)} may differ."
            )
        twice = seen & set(run.results())
        if twice:
            raise RunError(f"Run {run.id} repeats {min(twice)}: leave one of the two out.")
        seen |= set(run.results())
        fields["seeds"] = sorted({*fields["seeds"], *own["seeds"]})
        if "conditions" in fields:
            fields["conditions"] = list(dict.fromkeys([*fields["conditions"], *own["conditions"]]))
    if first.kind == TransferPlan.KIND:
        return _join_transfers(runs, fields)
    if first.kind == EmergencePlan.KIND:
        return _cut_to_finished(seen, fields)
    missing = [unit for unit in read_plan(first.kind, fields).units() if unit not in seen]
    if missing:
        raise RunError(f"Together the runs lack {missing[0]}: add a run that has it.")
    return fields


def _fields(run: Run) -> dict[str, Any]:
    """The fields of a run's plan as they are written down, paths cut."""
    return dict(_file_name(json.loads(as_json(asdict(run.plan)))))


def _join_transfers(runs: Sequence[Run], fields: dict[str, Any]) -> dict[str, Any]:
    """One run of every N and seed of which something is finished, each N with its own rate."""
    rates: dict[int, float] = {}
    for run in runs:
        plan = cast(TransferPlan, run.plan)
        for n in sorted({result["frozen"] for result in run.results().values()}):
            rate = plan.learning_rate_at(n)
            if rates.setdefault(n, rate) != rate:
                raise RunError(f"N = {n} was tried with two learning rates: leave one of them out.")
    if not rates:
        raise RunError(_NOTHING_YET)
    common = fields["learning_rate"]
    finished = {unit for run in runs for unit in run.results()}
    seeds = {s for n in rates for s in fields["seeds"] if transfer_unit(n, s) in finished}
    return fields | {
        "frozen": sorted(rates),
        "seeds": sorted(seeds),
        "rates": [f"{n}:{rate:g}" for n, rate in sorted(rates.items()) if rate != common],
    }


def _cut_to_finished(finished: set[str], fields: dict[str, Any]) -> dict[str, Any]:
    """The conditions and seeds of which something is finished; others have nothing to show."""
    pairs = [
        (condition, seed)
        for condition in fields["conditions"]
        for seed in fields["seeds"]
        if emergence_unit(condition, seed) in finished
    ]
    if not pairs:
        raise RunError(_NOTHING_YET)
    known = {condition for condition, _ in pairs}
    return fields | {
        "conditions": [name for name in fields["conditions"] if name in known],
        "seeds": sorted({seed for _, seed in pairs}),
    }


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
