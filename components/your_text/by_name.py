"""A text by its name: a data set of the hub and its languages, fetched by a button."""

from __future__ import annotations

import streamlit as st

from components.shared import session
from components.shared.markdown import in_markdown
from isogloss.text.hub.names import HUB, OTHERS, is_hub_name
from isogloss.text.hub.reading import LIMITS_OF_THE_HUB, load_from_hub
from isogloss.text.hub.sets import BY_NAME, SETS
from isogloss.text.language_names import LANGUAGES, language_name
from isogloss.text.parallel import MOST_SIDES
from isogloss.text.reading import ReadResult

OTHER = "another"
_FETCHED = "hub-fetched"


def ask_name() -> str | None:
    """The name of a text that is to be read, None while it is only being chosen."""
    titles = {each.name: each.title for each in SETS} | {OTHER: "Another data set …"}
    left, right = st.columns([1, 2])
    chosen = left.selectbox(
        "Data set", list(titles), format_func=titles.__getitem__, key=f"{session.KEPT}hub-set"
    )
    if chosen == OTHER:
        name = right.text_input(
            "Its id on the Hugging Face hub, and its columns",
            placeholder=OTHERS.removeprefix(f"{HUB}:"),
            key=f"{session.KEPT}hub-name",
            help="Configuration and split may be left out where there is one, and the names of "
            f"columns where they are languages: owner/name:en,zh. {LIMITS_OF_THE_HUB}",
        ).strip()
        if name and not is_hub_name(name):
            name = f"{HUB}:{name}"
    else:
        session.kept("hub-languages", ["en", "zh"])
        languages = right.multiselect(
            "Languages",
            sorted(LANGUAGES, key=language_name),
            format_func=language_name,
            accept_new_options=True,
            max_selections=MOST_SIDES,
            key=f"{session.KEPT}hub-languages",
            help=f"Or codes as the data set has them, such as zho_Hant. {LIMITS_OF_THE_HUB}",
        )
        name = f"{chosen}:{','.join(languages)}" if len(languages) > 1 else ""
        known = BY_NAME[chosen]
        st.caption(
            f"{known.about[0].upper()}{known.about[1:]}. Licence {known.licence}; cite "
            f"{known.citation}. [Its card]({known.page})"
            f"{' is where its terms have to be accepted first.' if known.gated else ''}"
        )
    if st.button("Fetch", icon=":material/cloud_download:", disabled=not name):
        st.session_state[f"{session.KEPT}{_FETCHED}"] = name
    return name if name and name == session.kept(_FETCHED, "") else None


@st.cache_data(show_spinner="Fetching the text", max_entries=4)
def fetch(name: str) -> ReadResult:
    """The text of this name; what the hub's cache has is not fetched again."""
    return load_from_hub(name)


def show_origin(result: ReadResult) -> None:
    """Where a fetched text is from, and what using it asks."""
    origin = result.text.origin
    if origin is not None:
        st.caption(
            f":material/cloud_download: {in_markdown(origin.place())}; "
            f"{in_markdown(origin.credit())}."
        )
