"""`reinitialise`: fine-tune with some layers set back to random weights, for every block."""

from __future__ import annotations

from argparse import BooleanOptionalAction, Namespace
from typing import Any

from cache import Store
from isogloss.command_line.nli_options import add_nli_options, nli_values
from isogloss.command_line.run_commands import start
from isogloss.models import find_model, model_shape
from isogloss.reinitialisation import BLOCK_SETS, ReinitialisationPlan


def add_to(commands: Any) -> None:
    parser = commands.add_parser(
        "reinitialise",
        help="fine-tune on NLI with some layers set back to random weights",
        description="Every block of layers in turn is given fresh weights by the model's own "
        "initialiser before fine-tuning; the full model is the reference (Muller et al. 2021). "
        "The run goes on in a process of its own and can be stopped, killed and resumed (`runs`).",
    )
    add_nli_options(parser)
    explained = "; ".join(f"{name}: {each.help}" for name, each in BLOCK_SETS.items())
    parser.add_argument(
        "--blocks",
        choices=tuple(BLOCK_SETS),
        default=ReinitialisationPlan.blocks,
        help=f"{explained} (default: {ReinitialisationPlan.blocks})",
    )
    parser.add_argument(
        "--train-embeddings",
        action=BooleanOptionalAction,
        default=ReinitialisationPlan.train_embeddings,
        help="train the embeddings too, as Muller et al. do",
    )
    parser.set_defaults(run=run_reinitialise)


def run_reinitialise(options: Namespace) -> int:
    plan = ReinitialisationPlan(
        **nli_values(options),
        blocks=options.blocks,
        n_layers=model_shape(find_model(options.model, Store())).n_layers,
        train_embeddings=options.train_embeddings,
    )
    plan.load_data()  # what is wrong with the data is said here and not in a log
    return start(plan, options)
