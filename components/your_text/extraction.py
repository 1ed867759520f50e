"""From a text to a study: choose a model, see what it will read, extract in the background."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from pathlib import Path

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from components.languages import controls as languages
from components.shared import background, loading
from components.shared.engine_picker import choose_engine
from components.shared.file_inputs import check_model_name, may_name_paths
from components.shared.layout import control_row
from components.shared.markdown import in_markdown, language_name
from components.shared.studies.language_warnings import WORRYING_SHARE
from isogloss.engines.choice import Engine
from isogloss.errors import ModelError
from isogloss.formatting import human_size, percent
from isogloss.models.loading import expect_norm
from isogloss.models.packaged.e5 import name_here
from isogloss.models.presets import PRESETS, Preset, display_name, find_preset, unknown_languages
from isogloss.models.preview import (
    TokenisationPreview,
    local_directory,
    preview_tokenisation,
    size_of_model,
)
from isogloss.models.sources.finding import find_model
from isogloss.models.states import LayerStates
from isogloss.studies.extraction import (
    ExtractionOptions,
    bytes_of_states,
)
from isogloss.studies.named_extraction import extract_by_name
from isogloss.studies.study import Study
from isogloss.tasks import OnProgress, ShouldStop, Work
from isogloss.text.reading import ParallelText

OTHER = "Another model …"
NO_PACKAGE = (
    "There is no package of its 4-bit weights for this machine, so those of the hub are taken, in "
    "full precision. "
)
MOST_READERS = 6


def choose_model(
    *, language_head: bool = False, key: str | None = None, facts: DeltaGenerator | None = None
) -> str | None:
    """The model's name as the command line takes it, too; if asked, only of those with a head.

    `key` tells two such forms on one page apart; `facts` is where to say what the model is, if not
    below the choice.
    """
    offered = [preset for preset in PRESETS if preset.language_head or not language_head]
    names = [preset.name for preset in offered]
    titles = {preset.name: preset.title for preset in offered} | {OTHER: OTHER}
    left, right = st.columns([2, 1], vertical_alignment="bottom")
    name = left.selectbox(
        "Model", [*names, OTHER], format_func=titles.__getitem__, key=key and f"{key}-name"
    )
    if name == OTHER:
        name = left.text_input(
            f"Hub id, optionally @revision{', or a directory' if may_name_paths() else ''}",
            placeholder="google-bert/bert-base-chinese@main",
            key=key and f"{key}-hub",
            help="A GGUF file is named behind a colon, as owner/name:model.gguf.",
        ).strip()
    random = right.toggle(
        "Random weights",
        help="The same shape and tokenizer with random weights: the floor that any trained "
        "model should rise above.",
        key=key and f"{key}-random",
    )
    if not name:
        return None
    check_model_name(name)
    here = name_here(name)
    preset = find_preset(here)
    if preset is not None:
        instead = "" if here == name else NO_PACKAGE
        (facts or st).caption(f"{instead}{_facts(preset, random)}")
    return f"random:{here}" if random else here


def _facts(preset: Preset, random: bool) -> str:
    """What to know of a model before choosing it, in a sentence or two."""
    size = f"{preset.megabytes} MB"
    facts = [
        f"{preset.kind.capitalize()}, {preset.n_layers} layers of width {preset.width}",
        preset.languages,
        *([f"weights rounded to {preset.bits} bits"] if preset.bits and not random else []),
        preset.licence,
        {"bundled": "nothing to download", "hub": f"{size} download"}.get(
            preset.where, f"Python package of {size}"
        ),
    ]
    tuned = f" Tuned on {preset.tuned_on}." if preset.tuned_on and not random else ""
    return f"{'; '.join(facts)}.{tuned}"


def show_tokenisation(model: str, text: ParallelText) -> None:
    """What the model will see of the text, as far as that can be told before it is loaded."""
    for code in unknown_languages(model, text.languages):
        st.warning(
            f"{in_markdown(display_name(model))} was not trained on {language_name(code)}: its map "
            "of that language will mean little.",
            icon=":material/warning:",
        )
    directory = local_directory(model, loading.the_store())
    if directory is None:
        st.caption(
            "How many tokens this model makes of the text is known once it is loaded."
            f"{_size_of_states(model)}"
        )
        return
    sides = _tokenisation_preview(directory, text)
    counts = ", ".join(
        f"{language_name(side.language)} {side.tokens:,} ({percent(side.unknown_share)} unknown)"
        for side in sides
    )
    total = sum(side.tokens for side in sides)
    st.caption(f"Tokens it will see: {counts}.{_size_of_states(model, total)}")
    for side in sides:
        if side.unknown_share > WORRYING_SHARE:
            st.warning(
                f"{percent(side.unknown_share, 0)} of the {language_name(side.language)} tokens "
                "are unknown to this model: its map of that language will mean little.",
                icon=":material/warning:",
            )


def _size_of_states(model: str, tokens: int | None = None) -> str:
    """How much will be stored, in a sentence; empty where the model's size is not known yet."""
    try:
        size = size_of_model(model)
        states = LayerStates(size.n_layers, "apart" if _has_final_norm(model) else "none")
    except ModelError:
        return ""
    stored = bytes_of_states(len(states), tokens or 1, size.width)
    if tokens is None:
        return f" Each takes {human_size(stored)} of states on the disk."
    return f" Their states take about {human_size(stored)} on the disk."


