"""Where a training on the page begins: at nothing, or at a finished encoder."""

from __future__ import annotations

from typing import Literal, cast

import streamlit as st

Beginning = Literal["nothing", "encoder"]
BEGINNINGS: dict[Beginning, str] = {"nothing": "Nothing", "encoder": "An encoder"}
TITLES: dict[Beginning, tuple[str, str]] = {
    "nothing": (
        "Why do two languages meet?",
        "A small model learns two languages that share no word and no sentence. Take one thing "
        "away: do they still meet?",
    ),
    "encoder": (
        "When do the languages meet?",
        "The bundled model began with a finished English encoder and learned Chinese. Follow one "
        "layer through its training, or stop at a moment and go through its layers.",
    ),
}
_KEY = "emergence-begins"


def choose() -> Beginning:
    """The switch; in the address it is the encoder's training that has a moment."""
    if _KEY not in st.session_state:
        st.session_state[_KEY] = "encoder" if "moment" in st.query_params else "nothing"
    return cast(
        Beginning,
        st.segmented_control(
            "Begins with",
            list(BEGINNINGS),
            format_func=BEGINNINGS.__getitem__,
            required=True,
            key=_KEY,
        ),
    )
