"""A command for each kind of run, and `runs ls | show | log | stop | resume | rm`."""

from __future__ import annotations

import sys
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from functools import partial
from typing import Any

from isogloss.command_line.arguments import (
    PlanParser,
    add_actions,
    add_command,
    add_engine,
    engine_from,
    plan_values,
)
from isogloss.command_line.output import print_bar, print_found, print_json, print_table, tell
from isogloss.errors import RunError
from isogloss.formatting import percent
from isogloss.lab.runs.plan import PLANS, Plan, plan_class
from isogloss.lab.runs.queue import PATIENCE_SECONDS, Runs
from isogloss.lab.runs.run import Run
from isogloss.models.configuration import count_layers
from isogloss.store import Store

POLL_SECONDS = 0.5
GOES_ON = "The run goes on in a process of its own and can be stopped, killed and resumed (`runs`)."


def add_to(commands: Any) -> None:
    for plan in map(plan_class, PLANS):
        add_command(
            commands,
            plan.KIND,
            partial(run_plan, plan),
            partial(PlanParser.add_plan, plan=plan),
            add_engine,
            _add_detach,
            help=plan.SUMMARY,
            description=f"{plan.DESCRIPTION} {GOES_ON}",
        )
    actions = add_actions(commands, "runs", help="list, follow, stop and resume training runs")
    add_command(actions, "ls", run_list, help="list all runs")
    for name, run, arguments, help in (
        ("show", run_show, (), "print a run's plan, provenance and results as JSON"),
        ("log", run_log, (), "print a run's log"),
        ("stop", run_stop, (), "stop a run; what it finished is kept"),
        ("resume", run_resume, (_add_detach,), "go on with a stopped, failed or killed run"),
        ("rm", run_remove, (), "delete a run and its results"),
    ):
        add_command(actions, name, run, _add_id, *arguments, help=help)


def _add_id(parser: ArgumentParser) -> None:
    parser.add_argument("id", metavar="RUN", help="an id as `runs ls` shows it, or its beginning")


def _add_detach(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--detach", action="store_true", help="return at once; the run goes on by itself"
    )


def run_plan(kind: type[Plan], options: Namespace) -> int:
    """Start a run of the plan that the options describe, and follow it unless told not to.

    The plan is for the model's own number of layers if it has one.
    """
    values = plan_values(kind, options)
    n_layers = count_layers(values["model"], Store()) if "model" in values else 0
    plan = kind.suited(n_layers, **values)
    plan.read_data()  # what is wrong with the data is said here and not in a log
    runs = Runs(Store())
    run = runs.create(plan, engine=engine_from(options))
    runs.enqueue(run)
    return follow(runs, run, options)


def follow(runs: Runs, run: Run, options: Namespace) -> int:
    """Say how a run goes until it ends; it goes on without us if we are interrupted."""
    code = _follow(runs, run, partial(tell, as_json=options.json), detach=options.detach)
    if options.json:
        print_json(_document(run))
    return code


def _document(run: Run) -> dict[str, Any]:
    """What a run is and has come to."""
    results = run.results()
    return {
        "run": run.id,
        "kind": run.kind,
        "what": run.plan.title,
        "state": run.state,
        "done": len(results),
        "units": len(run.units),
        "results": results,
    }


def _follow(runs: Runs, run: Run, say: Callable[[str], None], *, detach: bool) -> int:
    say(f"run {run.id}: {run.plan.title}, {len(run.units)} units")
    if detach:
        say(f"It goes on by itself; `python -m isogloss runs log {run.id}` tells how far it is.")
        return 0
    told = broken_off = 0
    try:
        while (state := run.state) in ("queued", "running", "interrupted"):
            runs.revive()
            broken_off = broken_off + 1 if state == "interrupted" else 0
            if broken_off * POLL_SECONDS > PATIENCE_SECONDS:
                raise RunError(
                    f"Run {run.id} was broken off when its process ended: `python -m isogloss runs "
                    f"resume {run.id}` goes on with it."
                )
            progress = run.progress
            print_bar(progress.share, progress.seconds_left)
            lines = run.log(last=10_000).splitlines()
            if not sys.stderr.isatty():
                for line in lines[told:]:
                    say(line)
            told = len(lines)
            time.sleep(POLL_SECONDS)
    except KeyboardInterrupt:
        say(f"\nrun {run.id} goes on; `python -m isogloss runs stop {run.id}` stops it.")
        return 130
    if state == "failed":
        raise RunError(run.problem or "The run failed.")
    say(f"run {run.id} is {state}: {len(run.results())} of {len(run.units)} units are done.")
    return 0


def run_list(options: Namespace) -> int:
    runs = Runs(Store())
    rows = [
        {
            "run": run.id,
            "kind": run.kind,
            **_time_left(run),
            "made": run.created[:16].replace("T", " "),
            "": "shipped" if run.shipped else "",
        }
        for run in runs.all()
    ]
    rows += [
        {"run": run.id, "kind": "", **_time_left(run), "made": "", "": ""} for run in runs.damaged()
    ]
    document = [
        {name: each for name, each in row.items() if name} | {"shipped": bool(row[""])}
        for row in rows
    ]
    empty = "There are no runs: `python -m isogloss transfer` makes one."
    return print_found(options, document, partial(print_table, rows, empty))


def _time_left(run: Run) -> dict[str, str]:
    try:
        run.check()
        done = f"{len(run.results())}/{len(run.units)}"
        return {"what": run.plan.title, "state": run.state, "done": done}
    except RunError as error:  # another version made it, or it is damaged
        return {"what": str(error), "state": "unreadable", "done": ""}


def run_show(options: Namespace) -> int:
    run = Runs(Store()).get(options.id)
    description = dict(run.description)
    description |= {"kind": run.kind, "command": run.command}
    print_json({"state": run.state, **description, "facts": run.facts, "results": run.results()})
    return 0


def run_log(options: Namespace) -> int:
    run = Runs(Store()).get(options.id)
    log, progress = run.log(last=10_000), run.progress
    state, share, message = run.state, progress.share, run.problem or progress.message
    document = {"run": run.id, "state": state, "share": share, "message": message or "", "log": log}
    return print_found(options, document, f"{log}\n{state}, {percent(share, 0)}: {message}")


def run_stop(options: Namespace) -> int:
    runs = Runs(Store())
    run = runs.get(options.id)
    runs.stop(run)
    said = f"run {run.id} stops after the step it is at; `runs resume {run.id}` goes on with it."
    tell(said, as_json=options.json)
    if options.json:
        print_json({"run": run.id, "state": run.state})
    return 0


def run_resume(options: Namespace) -> int:
    runs = Runs(Store())
    run = runs.get(options.id)
    runs.enqueue(run)
    return follow(runs, run, options)


def run_remove(options: Namespace) -> int:
    runs = Runs(Store())
    run = runs.get(options.id)
    runs.remove(run)
    return print_found(options, {"removed": run.id}, f"removed {run.id}")
