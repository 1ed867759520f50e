"""`sweep`: fine-tune with the first N layers frozen, for every N."""

from __future__ import annotations

from argparse import BooleanOptionalAction, Namespace
from typing import Any

from cache import Store
from isogloss.command_line.nli_options import add_nli_options, nli_values, numbers
from isogloss.command_line.run_commands import start
from isogloss.frozen_states import DEFAULT_BUDGET_GB
from isogloss.models import find_model, model_shape
from isogloss.transfer import SweepPlan


def add_to(commands: Any) -> None:
    parser = commands.add_parser(
        "sweep",
        help="fine-tune on NLI with the first N layers frozen, for every N",
        description="N = -1 trains everything, 0 freezes the embeddings, N freezes the embeddings "
        "and blocks 1 to N; with all blocks frozen only the head learns. The run goes on in a "
        "process of its own and can be stopped, killed and resumed (`runs`).",
    )
    add_nli_options(parser)
    parser.add_argument("--frozen", type=numbers, help="every N to try, all by default")
    parser.add_argument(
        "--share-frozen",
        action=BooleanOptionalAction,
        default=True,
        help="compute what frozen layers say once for all epochs and seeds",
    )
    parser.add_argument(
        "--budget-gb",
        type=float,
        default=DEFAULT_BUDGET_GB,
        help="disk that shared states may take; beyond it every run computes its own",
    )
    parser.set_defaults(run=run_sweep)


def run_sweep(options: Namespace) -> int:
    plan = SweepPlan(
        **nli_values(options),
        frozen=options.frozen,
        n_layers=model_shape(find_model(options.model, Store())).n_layers,
        share_frozen=options.share_frozen,
        budget_gb=options.budget_gb,
    )
    plan.load_data()  # what is wrong with the data is said here and not in a log
    return start(plan, options)
