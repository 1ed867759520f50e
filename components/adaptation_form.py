"""What to adapt, to which text, and how: the form that starts an adaptation."""

from __future__ import annotations

from typing import Any

import streamlit as st

from components import loading
from components.extraction import choose_model
from components.languages import language_name
from components.layout import control_row
from components.panels import panel
from components.run_panel import start_button
from isogloss.adaptation import SHORTEST, AdaptationPlan
from isogloss.adaptation_costs import (
    AdaptationTokens,
    adaptation_steps,
    estimate_adaptation_seconds,
)
from isogloss.command_line.adaptation_commands import HELP
from isogloss.corpora import CorpusFile
from isogloss.costs import size_of_model
from isogloss.errors import ModelError
from isogloss.formatting import human_time
from isogloss.monolingual import BUNDLED_LANGUAGES, keep_text
from isogloss.presets import find_preset
from isogloss.readers.languages import LANGUAGES
from isogloss.regimes import find_regime, regimes_for

_KEY = "adaptation"
BUNDLED, FILES = "bundled", "files"
SOURCES = {BUNDLED: "Bundled sentences", FILES: "Your files"}
RATES = (1e-5, 2e-5, 5e-5, 1e-4, 2e-4, 3e-4, 5e-4, 1e-3)
FILE_HELP = (
    "Plain text with a sentence a line, parallel text of any format that **Your text** takes (the "
    "language's column is read), or labelled pairs such as XNLI's files."
)


@panel
def adaptation_form() -> None:
    """What to adapt, to what, how; and the button that starts it."""
    model = choose_model()
    if model is None:
        st.info("Name a model.", icon=":material/info:")
        return
    text, multilingual = _choose_text()
    with control_row():
        language = _choose_language(text)
        seeds = st.number_input(
            "Seeds", 1, 20, 3, key=f"{_KEY}-seeds", help=_help("seeds"), width=110
        )
        training = _choose_training(loading.model_layers(model))
    if text is None:
        st.info("Bring a file to learn from.", icon=":material/info:")
        return
    if not training["regimes"]:
        st.info("Choose at least one regime.", icon=":material/info:")
        return
    plan = AdaptationPlan(
        model=model,
        language=language,
        text=text,
        multilingual=multilingual,
        seeds=tuple(range(seeds)),
        **training,
    )
    tokens = loading.adaptation_tokens(plan)
    start_button(plan, lambda: _time_needed(plan, tokens), f"start-{_KEY}")


def _choose_text() -> tuple[tuple[str, ...] | None, tuple[str, ...]]:
    """The sources to learn from, None while there are none yet, and those of several languages."""
    source = st.segmented_control(
        "Text to learn from",
        list(SOURCES),
        format_func=SOURCES.__getitem__,
        default=BUNDLED,
        required=True,
        key=f"{_KEY}-source",
        help=f"**Bundled sentences**: a few hundred, for a first look. **Your files**: {FILE_HELP}",
    )
    if source == BUNDLED:
        return (), ()
    left, right = st.columns(2)
    with left:
        text = _upload("Files to learn from", "text")
    with right:
        multilingual = _upload("Held-out text of several languages", "multilingual")
        st.caption("Without any, the bundled sentences are taken.")
    return text or None, multilingual


def _upload(label: str, key: str) -> tuple[str, ...]:
    """The files that were brought, kept where a run finds them."""
    files = st.file_uploader(label, accept_multiple_files=True, key=f"{_KEY}-{key}", help=FILE_HELP)
    root = loading.the_store().root
    return tuple(keep_text(CorpusFile(file.name, file.getvalue()), root) for file in files)


def _choose_language(text: tuple[str, ...] | None) -> str:
    """The language to learn: one that the bundled sentences have, or that the files may be in."""
    found = list(
        dict.fromkeys(code for source in text or () for code in loading.text_languages(source))
    )
    known = sorted({*LANGUAGES, *found}, key=language_name) if found else list(BUNDLED_LANGUAGES)
    likely = next((code for code in reversed(found) if code in known), AdaptationPlan.language)
    return st.selectbox(
        "Language",
        known,
        index=known.index(likely),
        format_func=language_name,
        key=f"{_KEY}-language-{likely}-{len(known)}",
        help=_help("language"),
        width=170,
    )


def _choose_training(n_layers: int) -> dict[str, Any]:
    names = [regime.name for regime in regimes_for(n_layers)]
    regimes = st.multiselect(
        "Layers that learn",
        names,
        default=names,
        format_func=lambda name: find_regime(name).title,
        key=f"{_KEY}-regimes-{n_layers}",
        help="\n\n".join(
            f"**{find_regime(name).title}**: {find_regime(name).explanation}" for name in names
        ),
    )
    with st.popover("Training settings", icon=":material/tune:", key=f"{_KEY}-training"):
        left, right = st.columns(2)
        numbers: dict[str, Any] = {
            name: column.number_input(
                title, lowest, highest, getattr(AdaptationPlan, name), key=f"{_KEY}-{name}",
                help=_help(name),
            )
            for column, name, title, lowest, highest in (
                (left, "epochs", "Epochs", 1, 100),
                (right, "batch_size", "Sentences a step", 1, 512),
                (left, "evaluate_every", "Measure every", 1, 10_000),
                (right, "patience", "Patience", 0, 1_000),
                (left, "train_sentences", "Train on", 1, 100_000),
                (right, "test_sentences", "Test on", 1, 10_000),
                (left, "validation_sentences", "Validate on", 1, 10_000),
                (right, "multilingual_sentences", "Several languages", 2, 10_000),
                (left, "longest", "Tokens a sentence", SHORTEST, 512),
            )
        }  # fmt: skip
        numbers["learning_rate"] = right.select_slider(
            "Learning rate",
            RATES,
            AdaptationPlan.learning_rate,
            format_func="{:.0e}".format,
            key=f"{_KEY}-rate",
            help=_help("learning_rate"),
        )
        numbers["train_embeddings"] = left.toggle(
            "Embeddings", key=f"{_KEY}-embeddings", help=_help("train_embeddings")
        )
        numbers["dropout"] = right.toggle(
            "Dropout", AdaptationPlan.dropout, key=f"{_KEY}-dropout", help=_help("dropout")
        )
        numbers["reference"] = st.text_input(
            "Native model",
            placeholder="google-bert/bert-base-chinese",
            key=f"{_KEY}-reference",
            help=_help("reference"),
        ).strip()
    return {"regimes": tuple(name for name in names if name in regimes), **numbers}


def _help(name: str) -> str:
    return f"{HELP[name][0].upper()}{HELP[name][1:]}."


def _time_needed(plan: AdaptationPlan, tokens: AdaptationTokens) -> str:
    """How much it learns from and how long it will take on this machine."""
    steps = adaptation_steps(plan, tokens.train_sentences)
    learns = f"{tokens.train_sentences:,} sentences, {steps:,} steps each"
    try:
        size = size_of_model(plan.model)
    except ModelError as error:
        return f"{learns}. {error}"
    speed = loading.machine_speed(size.width, plan.device)
    preset = find_preset(plan.model)
    decoder = preset is not None and preset.kind == "decoder"
    seconds = estimate_adaptation_seconds(plan, size, tokens, speed, is_decoder=decoder)
    return f"{learns}; about {human_time(seconds)} on this machine, if it does nothing else."
