"""Which two models, which treebanks and which parallel text: the form that starts a run."""

from __future__ import annotations

from operator import attrgetter
from typing import Any

import streamlit as st

from components.shared.file_inputs import ask_file, ask_path, ask_uploads, check_model_name
from components.shared.layout import control_row
from components.shared.panels import panel
from components.shared.runs.option_widgets import (
    choose_seeds,
    choose_source,
    option_widget,
    option_widgets,
)
from components.shared.runs.starting import model_layers, start_button, time_needed
from isogloss.lab.two_models.costs import estimate_two_models_seconds
from isogloss.lab.two_models.data import BUNDLED, RunData
from isogloss.lab.two_models.plan import (
    BUNDLED_EPOCHS,
    MANY_EPOCHS,
    SOURCE_MODEL,
    TwoModelsPlan,
)

_KEY = "two-models-new"
FILES = "files"
SOURCES = {BUNDLED: "Bundled", FILES: "Your files"}
TRAINING = ("depth", "epochs", "learning_rate", "train_size", "test_size", "batch_words")


@panel
def two_models_form() -> None:
    """Which models, which text; and the button that starts it."""
    left, middle, right = st.columns(3)
    model = left.text_input("Source's model", SOURCE_MODEL, key=f"{_KEY}-model").strip()
    target = option_widget(TwoModelsPlan, "target_model", _KEY, middle).strip()
    bilingual = option_widget(TwoModelsPlan, "bilingual_model", _KEY, right).strip()
    for name in (model, target, bilingual):
        check_model_name(name)
    with control_row():
        source = choose_source(
            "Treebanks",
            SOURCES,
            f"{_KEY}-source",
            "**Bundled**: 72 pairs with parts of speech, for a first look. **Your "
            "files**, such as `en_ewt-train.conllu` and `zh_gsd-test.conllu`.",
        )
        tasks = option_widget(TwoModelsPlan, "tasks", _KEY) if source == FILES else ["upos"]
        seeds = choose_seeds(TwoModelsPlan, _KEY)
        settings = _choose_training(source)
    files = _choose_files(source)
    if not (model and target and tasks and files["data"]):
        st.info("Name both models and a task, and bring the treebanks.", icon=":material/info:")
        return
    plan = TwoModelsPlan.suited(
        model_layers(model),
        model=model,
        target_model=target,
        bilingual_model=bilingual if bilingual not in ("", "none") else None,
        tasks=tuple(tasks),
        seeds=seeds,
        **files,
        **settings,
    )
    data = _data(plan)
    sentences = " and ".join(
        f"{len(each.train):,} ({each.train.name})" for each in data.tasks.values()
    )
    st.caption(
        f"Training sentences: {sentences}. The map: {len(data.words.pairs):,} pairs of words in "
        f"{len(data.words.source.texts):,} sentence pairs that are in none of the treebanks."
    )
    start_button(
        plan,
        lambda: time_needed(
            plan, lambda size, speed: estimate_two_models_seconds(plan, data, size, speed)
        ),
        f"start-{_KEY}",
    )


def _choose_training(source: str) -> dict[str, Any]:
    epochs = BUNDLED_EPOCHS if source == BUNDLED else MANY_EPOCHS
    with st.popover("Training settings", icon=":material/tune:", key=f"{_KEY}-training"):
        return option_widgets(
            TwoModelsPlan,
            TRAINING,
            _KEY,
            st.columns(2),
            epochs={"value": epochs, "key": f"{_KEY}-epochs-{source}"},
        )


def _choose_files(source: str) -> dict[str, Any]:
    if source == BUNDLED:
        return {"data": BUNDLED}
    left, right = st.columns(2)
    with left:
        uploaded = ask_uploads(
            "Treebanks, such as `en_ewt-train.conllu` and `zh_gsd-test.conllu`",
            f"{_KEY}-data",
            together=lambda names: "uploaded",
        )
        named = ask_path("Or the directory on this machine that holds them", f"{_KEY}-data", "~/ud")
    with right:
        parallel = ask_file(
            "Parallel text, if another than the bundled one",
            f"{_KEY}-parallel",
            "~/wikipedia.en-zh.tsv",
            help="Words that translate each other are found in it by a statistical aligner.",
        )
    return {
        "data": uploaded[0] if uploaded else named,
        "parallel": (parallel,) if parallel else (BUNDLED,),
    }


@st.cache_resource(
    show_spinner="Reading the treebanks and aligning words",
    max_entries=2,
    hash_funcs={
        TwoModelsPlan: attrgetter(
            "data", "tasks", "evaluate", "languages", "parallel", "parallel_size", "train_size",
            "test_size",
        )
    },
)  # fmt: skip
def _data(plan: TwoModelsPlan) -> RunData:
    """The treebanks and parallel words of a plan; what is wrong with them is raised."""
    return plan.read_data()
