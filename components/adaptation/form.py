"""What to adapt, to which text, and how: the form that starts an adaptation."""

from __future__ import annotations

from operator import attrgetter
from typing import Any

import streamlit as st

from components.shared.file_inputs import ask_uploads, check_model_name
from components.shared.layout import control_row
from components.shared.panels import panel
from components.shared.runs.option_widgets import (
    choose_seeds,
    choose_source,
    option_help,
    option_widget,
    option_widgets,
)
from components.shared.runs.starting import model_layers, start_button, time_needed
from components.your_text.extraction import choose_model
from isogloss.lab.adaptation.costs import (
    AdaptationTokens,
    adaptation_steps,
    count_adaptation_tokens,
    estimate_adaptation_seconds,
)
from isogloss.lab.adaptation.plan import AdaptationPlan
from isogloss.lab.adaptation.regimes import regimes_for
from isogloss.options import options_of
from isogloss.text.language_names import LANGUAGES, language_name
from isogloss.text.monolingual import BUNDLED_LANGUAGES, read_source

_KEY = "adaptation"
BUNDLED, FILES = "bundled", "files"
SOURCES = {BUNDLED: "Bundled sentences", FILES: "Your files"}
TRAINING = (
    "epochs", "batch_size", "evaluate_every", "patience", "train_sentences", "test_sentences",
    "validation_sentences", "multilingual_sentences", "longest", "learning_rate",
    "train_embeddings", "dropout",
)  # fmt: skip
FILE_HELP = (
    "Plain text with one sentence per line, parallel text of any format that **Your text** takes "
    "(the language's column is read), or labelled pairs such as XNLI's files."
)


@panel
def adaptation_form() -> None:
    """What to adapt, to what, how; and the button that starts it."""
    model = choose_model(language_head=True)
    if model is None:
        st.info("Name a model.", icon=":material/info:")
        return
    n_layers = model_layers(model)
    text, multilingual = _choose_text()
    with control_row():
        language = _choose_language(text)
        seeds = choose_seeds(AdaptationPlan, _KEY)
        training = _choose_training(n_layers)
    if text is None:
        st.info("Bring a file to learn from.", icon=":material/info:")
        return
    if not training["regimes"]:
        st.info("Choose at least one regime.", icon=":material/info:")
        return
    plan = AdaptationPlan.suited(
        n_layers,
        model=model,
        language=language,
        text=text,
        multilingual=multilingual,
        seeds=seeds,
        **training,
    )
    tokens = _tokens(plan)
    start_button(plan, lambda: _time_needed(plan, tokens), f"start-{_KEY}")


def _choose_text() -> tuple[tuple[str, ...] | None, tuple[str, ...]]:
    """The sources to learn from, None while there are none yet, and those of several languages."""
    source = choose_source(
        "Text to learn from",
        SOURCES,
        f"{_KEY}-source",
        f"**Bundled sentences**: a few hundred, for a first look. **Your files**: {FILE_HELP}",
    )
    if source == BUNDLED:
        return (), ()
    left, right = st.columns(2)
    with left:
        text = ask_uploads("Files to learn from", f"{_KEY}-text", help=FILE_HELP)
    with right:
        multilingual = ask_uploads(
            "Held-out text of several languages", f"{_KEY}-multilingual", help=FILE_HELP
        )
        st.caption("Without any, the bundled sentences are taken.")
    return text or None, multilingual


def _choose_language(text: tuple[str, ...] | None) -> str:
    """The language to learn: one that the bundled sentences have, or that the files may be in."""
    found = list(dict.fromkeys(code for source in text or () for code in _languages_of(source)))
    known = sorted({*LANGUAGES, *found}, key=language_name) if found else list(BUNDLED_LANGUAGES)
    likely = next((code for code in reversed(found) if code in known), AdaptationPlan.language)
    return st.selectbox(
        options_of(AdaptationPlan)["language"].title,
        known,
        index=known.index(likely),
        format_func=language_name,
        key=f"{_KEY}-language-{likely}-{len(known)}",
        help=option_help(AdaptationPlan, "language"),
        width=170,
    )


def _choose_training(n_layers: int) -> dict[str, Any]:
    names = [regime.name for regime in regimes_for(n_layers)]
    regimes = option_widget(
        AdaptationPlan,
        "regimes",
        _KEY,
        options=names,
        default=names,
        key=f"{_KEY}-regimes-{n_layers}",
    )
    with st.popover("Training settings", icon=":material/tune:", key=f"{_KEY}-training"):
        training = option_widgets(AdaptationPlan, TRAINING, _KEY, st.columns(2))
        reference = option_widget(
            AdaptationPlan, "reference", _KEY, placeholder="google-bert/bert-base-chinese"
        ).strip()
    check_model_name(reference)
    chosen = tuple(name for name in names if name in regimes)
    return {"regimes": chosen, **training, "reference": reference}


@st.cache_data(show_spinner="Reading the text", max_entries=32)
def _languages_of(source: str) -> tuple[str, ...]:
    """The languages of a source of text."""
    return tuple(read_source(source))


@st.cache_data(
    show_spinner="Reading the text",
    max_entries=32,
    hash_funcs={
        AdaptationPlan: attrgetter(
            "model", "language", "text", "multilingual", "split_seed", "train_sentences",
            "validation_sentences", "test_sentences", "multilingual_sentences", "longest",
        )
    },
)  # fmt: skip
def _tokens(plan: AdaptationPlan) -> AdaptationTokens:
    """How much text an adaptation goes through; its text is read, and so are its faults."""
    return count_adaptation_tokens(plan, plan.read_data())


def _time_needed(plan: AdaptationPlan, tokens: AdaptationTokens) -> str:
    """How much it learns from and how long it will take on this machine."""
    steps = adaptation_steps(plan, tokens.train_sentences)
    return time_needed(
        plan,
        lambda size, speed: estimate_adaptation_seconds(plan, size, tokens, speed),
        f"{tokens.train_sentences:,} sentences, {steps:,} steps each",
    )
