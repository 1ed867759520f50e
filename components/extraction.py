"""From a text to a study: choose a model, see what it will read, extract in the background."""

from __future__ import annotations

import streamlit as st

from components import loading
from components import study as study_choice
from components.languages import language_name
from isogloss.activations import ExtractionOptions, Progress, extract
from isogloss.corpora import ParallelCorpus
from isogloss.formatting import human_time
from isogloss.models import load_model
from isogloss.presets import PRESETS, find_preset
from isogloss.tasks import OnProgress, ShouldStop, Work
from isogloss.token_outlook import local_directory

OTHER = "Another model …"
WORRYING_UNKNOWN_SHARE = 0.05


def choose_model() -> str | None:
    """The model's name as the command line takes it, too."""
    names = [preset.name for preset in PRESETS]
    titles = {preset.name: preset.title for preset in PRESETS} | {OTHER: OTHER}
    left, right = st.columns([2, 1], vertical_alignment="bottom")
    name = left.selectbox("Model", [*names, OTHER], format_func=titles.__getitem__)
    if name == OTHER:
        name = left.text_input(
            "Hub id, optionally @revision, or a directory",
            placeholder="google-bert/bert-base-chinese@main",
        ).strip()
    random = right.toggle(
        "Random weights",
        help="The same shape and tokenizer with random weights: the floor that any trained "
        "model should rise above.",
    )
    if not name:
        return None
    preset = find_preset(name)
    if preset is not None:
        cost = "nothing to download" if not preset.megabytes else f"{preset.megabytes} MB download"
        st.caption(
            f"{preset.kind.capitalize()}, {preset.n_layers} layers of width {preset.width}; "
            f"{preset.languages}; {preset.licence}; {cost}."
        )
    return f"random:{name}" if random else name


def outlook(model: str, corpus: ParallelCorpus) -> None:
    """What the model will see of the text, as far as that can be told before a download."""
    directory = local_directory(model)
    if directory is None:
        st.caption("How many tokens this model makes of the text is known once it is downloaded.")
        return
    sides = loading.outlook(directory, corpus)
    counts = ", ".join(
        f"{language_name(side.language)} {side.tokens:,} ({side.unknown_share:.1%} unknown)"
        for side in sides
    )
    st.caption(f"Tokens it will see: {counts}.")
    for side in sides:
        if side.unknown_share > WORRYING_UNKNOWN_SHARE:
            st.warning(
                f"{side.unknown_share:.0%} of the {language_name(side.language)} tokens are "
                "unknown to this model: its map of that language will mean little.",
                icon=":material/warning:",
            )


def extract_button(model: str, corpus: ParallelCorpus) -> None:
    """The one button that makes a study; progress and stop while it runs."""
    key = ("extract", model, corpus.content_hash)
    task = loading.the_tasks().find(key)
    if task is None:
        if st.button("Extract activations", type="primary", icon=":material/bolt:"):
            loading.the_tasks().start(key, "Extracting", _work(model, corpus))
            st.rerun()
        return
    if task.finished and task.problem is None:
        st.success("The study is ready.", icon=":material/check_circle:")
        if st.button("Open the map", type="primary"):
            loading.the_tasks().forget(key)
            study_choice.set_study(str(task.result))
            st.switch_page("pages/token_map.py")
        return
    loading.in_background(key, "Extracting", _work(model, corpus))


def _work(model: str, corpus: ParallelCorpus) -> Work:
    store = loading.the_store()

    def work(progress: OnProgress, should_stop: ShouldStop) -> str:
        progress(0.0, f"loading {model}")
        loaded = load_model(model, store)

        def on_progress(step: Progress) -> None:
            left = "" if step.seconds_left is None else f", {human_time(step.seconds_left)} left"
            progress(step.share, f"{step.done_tokens:,} of {step.total_tokens:,} tokens{left}")

        options = ExtractionOptions(on_progress=on_progress, should_stop=should_stop)
        return extract(loaded, corpus, store, options).key

    return work