@st.cache_data(max_entries=20, show_spinner=False)
def _has_final_norm(model: str) -> bool:
    """Whether a model has a state more than its blocks and its embeddings give.

    Of those that can be chosen by name the decoders do; of others a small one of their kind tells.
    """
    preset = find_preset(model.removeprefix("random:").partition("#")[0])
    if preset is not None:
        return preset.kind == "decoder"
    store = loading.the_store()
    return expect_norm(find_model(model, store), store)


def show_readers(text: ParallelText, choose_study: Callable[[str], None]) -> None:
    """The models that have read this text already, each a button that opens its map."""
    known = (*loading.studies(), *loading.means())
    there = [study for study in known if study.entry.record["corpus"] == text.content_hash]
    if not there:
        return
    with control_row():
        st.markdown("Read already by", width="content")
        for study in there[:MOST_READERS]:
            if st.button(in_markdown(display_name(study.model)), key=f"read-by-{study.key}"):
                if len(study.all_languages) > 2:
                    languages.set_study(study)
                    st.switch_page("pages/languages.py")
                choose_study(study.key)
                st.switch_page("pages/token_map.py")


def extract_button(model: str, text: ParallelText, choose_study: Callable[[str], None]) -> None:
    """The one button that makes a study; while it is made, and when it is there, that is said."""
    if background.show(
        task_key(model, text.content_hash), "The study is being made, also if you leave this page"
    ):
        return
    made = made_study(model, text.content_hash)
    if made is not None:
        st.success("The study is ready.", icon=":material/check_circle:")
        if made.says_cut:
            st.warning(made.says_cut, icon=":material/content_cut:")
    of_many = made is not None and len(made.all_languages) > 2
    with control_row():
        if made is not None and of_many and st.button("See all languages", type="primary"):
            languages.set_study(made)
            st.switch_page("pages/languages.py")
        if made is not None and st.button(
            "See the best layer", type="secondary" if of_many else "primary"
        ):
            choose_study(made.key)
            st.switch_page("pages/best_layer.py")
        if made is not None and st.button("Open the map"):
            choose_study(made.key)
            st.switch_page("pages/token_map.py")
        engine = choose_engine("extract")
        if st.button(
            "Read it again" if made else "Read the text",
            type="secondary" if made else "primary",
            icon=":material/bolt:",
        ):
            start(model, text, engine)


def start(model: str, text: ParallelText, engine: Engine) -> None:
    """Have the model read the text in the background; the list of tasks shows how far it is."""
    title = f"Reading: {display_name(model)} · {text.name}"
    background.start(task_key(model, text.content_hash), title, _work(model, text, engine))


def task_key(model: str, text: str) -> Hashable:
    """The name under which the reading of a text, by its content hash, is under way."""
    return ("extract", model, text)


def made_study(model: str, text: str) -> Study | None:
    """What the extraction of this model and text made on this server, else what there is of both.

    Of several, such as of two revisions of a model, that is the newest.
    """
    key = _made().get(task_key(model, text))
    found = [
        study
        for study in loading.studies()
        if (study.model, study.entry.record["corpus"]) == (model, text)
    ]
    return next((study for study in found if study.key == key), found[0] if found else None)


@st.cache_resource(show_spinner=False)
def _made() -> dict[Hashable, str]:
    """The key of the study that each extraction on this server led to, by that of its task."""
    return {}


def _work(model: str, text: ParallelText, engine: Engine) -> Work:
    store, made = loading.the_store(), _made()

    def work(progress: OnProgress, should_stop: ShouldStop) -> None:
        progress(0.0, f"loading {display_name(model)}")
        options = ExtractionOptions(on_progress=progress, should_stop=should_stop)
        found = extract_by_name(model, text, store, options, engine=engine)
        made[task_key(model, text.content_hash)] = found.entry.key

    return work


@st.cache_data(
    show_spinner=False, max_entries=16, hash_funcs={ParallelText: lambda c: c.content_hash}
)
def _tokenisation_preview(directory: Path, text: ParallelText) -> tuple[TokenisationPreview, ...]:
    """What a model will see of a text."""
    return preview_tokenisation(directory, text)
