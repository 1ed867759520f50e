"""The options of every command that fine-tunes on NLI, declared once from the plan's own fields."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, BooleanOptionalAction, Namespace
from dataclasses import fields
from typing import Any

from isogloss.classifier_heads import AUTO, HEADS
from isogloss.command_line.run_commands import add_following, full_model, full_path
from isogloss.transfer import NliPlan

HELP = {
    "data": "bundled, hub (facebook/xnli), or a directory with files such as dev-zh.tsv",
    "train": "a file of training pairs, where the data has none or others are wanted",
    "languages": "what to test on",
    "source_language": "what to train on",
    "seeds": "one fine-tuning for each",
    "train_size": "how many training pairs, or all",
    "dev_size": "how many dev pairs a language, or all",
    "test_size": "how many test pairs a language, or all",
    "epochs": "passes through the training pairs",
    "learning_rate": "at its highest; it falls linearly to 0",
    "head_learning_rate": "the same for the classifier's head",
    "batch_size": "pairs in a batch",
    "max_tokens": "where a pair is cut",
    "checks": "how often dev sets are looked at, evenly over the training",
    "dropout": "dropout in the layers that learn",
    "head": f"what the classifier reads: {', '.join((AUTO, *HEADS))}",
    "device": "auto, cuda, mps or cpu",
}


def add_nli_options(parser: ArgumentParser) -> None:
    """Add an option for each field of `NliPlan`."""
    parser.add_argument("model", metavar="MODEL", help="a preset, a hub id or a directory")
    for field in fields(NliPlan):
        if field.name == "model":
            continue
        option = f"--{field.name.replace('_', '-')}"
        if isinstance(field.default, bool):
            parser.add_argument(
                option, action=BooleanOptionalAction, default=field.default, help=HELP[field.name]
            )
            continue
        kind: Any = {"languages": _words, "seeds": numbers}.get(field.name) or _type_of(field.type)
        if field.name.endswith("_size") and "None" in str(field.type):
            kind = size_or_all
        default = field.default
        shown = ",".join(map(str, default)) if isinstance(default, tuple) else default
        if kind is size_or_all and default is None:
            shown = "all"
        parser.add_argument(
            option, type=kind, default=default, help=f"{HELP[field.name]} (default: {shown})"
        )
    add_following(parser)


def nli_values(options: Namespace) -> dict[str, Any]:
    """What was asked for, as the plan's fields."""
    values = {field.name: getattr(options, field.name) for field in fields(NliPlan)}
    values["model"] = full_model(values["model"])
    values["data"] = full_path(values["data"], "bundled", "hub")
    values["train"] = values["train"] and full_path(values["train"])
    return values


def numbers(text: str) -> tuple[int, ...]:
    """Whole numbers with commas between them, such as -1,0,3."""
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError as error:
        raise ArgumentTypeError(f"{text!r} is not a list of whole numbers such as 0,1,2") from error


def size_or_all(text: str) -> int | None:
    """A number of pairs, or None for `all`."""
    try:
        return None if text == "all" else int(text)
    except ValueError as error:
        raise ArgumentTypeError(f"{text!r} is neither a number nor all") from error


def _words(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _type_of(annotation: Any) -> type:
    name = str(annotation)
    return int if name.startswith("int") else float if name.startswith("float") else str
