"""The form of every page that fine-tunes on NLI, and how long what it asks for will take."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from components.shared.file_inputs import ask_path, ask_uploads
from components.shared.layout import control_row
from components.shared.runs import starting
from components.shared.runs.option_widgets import (
    choose_seeds,
    choose_source,
    option_help,
    option_widgets,
)
from components.your_text.extraction import choose_model
from isogloss.formatting import human_count
from isogloss.lab.training.costs import Speed, TokenCounts, count_tokens, estimate_seconds
from isogloss.lab.training.nli_plan import NliPlan, first_sizes
from isogloss.models.heads import suited_head
from isogloss.models.preview import ModelSize
from isogloss.options import options_of
from isogloss.text.language_names import language_name
from isogloss.text.nli import XNLI_LANGUAGES, NliData, load_nli

BUNDLED, FILES, HUB = "bundled", "files", "hub"
SOURCES = {BUNDLED: "Bundled", FILES: "Your files", HUB: "XNLI from the hub"}
SOURCE_HELP = (
    "**Bundled**: a few hundred pairs that come with Isogloss, for a first look. **Your files**, "
    "such as `train-en.tsv`, `dev-zh.tsv`, `test-zh.tsv`, or the official XNLI files. "
    "**The hub**: facebook/xnli, downloaded."
)
UPLOAD_MEGABYTES = 200
"""MultiNLI's training pairs, gzipped or without their parse trees, are half as large."""
SIZES = ("train_size", "dev_size", "test_size")
TRAINING = (
    "epochs", "batch_size", "learning_rate", "head_learning_rate", "head", "checks", "max_tokens",
    "dropout",
)  # fmt: skip


@dataclass(frozen=True)
class NliChoice:
    """What was chosen: the fields of an `NliPlan`, and how many blocks its model has."""

    fields: Mapping[str, Any]
    n_layers: int


def nli_form(key: str) -> NliChoice | None:
    """Show the form; returns what it says, or None while something is still missing."""
    model = choose_model()
    with control_row():
        source = choose_source("Data", SOURCES, f"{key}-data", SOURCE_HELP)
        languages = st.multiselect(
            options_of(NliPlan)["languages"].title,
            ["en", "zh"] if source == BUNDLED else list(XNLI_LANGUAGES),
            default=["en", "zh"],
            format_func=language_name,
            key=f"{key}-languages-{source}",
            help=option_help(NliPlan, "languages"),
        )
        seeds = choose_seeds(NliPlan, key)
    place = _choose_files(source, key)
    sizes = _choose_sizes(source, key)
    training = _choose_training(model, key)
    if model is None:
        st.info("Name a model.", icon=":material/info:")
        return None
    if place is None:
        st.info("Bring the files to learn from and to test on.", icon=":material/info:")
        return None
    if not languages:
        st.info("Choose at least one language to test in.", icon=":material/info:")
        return None
    fields = {
        "model": model,
        "languages": tuple(languages),
        "seeds": seeds,
        **place,
        **sizes,
        **training,
    }
    return NliChoice(fields, starting.model_layers(model))


def _choose_files(source: str, key: str) -> dict[str, Any] | None:
    """Where the sets are, and another training file if there is one; None while nothing is."""
    if source == BUNDLED:
        return {"data": BUNDLED, "train": None}
    if source == HUB:
        return {"data": HUB, "train": _choose_train(key)}
    uploaded = ask_uploads(
        "Pairs to train on, to choose the model by, and to test on: `train-en.tsv`, `dev-en.tsv`, "
        "`dev-zh.tsv`, `test-en.tsv`, `test-zh.tsv` and the like",
        f"{key}-data",
        together=lambda names: "xnli" if "xnli" in " ".join(names).lower() else "uploaded",
        help=SOURCE_HELP,
        megabytes=UPLOAD_MEGABYTES,
    )
    if uploaded:
        return {"data": uploaded[0], "train": None}
    data = ask_path("Or the directory on this machine that holds them", f"{key}-data", "~/xnli")
    return {"data": data, "train": _choose_train(key)} if data else None


def _choose_train(key: str) -> str | None:
    train = options_of(NliPlan)["train"]
    return ask_path(train.title, f"{key}-train", "~/multinli/multinli_1.0_train.jsonl") or None


def _choose_sizes(source: str, key: str) -> dict[str, int | None]:
    changed: dict[str, dict[str, Any]] = {name: {"key": f"{key}-{name}-{source}"} for name in SIZES}
    for name, size in first_sizes(source).items():
        changed[name]["value"] = size
    return option_widgets(NliPlan, SIZES, key, st.columns(len(SIZES)), **changed)


def _choose_training(model: str | None, key: str) -> dict[str, Any]:
    head = suited_head(model or "")
    heads = list(options_of(NliPlan)["head"].choices)
    with st.popover("Training settings", icon=":material/tune:", key=f"{key}-training"):
        return option_widgets(
            NliPlan,
            TRAINING,
            key,
            st.columns(2),
            head={"index": heads.index(head), "key": f"{key}-head-{head}"},
        )


def offer(plan: NliPlan, key: str) -> None:
    """How much there is to learn from, and the button; what is wrong with the data is said here."""
    tokens = _tokens(plan)
    small = " The bundled set is small: a demonstration." if plan.data == BUNDLED else ""
    st.caption(
        f"{tokens.train_pairs:,} training pairs, about {human_count(round(tokens.train))} tokens."
        f"{small}"
    )

    def seconds(size: ModelSize, speed: Speed) -> float:
        parts = plan.fine_tunings(tokens.all, size.width)
        return estimate_seconds(plan, parts, size, tokens, speed)

    starting.start_button(plan, lambda: starting.time_needed(plan, seconds), f"start-{key}")


def _tokens(plan: NliPlan) -> TokenCounts:
    """How much text a plan goes through; its data is read, and so are its faults."""
    data = (plan.data, plan.train, plan.languages, plan.source_language)
    sizes = (plan.train_size, plan.dev_size, plan.test_size, plan.max_tokens)
    return _counted_tokens(plan, (plan.model, data, sizes))


@st.cache_data(show_spinner="Counting tokens", max_entries=32)
def _counted_tokens(_plan: NliPlan, key: Hashable) -> TokenCounts:
    data = _read_pairs(_plan.data, _plan.train, _plan.languages, _plan.source_language)
    return count_tokens(_plan.model, _plan.cut(data), _plan.max_tokens)


@st.cache_resource(show_spinner="Reading the pairs", max_entries=2)
def _read_pairs(data: str, train: str | None, languages: tuple[str, ...], source: str) -> NliData:
    return load_nli(data, train=train, languages=languages, source_language=source)
