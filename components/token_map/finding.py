"""What a map shows, in one sentence above it, and the random model that it is compared with."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from components.shared import background, loading
from components.shared.markdown import in_markdown
from components.shared.read_only import is_read_only
from components.your_text import extraction
from isogloss.engines.choice import Engine
from isogloss.map.headline import headline
from isogloss.map.maps import LinksAndScores, MapOptions, TokenMap, links_of_map
from isogloss.models.presets import RANDOM_PREFIX
from isogloss.studies.similarity import is_random, random_twin
from isogloss.studies.study import Study

LEAD = (
    "Every mark is a word; lines join words to their translations or, where none are known, to "
    "their nearest. Drag through the layers and watch two languages find each other."
)


def kept_random(study: Study, options: MapOptions) -> LinksAndScores | None:
    """What the same map of the random model rests on, if that has been computed."""
    twin = random_twin(study, loading.studies())
    return loading.kept_answer(links_of_map(twin, options)) if twin is not None else None


def show(
    place: DeltaGenerator, study: Study, token_map: TokenMap, random: LinksAndScores | None
) -> None:
    """The finding, with whose links it rests on; of a map without a score, what marks mean."""
    found = headline(token_map, random)
    if found is None:
        place.markdown(LEAD)
        return
    place.markdown(
        f"{found.finding(study.states)} *{in_markdown(found.badge)}*",
        help=f"In brackets the 95 % interval. {in_markdown(found.about)}.",
    )


def offer_random(study: Study, options: MapOptions) -> None:
    """Have the random model scored if it has read this text, else offer to have it read it.

    Vectors from elsewhere come without the model whose weights could be random.
    """
    if study.is_own_vectors:
        return
    twin = random_twin(study, loading.studies())
    if twin is not None:
        if background.answer(links_of_map(twin, options), "Scoring the random model"):
            st.rerun()
        return
    name = f"{RANDOM_PREFIX}{study.model}"
    key = extraction.task_key(name, study.bitext.content_hash)
    if is_random(study) or is_read_only() or background.show(key, "A random model reads the text"):
        return
    if st.button(
        "Compare with a random model",
        icon=":material/casino:",
        type="tertiary",
        help="The same model with random weights reads this text, too: what it finds, nobody "
        "taught it. It takes as long as the extraction did.",
    ):
        extraction.start(name, study.bitext, Engine())
