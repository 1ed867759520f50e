"""`sentences`: sentence embeddings from English alone, before and after."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import Any

from isogloss.command_line.nli_options import numbers
from isogloss.command_line.run_commands import add_following, full_model, full_path, start
from isogloss.corpora import bundled_corpora
from isogloss.sentence_encoder import POOLINGS
from isogloss.sentence_runs import SentencePlan
from isogloss.sentence_training import OBJECTIVES


def add_to(commands: Any) -> None:
    standard = SentencePlan()
    parser: ArgumentParser = commands.add_parser(
        "sentences",
        help="fine-tune sentence embeddings on English and measure them in two languages",
        description="Siamese fine-tuning on English inference pairs with frozen embeddings. "
        "Retrieval error in both directions and correlation with people's similarities, before "
        "and after.",
    )
    parser.add_argument("model", metavar="MODEL", help="a preset, a hub id or a directory")
    parser.add_argument(
        "--objectives",
        metavar="A,B",
        type=lambda text: tuple(text.split(",")),
        default=standard.objectives,
        help="; ".join(f"{each.name}: {each.explanation}" for each in OBJECTIVES.values()),
    )
    parser.add_argument(
        "--seeds", metavar="0,1", type=numbers, default=standard.seeds, help="one training for each"
    )
    parser.add_argument(
        "--pooling",
        choices=tuple(POOLINGS),
        default=standard.pooling,
        help="; ".join(f"{each.name}: {each.explanation}" for each in POOLINGS.values()),
    )
    parser.add_argument(
        "--layer",
        type=int,
        default=standard.layer,
        help="the layer that is pooled; negative from the top: -2 is the second-to-last",
    )
    parser.add_argument(
        "--frozen",
        type=int,
        metavar="N",
        default=standard.frozen,
        help="0 freezes the embeddings, N also blocks 1 to N, -1 nothing",
    )
    parser.add_argument(
        "--nli",
        metavar="DATA",
        default=standard.nli,
        help="English pairs to train on: bundled, hub, a directory or a file",
    )
    parser.add_argument(
        "--examples", type=int, metavar="N", help="train on N examples drawn by each seed"
    )
    parser.add_argument("--epochs", type=int, default=standard.epochs)
    parser.add_argument("--learning-rate", type=float, help="instead of the objective's own")
    parser.add_argument(
        "--corpus",
        default=standard.corpus,
        help="where translations are looked for: a bundled corpus (see `corpus ls`) or a file",
    )
    parser.add_argument(
        "--sts",
        nargs="+",
        metavar="FILE",
        default=standard.sts,
        help="sentence pairs with people's similarity (sentence1, sentence2, score, with tabs)",
    )
    parser.add_argument("--max-tokens", type=int, default=standard.max_tokens)
    parser.add_argument("--device", default=standard.device, help="auto, cpu, cuda or mps")
    add_following(parser)
    parser.set_defaults(run=run_sentences)


def run_sentences(options: Namespace) -> int:
    plan = plan_of(options)
    plan.read_data()  # what is wrong with the data is said here and not in a log
    return start(plan, options)


def plan_of(options: Namespace) -> SentencePlan:
    """The plan that the options describe; files by their full path, as a worker needs them."""
    return SentencePlan(
        model=full_model(options.model),
        objectives=options.objectives,
        seeds=options.seeds,
        pooling=options.pooling,
        layer=options.layer,
        frozen=options.frozen,
        nli=full_path(options.nli, "bundled", "hub"),
        examples=options.examples,
        epochs=options.epochs,
        learning_rate=options.learning_rate,
        corpus=full_path(options.corpus, *(bundled.name for bundled in bundled_corpora())),
        sts=tuple(map(full_path, options.sts)),
        max_tokens=options.max_tokens,
        device=options.device,
    )
