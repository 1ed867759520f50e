"""One sentence in both languages, word by word: what the network says, and what the map does."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import streamlit as st

from components.shared import charts
from components.shared.markdown import in_markdown
from isogloss.figures.experiments.two_models import setup_color
from isogloss.figures.template import theme
from isogloss.lab.two_models.results import ShownPair, ShownWord

_STYLE = (
    "<style>.tagged{{display:flex;flex-wrap:wrap;gap:.35rem .3rem;margin:.1rem 0 .7rem}}"
    ".tagged span{{display:flex;flex-direction:column;align-items:center;padding:.15rem .45rem;"
    "border-radius:.4rem;border:1px solid {border};font-size:.95rem;line-height:1.35}}"
    ".tagged small{{font-size:.72rem;letter-spacing:.02em}}"
    ".tagged .right{{border-color:{right}}}.tagged .right small{{color:{right};font-weight:600}}"
    ".tagged .wrong small{{color:{wrong};text-decoration:line-through}}</style>"
)


def show_pair(pair: ShownPair, source: str, target: str) -> None:
    """The source's words, the target's through the map, and through a map of shuffled words."""
    look = theme(charts.mode())
    st.html(
        _STYLE.format(
            border=look.border, right=setup_color("mapped", charts.mode()), wrong=look.quiet
        )
    )
    for title, words in (
        (f"{source}, which the network was trained on", pair.source),
        (f"{target}, through the map", pair.mapped),
        (f"{target}, through a map learned from shuffled pairs", pair.shuffled),
    ):
        st.markdown(f"{in_markdown(title)}{_count(words)}")
        st.html(f'<div class="tagged">{"".join(map(_box, words))}</div>')


def _count(words: Sequence[ShownWord]) -> str:
    known = [word.right for word in words if word.right is not None]
    return f" · {sum(known)} of {len(known)} right" if known else ""


def _box(word: ShownWord) -> str:
    kind = {True: "right", False: "wrong", None: ""}[word.right]
    hint = f' title="{escape(word.gold)} by hand"' if word.right is False else ""
    said = escape(word.said)
    return f'<span class="{kind}"{hint}>{escape(word.text)}<small>{said}</small></span>'
