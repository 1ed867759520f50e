"""What is folded below the curves: which parts there are, and which of them a link opens."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import streamlit as st

from components.shared import query
from components.shared.layout import folded

OPEN = "open"
"""What the address calls the list of the parts that are open."""


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
ADDRESSES = (OPEN, *(name for detail in DETAILS for name in detail.settings))
"""All that the address may say of them."""


@contextmanager
def detail(part: Detail) -> Iterator[bool]:
    """A folded part; yields whether it is open, and keeps that in the address."""
    named = st.query_params.get(OPEN, "").split(".")
    if part.title not in st.session_state:
        asked = part.name in named or any(name in st.query_params for name in part.settings)
        st.session_state[part.title] = asked
    with folded(part.title, part.icon) as opened:
        yield opened
    now = [each.name for each in DETAILS if (opened if each == part else each.name in named)]
    closed = {} if opened else dict.fromkeys(part.settings, "")
    query.add(**{OPEN: ".".join(now)}, **closed)
