"""The coordinates that map, similarity, retrieval and alignment share, chosen in the sidebar."""

from __future__ import annotations

from typing import cast

import streamlit as st

from components.shared import query
from isogloss.measures.coordinates import COORDINATES, DEFAULT_COORDINATES, Coordinates

_SESSION = "coordinates"
TITLES: dict[Coordinates, str] = {
    "standardised": "Standardised",
    "centred": "Raw, language means removed",
    "raw": "Raw",
}


def current() -> Coordinates:
    """The coordinates of this session, else those the address asks for."""
    if _SESSION not in st.session_state:
        st.session_state[_SESSION] = query.choice(_SESSION, COORDINATES, DEFAULT_COORDINATES)
    return cast(Coordinates, st.session_state[_SESSION])


def in_query() -> str:
    """The choice for the address, empty where it is the default."""
    return query.blank_if_default(current(), DEFAULT_COORDINATES)


def sidebar() -> Coordinates:
    """Show the choice; returns it."""
    chosen = st.sidebar.selectbox(
        "Coordinates",
        list(COORDINATES),
        index=list(COORDINATES).index(current()),
        format_func=TITLES.__getitem__,
        help="What every distance, cosine and picture is measured in.\n\n"
        + "\n\n".join(
            f"**{TITLES[name]}**: {choice.explanation}" for name, choice in COORDINATES.items()
        )
        + "\n\n"
        r"$z_{ij} = (x_{ij} - \mu^{(\ell)}_j) / \sigma_j$ with the mean of each language $\ell$ "
        "and the deviation of each dimension over all tokens of the study (Timkey & van "
        "Schijndel 2021; Kovaleva et al. 2021). **Similarity › Rogue dimensions** shows what it "
        "changes.",
    )
    st.session_state[_SESSION] = chosen
    return chosen
