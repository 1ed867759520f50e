"""`runs ls | show | log | stop | resume | rm`, and how any command starts a run and follows it."""

from __future__ import annotations

import sys
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from functools import partial
from typing import Any

from isogloss.command_line.engine_options import engine_from
from isogloss.command_line.output import add_json_option, print_bar, print_json, print_table, say
from isogloss.errors import RunError
from isogloss.formatting import percent
from isogloss.lab.runs.plan import Plan
from isogloss.lab.runs.queue import PATIENCE_SECONDS, Runs
from isogloss.lab.runs.run import Run
from isogloss.store import Store

POLL_SECONDS = 0.5


def add_to(commands: Any) -> None:
    runs = commands.add_parser("runs", help="list, follow, stop and resume training runs")
    actions = runs.add_subparsers(title="actions", metavar="ACTION", required=True)

    parser = actions.add_parser("ls", help="list all runs")
    add_json_option(parser)
    parser.set_defaults(run=run_list)

    parser = actions.add_parser("show", help="print a run's plan, provenance and results as JSON")
    _add_id(parser)
    add_json_option(parser)
    parser.set_defaults(run=run_show)

    parser = actions.add_parser("log", help="print a run's log")
    _add_id(parser)
    add_json_option(parser)
    parser.set_defaults(run=run_log)

    parser = actions.add_parser("stop", help="stop a run; what it finished is kept")
    _add_id(parser)
    add_json_option(parser)
    parser.set_defaults(run=run_stop)

    parser = actions.add_parser("resume", help="go on with a stopped, failed or killed run")
    _add_id(parser)
    add_following(parser)
    parser.set_defaults(run=run_resume)

    parser = actions.add_parser("rm", help="delete a run and its results")
    _add_id(parser)
    add_json_option(parser)
    parser.set_defaults(run=run_remove)


def _add_id(parser: ArgumentParser) -> None:
    parser.add_argument("id", metavar="RUN", help="an id as `runs ls` shows it, or its beginning")


def add_following(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--detach", action="store_true", help="return at once; the run goes on by itself"
    )
    add_json_option(parser)


def start(plan: Plan, options: Namespace) -> int:
    """Start a run of `plan` and follow it, unless asked to leave it alone."""
    store = Store()
    runs = Runs(store)
    run = runs.create(plan, engine=engine_from(options))
    runs.enqueue(run)
    return follow(runs, run, options)


def follow(runs: Runs, run: Run, options: Namespace) -> int:
    """Say how a run goes until it ends; it goes on without us if we are interrupted."""
    tell = partial(say, as_json=options.json)
    code = _follow(runs, run, tell, detach=options.detach)
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


def _follow(runs: Runs, run: Run, tell: Callable[[str], None], *, detach: bool) -> int:
    tell(f"run {run.id}: {run.plan.title}, {len(run.units)} units")
    if detach:
        tell(f"It goes on by itself; `python -m isogloss runs log {run.id}` tells how far it is.")
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
                    tell(line)
            told = len(lines)
            time.sleep(POLL_SECONDS)
    except KeyboardInterrupt:
        tell(f"\nrun {run.id} goes on; `python -m isogloss runs stop {run.id}` stops it.")
        return 130
    if state == "failed":
        raise RunError(run.problem or "The run failed.")
    tell(f"run {run.id} is {state}: {len(run.results())} of {len(run.units)} units are done.")
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
    if options.json:
        shipped = [
            {name: each for name, each in row.items() if name} | {"shipped": bool(row[""])}
            for row in rows
        ]
        print_json(shipped)
    else:
        print_table(rows, empty="There are no runs: `python -m isogloss transfer` makes one.")
    return 0


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
    if options.json:
        said = {"share": progress.share, "message": run.problem or progress.message or ""}
        print_json({"run": run.id, "state": run.state, **said, "log": log})
        return 0
    print(log)
    print(f"{run.state}, {percent(progress.share, 0)}: {run.problem or progress.message}")
    return 0


def run_stop(options: Namespace) -> int:
    runs = Runs(Store())
    run = runs.get(options.id)
    runs.stop(run)
    tell = partial(say, as_json=options.json)
    tell(f"run {run.id} stops after the step it is at; `runs resume {run.id}` goes on with it.")
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
    if options.json:
        print_json({"removed": run.id})
    else:
        print(f"removed {run.id}")
    return 0
