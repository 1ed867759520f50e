"""`adapt`: train a multilingual model on text of one language and watch what it forgets."""

from __future__ import annotations

from argparse import BooleanOptionalAction, Namespace
from dataclasses import MISSING, fields
from typing import Any

from cache import Store
from isogloss.adaptation import AdaptationPlan, default_regimes
from isogloss.command_line.run_commands import add_following, full_model, full_path, start
from isogloss.corpora import bundled_corpora
from isogloss.regimes import REGIMES

HELP = {
    "language": "the language to adapt to",
    "text": "sources to learn from, the bundled ones by default",
    "multilingual": "sources that show what is forgotten, the bundled ones by default",
    "regimes": f"{', '.join(REGIMES)} or last-k; all that differ in the model by default",
    "seeds": "one training of each regime for each",
    "epochs": "passes through the text; gradual unfreezing adds a group of layers in each",
    "batch_size": "sentences a step",
    "learning_rate": "of the first step; it falls linearly to 0",
    "evaluate_every": "steps from one measurement to the next",
    "patience": "measurements without a better one after which a training stops; 0 for never",
    "train_embeddings": "let the embeddings learn with the lowest block",
    "dropout": "dropout in the layers that learn",
    "train_sentences": "how many sentences to learn from, at most",
    "validation_sentences": "held-out sentences of the language, at most",
    "test_sentences": "sentences for the final test, at most",
    "multilingual_sentences": "held-out sentences of all languages together, at most",
    "longest": "tokens after which a sentence is cut",
    "split_seed": "the seed by which text is split into its parts",
    "reference": "a native model to measure the distance to",
    "device": "auto, cuda, mps or cpu",
}
_LISTS = {"text": str, "multilingual": str, "regimes": str, "seeds": int}


def add_to(commands: Any) -> None:
    parser = commands.add_parser(
        "adapt",
        help="train a model on text of one language and measure what moves and what is forgotten",
        description="A source of text is a bundled corpus (see `corpus ls`), a file of parallel "
        "text or of labelled pairs, or a plain text with a sentence a line. The run goes on in a "
        "process of its own and can be stopped, killed and resumed (`runs`).",
    )
    parser.add_argument("model", metavar="MODEL", help="a preset, a hub id or a directory")
    for field in fields(AdaptationPlan):
        name, default, explanation = field.name, field.default, HELP.get(field.name)
        if explanation is None or default is MISSING:
            continue
        option = f"--{name.replace('_', '-')}"
        if isinstance(default, bool):
            parser.add_argument(
                option, action=BooleanOptionalAction, default=default, help=explanation
            )
        elif name in _LISTS:
            parser.add_argument(
                option, nargs="+", type=_LISTS[name], default=default, help=explanation
            )
        else:
            parser.add_argument(
                option, type=type(default), default=default, help=f"{explanation} ({default})"
            )
    parser.set_defaults(run=run_adapt, regimes=())
    add_following(parser)


def run_adapt(options: Namespace) -> int:
    values = {field.name: getattr(options, field.name) for field in fields(AdaptationPlan)}
    values |= {name: tuple(values[name]) for name in _LISTS}
    bundled = [corpus.name for corpus in bundled_corpora()]
    for name in ("text", "multilingual"):
        values[name] = tuple(full_path(source, *bundled) for source in values[name])
    values["model"] = full_model(values["model"])
    values["reference"] = values["reference"] and full_model(values["reference"])
    values["regimes"] = values["regimes"] or default_regimes(options.model, Store())
    plan = AdaptationPlan(**values)
    plan.read_text()  # what is wrong with the text is said here and not in a log
    return start(plan, options)
