"""What is folded below the curves: which parts there are, and which of them a link opens."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from components.shared import query
from components.shared.layout import folded
from isogloss.options import Option, titled


@dataclass(frozen=True)
class Detail:
    """A part of the page that is closed to begin with.

    A link opens it that names it, or says one of its `settings`, which only an open part has.
    """

    name: str
    title: str
    icon: str
    settings: tuple[str, ...] = ()


SENTENCES = Detail(
    "sentences",
    "Which sentences find their translation",
    ":material/travel_explore:",
    ("metric", "score", "pooling", "mapping", "onto", "against", "direction"),
)
ALIGNMENT = Detail(
    "alignment", "Which word is which", ":material/account_tree:", ("sentence", "aligner")
)
LANGUAGE = Detail("language", "Which language a layer reads", ":material/translate:")
SPACE = Detail("space", "How evenly the space is used", ":material/blur_on:")
TWO_MODELS = Detail("two-models", "Two models that never met", ":material/rotate_right:")
DICTIONARY = Detail("dictionary", "Words of your dictionary", ":material/menu_book:")
DETAILS = (SENTENCES, ALIGNMENT, LANGUAGE, SPACE, TWO_MODELS, DICTIONARY)
OPEN = Option(
    help="",
    address="open",
    many=True,
    default=(),
    choices=titled({each.name: each.title for each in DETAILS}),
)
"""The parts that are open, as the address says."""
ADDRESSES = (OPEN.address, *(name for detail in DETAILS for name in detail.settings))
"""All that the address may say of them."""


def show(part: Detail, draw: Callable[..., None], *shown: object) -> None:
    """A folded part, drawn of what is on show while it is open; the address says whether it is."""
    named = query.read(OPEN)
    if part.title not in st.session_state:
        asked = part.name in named or any(query.kept(*part.settings).values())
        st.session_state[part.title] = asked
    with folded(part.title, part.icon) as opened:
        if opened:
            draw(*shown)
    now = [each.name for each in DETAILS if (opened if each == part else each.name in named)]
    closed = {} if opened else dict.fromkeys(part.settings, "")
    query.add(**{OPEN.address: ".".join(now)}, **closed)
