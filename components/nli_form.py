"""The form of every page that fine-tunes on NLI, and how long what it asks for will take."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import streamlit as st

from components import loading
from components.extraction import choose_model
from components.languages import language_name
from components.layout import control_row
from isogloss.bundled import BUNDLED_MODEL
from isogloss.classifier_heads import AUTO, HEADS
from isogloss.command_line.nli_options import HELP
from isogloss.costs import ModelSize, Part, TokenCounts, estimate_seconds, size_of_model
from isogloss.errors import ModelError
from isogloss.fine_tuning import TrainingOptions
from isogloss.formatting import human_count, human_time
from isogloss.nli import XNLI_LANGUAGES
from isogloss.transfer import NliPlan

BUNDLED, DIRECTORY, HUB = "bundled", "directory", "hub"
SOURCES = {BUNDLED: "Bundled", DIRECTORY: "A directory", HUB: "XNLI from the hub"}
SOURCE_HELP = (
    "**Bundled**: a few hundred pairs that come with Isogloss, for a first look. **A directory** "
    "of files such as `train-en.tsv`, `dev-zh.tsv`, `test-zh.tsv`, or the official XNLI files. "
    "**The hub**: facebook/xnli, downloaded."
)
# All of the bundled set; of a large one so much that a first run ends within reasonable time.
SIZES: dict[str, dict[str, int | None]] = {
    BUNDLED: {"train_size": None, "dev_size": 500, "test_size": None},
    DIRECTORY: {"train_size": 2_000, "dev_size": 500, "test_size": 1_000},
    HUB: {"train_size": 2_000, "dev_size": 500, "test_size": 1_000},
}
SIZE_TITLES = {"train_size": "Training pairs", "dev_size": "Dev pairs", "test_size": "Test pairs"}
RATES = (1e-5, 2e-5, 5e-5, 1e-4, 2e-4, 5e-4, 1e-3, 2e-3)


@dataclass(frozen=True)
class NliChoice:
    """What was chosen: the fields of an `NliPlan`, and how many blocks its model has."""

    fields: Mapping[str, Any]
    n_layers: int


def nli_form(key: str) -> NliChoice | None:
    """Show the form; returns what it says, or None while something is still missing."""
    model = choose_model()
    with control_row():
        source = cast(
            str,
            st.segmented_control(
                "Data",
                list(SOURCES),
                format_func=SOURCES.__getitem__,
                default=BUNDLED,
                required=True,
                key=f"{key}-data",
                help=SOURCE_HELP,
            ),
        )
        languages = st.multiselect(
            "Test in",
            ["en", "zh"] if source == BUNDLED else list(XNLI_LANGUAGES),
            default=["en", "zh"],
            format_func=language_name,
            key=f"{key}-languages-{source}",
            help=HELP["languages"].capitalize(),
        )
        seeds = st.number_input(
            "Seeds", 1, 20, 3, key=f"{key}-seeds", help=HELP["seeds"].capitalize(), width=110
        )
    place = _choose_files(source, key)
    sizes = _choose_sizes(source, key)
    training = _choose_training(model, key)
    if model is None:
        st.info("Name a model.", icon=":material/info:")
        return None
    if place is None:
        st.info("Name the directory that holds the files.", icon=":material/info:")
        return None
    if not languages:
        st.info("Choose at least one language to test in.", icon=":material/info:")
        return None
    fields = {
        "model": model,
        "languages": tuple(languages),
        "seeds": tuple(range(seeds)),
        **place,
        **sizes,
        **training,
    }
    return NliChoice(fields, loading.model_layers(model))


def _choose_files(source: str, key: str) -> dict[str, Any] | None:
    if source == BUNDLED:
        return {"data": BUNDLED, "train": None}
    left, right = st.columns(2)
    data = HUB
    if source == DIRECTORY:
        data = left.text_input("Directory", placeholder="~/xnli", key=f"{key}-directory").strip()
    train = right.text_input(
        "Training file, if another",
        placeholder="~/multinli/multinli_1.0_train.jsonl",
        key=f"{key}-train",
        help=HELP["train"].capitalize(),
    ).strip()
    if not data:
        return None
    return {
        "data": data if data == HUB else _whole_path(data),
        "train": _whole_path(train) if train else None,
    }


def _whole_path(text: str) -> str:
    return str(Path(text).expanduser().absolute())


def _choose_sizes(source: str, key: str) -> dict[str, int | None]:
    columns = st.columns(len(SIZE_TITLES))
    return {
        name: column.number_input(
            SIZE_TITLES[name],
            min_value=2,
            value=SIZES[source][name],
            placeholder="all",
            key=f"{key}-{name}-{source}",
            help=f"{HELP[name].capitalize()}.",
        )
        for column, name in zip(columns, SIZE_TITLES, strict=True)
    }


def _choose_training(model: str | None, key: str) -> dict[str, Any]:
    defaults = TrainingOptions()
    # The first token of the bundled model was never trained to say anything.
    pair = model is not None and model.endswith(BUNDLED_MODEL.name)
    heads = [AUTO, *HEADS]
    with st.popover("Training settings", icon=":material/tune:", key=f"{key}-training"):
        left, right = st.columns(2)
        values: dict[str, Any] = {
            "epochs": left.number_input(
                "Epochs", 1, 100, NliPlan.epochs, key=f"{key}-epochs", help=HELP["epochs"]
            ),
            "batch_size": right.number_input(
                "Batch", 2, 512, defaults.batch_size, key=f"{key}-batch", help=HELP["batch_size"]
            ),
            "learning_rate": left.select_slider(
                "Learning rate",
                RATES,
                defaults.learning_rate,
                format_func="{:.0e}".format,
                key=f"{key}-rate",
                help=HELP["learning_rate"],
            ),
            "head_learning_rate": right.select_slider(
                "The head's learning rate",
                RATES,
                defaults.head_learning_rate,
                format_func="{:.0e}".format,
                key=f"{key}-head-rate",
                help=HELP["head_learning_rate"],
            ),
            "head": left.selectbox(
                "Head",
                heads,
                index=heads.index("pair") if pair else 0,
                format_func=lambda name: HEADS[name].title if name in HEADS else "As usual",
                key=f"{key}-head-{pair}",
                help="\n\n".join(f"**{head.title}**: {head.help}" for head in HEADS.values()),
            ),
            "checks": right.number_input(
                "Checks", 1, 50, defaults.checks, key=f"{key}-checks", help=HELP["checks"]
            ),
            "max_tokens": left.number_input(
                "Tokens a pair",
                8,
                512,
                defaults.max_tokens,
                key=f"{key}-tokens",
                help=HELP["max_tokens"],
            ),
            "dropout": right.toggle("Dropout", key=f"{key}-dropout", help=HELP["dropout"]),
        }
    return values


def show_data(plan: NliPlan) -> None:
    """How much there is to learn from; what is wrong with the data is said here."""
    tokens = loading.nli_tokens(plan)
    small = " The bundled set is small: a demonstration." if plan.data == BUNDLED else ""
    st.caption(
        f"{tokens.train_pairs:,} training pairs, about {human_count(round(tokens.train))} tokens."
        f"{small}"
    )


def time_needed(plan: NliPlan, parts: Callable[[ModelSize, TokenCounts], Sequence[Part]]) -> str:
    """How long a plan will take on this machine, in a sentence; reads its data to tell.

    `parts` says which fine-tunings it consists of, given the model's size and the text's.
    """
    tokens = loading.nli_tokens(plan)
    try:
        size = size_of_model(plan.model)
    except ModelError as error:
        return str(error)
    speed = loading.machine_speed(size.width, plan.device)
    seconds = estimate_seconds(plan, parts(size, tokens), size, tokens, speed)
    return f"About {human_time(seconds)} on this machine, if it does nothing else."
