"""One command for each kind of run: `transfer`, `layers-needed`, `two-models` …"""

from __future__ import annotations

from argparse import Namespace
from functools import partial
from typing import Any

from isogloss.command_line.engine_options import add_engine_options
from isogloss.command_line.plan_options import plan_values
from isogloss.command_line.run_commands import add_following, start
from isogloss.lab.runs.plan import PLANS, Plan, plan_class
from isogloss.models.configuration import count_layers
from isogloss.store import Store

GOES_ON = "The run goes on in a process of its own and can be stopped, killed and resumed (`runs`)."


def add_to(commands: Any) -> None:
    for plan in map(plan_class, PLANS):
        parser = commands.add_parser(
            plan.KIND,
            help=plan.SUMMARY,
            description=f"{plan.DESCRIPTION} {GOES_ON}",
        )
        parser.add_plan(plan)
        add_engine_options(parser)
        add_following(parser)
        parser.set_defaults(run=partial(run_plan, plan))


def run_plan(kind: type[Plan], options: Namespace) -> int:
    """Start a run of the plan that the options describe."""
    plan = plan_from(kind, options)
    plan.read_data()  # what is wrong with the data is said here and not in a log
    return start(plan, options)


def plan_from(kind: type[Plan], options: Namespace) -> Plan:
    """The plan that the options describe, for the model's own number of layers if it has one."""
    values = plan_values(kind, options)
    n_layers = count_layers(values["model"], Store()) if "model" in values else 0
    return kind.suited(n_layers, **values)
