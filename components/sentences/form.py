"""What to train and to measure: the form that starts a run on sentence embeddings."""

from __future__ import annotations

from operator import attrgetter
from typing import Any

import streamlit as st

from components.shared.file_inputs import ask_file
from components.shared.layout import control_row
from components.shared.panels import panel
from components.shared.runs.option_widgets import (
    choose_seeds,
    choose_source,
    option_buttons,
    option_help,
    option_widget,
)
from components.shared.runs.starting import model_layers, start_button, time_needed
from components.your_text.extraction import choose_model
from isogloss.lab.sentences.costs import (
    SentenceTokens,
    count_sentence_tokens,
    estimate_sentence_seconds,
)
from isogloss.lab.sentences.plan import SentencesPlan, first_examples
from isogloss.lab.sentences.training import OBJECTIVES
from isogloss.options import options_of
from isogloss.text.reading import bundled_texts

_KEY = "sentences"
BUNDLED, FILE, HUB = "bundled", "file", "hub"
SOURCES = {BUNDLED: "Bundled", FILE: "Your file", HUB: "XNLI from the hub"}
STS = {BUNDLED: "English and Chinese, bundled", FILE: "Your file …"}


@panel
def sentences_form() -> None:
    """What to train on, how, and what to measure; and the button that starts it."""
    model = choose_model()
    if model is None:
        st.info("Name a model.", icon=":material/info:")
        return
    n_layers = model_layers(model)
    training = _choose_training(n_layers)
    data = _choose_data()
    if not training["objectives"]:
        st.info("Choose at least one objective.", icon=":material/info:")
        return
    if data is None:
        st.info("Bring the file.", icon=":material/info:")
        return
    plan = SentencesPlan.suited(n_layers, model=model, **training, **data)
    tokens = _tokens(plan)
    start_button(plan, lambda: _time_needed(plan, tokens), f"start-{_KEY}")


def _choose_training(n_layers: int) -> dict[str, Any]:
    with control_row():
        objectives = option_widget(
            SentencesPlan,
            "objectives",
            _KEY,
            format_func=lambda name: OBJECTIVES[name].title.lower(),
        )
        pooling = option_buttons(SentencesPlan, "pooling", _KEY, key=f"{_KEY}-trained-pooling")
        seeds = choose_seeds(SentencesPlan, _KEY)
    left, middle, right = st.columns(3)
    layer = left.selectbox(
        "Layer that is pooled",
        range(n_layers, 0, -1),
        format_func=lambda number: _layer_name(number, n_layers),
        key=f"{_KEY}-trained-layer-{n_layers}",
        help="Blocks above it are left as they are.",
    )
    frozen = middle.selectbox(
        "Frozen",
        range(-1, layer),
        index=1,
        format_func=_frozen_name,
        key=f"{_KEY}-frozen-{n_layers}-{layer}",
        help="Were the embeddings trained, only those of English words would move.",
    )
    return {
        "objectives": tuple(name for name in OBJECTIVES if name in objectives),
        "pooling": pooling,
        "seeds": seeds,
        "layer": layer - n_layers - 1,
        "frozen": frozen,
        "epochs": option_widget(SentencesPlan, "epochs", _KEY, right),
    }


def _layer_name(layer: int, n_layers: int) -> str:
    names = {n_layers: "the last", n_layers - 1: "the second-to-last"}
    return f"{layer}, {names[layer]}" if layer in names else str(layer)


def _frozen_name(frozen: int) -> str:
    if frozen < 0:
        return "nothing"
    return f"embeddings and blocks 1 to {frozen}" if frozen else "the embeddings"


def _choose_data() -> dict[str, Any] | None:
    """The plan's data, None while a file is missing."""
    with control_row():
        source = choose_source(
            "English pairs to train on",
            SOURCES,
            f"{_KEY}-source",
            "**Bundled**: a few hundred pairs that come with Isogloss, for a first look. "
            "**Your file** of SNLI, MultiNLI or XNLI, or of three columns with tabs between "
            "them. **The hub**: facebook/xnli, downloaded.",
        )
        examples = option_widget(
            SentencesPlan,
            "examples",
            _KEY,
            value=first_examples(source),
            key=f"{_KEY}-examples-{source}",
            width=150,
        )
    nli = source
    if source == FILE:
        nli = ask_file("English pairs", f"{_KEY}-nli", "~/multinli/multinli_1.0_train.jsonl")
    titles = {bundled.name: bundled.title for bundled in bundled_texts()} | {FILE: "Your file …"}
    left, right = st.columns(2)
    with left:
        text = st.selectbox(
            options_of(SentencesPlan)["text"].title,
            list(titles),
            format_func=titles.__getitem__,
            index=list(titles).index(SentencesPlan.text),
            key=f"{_KEY}-text",
            help=option_help(SentencesPlan, "text"),
        )
        if text == FILE:
            text = ask_file("Translations", f"{_KEY}-text", "~/tatoeba.en-zh.tsv.gz")
    with right:
        judged = st.selectbox(
            "Pairs judged by people (STS)",
            list(STS),
            format_func=STS.__getitem__,
            key=f"{_KEY}-sts",
            help=option_help(SentencesPlan, "sts"),
        )
        sts = ""
        if judged == FILE:
            sts = ask_file("Judged pairs", f"{_KEY}-sts", "~/stsbenchmark/sts-test.csv")
    complete = bool(nli and text and (sts or judged == BUNDLED))
    files = {"nli": nli, "examples": examples, "text": text, "sts": (sts,) if sts else ()}
    return files if complete else None


@st.cache_data(
    show_spinner="Counting tokens",
    max_entries=32,
    hash_funcs={
        SentencesPlan: attrgetter(
            "model", "nli", "text", "sts", "objectives", "examples", "seeds", "max_tokens"
        )
    },
)
def _tokens(plan: SentencesPlan) -> SentenceTokens:
    """How much text a plan goes through; its data is read, and so are its faults."""
    return count_sentence_tokens(plan, plan.read_data())


def _time_needed(plan: SentencesPlan, tokens: SentenceTokens) -> str:
    """How much it trains on and how long it will take on this machine."""
    counts = " and ".join(
        f"{count:,} examples to {OBJECTIVES[name].title.lower()}"
        for name, count in tokens.examples.items()
    )
    return time_needed(
        plan, lambda size, speed: estimate_sentence_seconds(plan, size, tokens, speed), counts
    )
