"""The choices that a page's address (the URL's query) carries, read and written.

Where a link asks for what cannot be, the page says so in a sentence, with what it shows instead;
the address is then put right.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

import streamlit as st

from components.shared.markdown import in_markdown
from isogloss.formatting import listed, shorten
from isogloss.options import Option, titled

Value = TypeVar("Value")

_LEFT_ALONE = "address-left-alone"
_ANSWERED = "address-answered"
"""Under it the session has what `_answered` returns."""
_SENTENCES = "address-sentences"
"""What a link asks for and cannot be, in sentences, and whether each has been said."""
TOUR = "tour-text"
"""Under it the session has the presenter's tour, which every page's address carries."""


def read(option: Option) -> Any:
    """What the address says of a setting; the default where it says nothing or what cannot be."""
    name, value = option.address, option.read(st.query_params)
    is_new = _answered().get(name) != st.query_params.get(name)
    if is_new and not option.understands(text(name)):
        shown = _in_words(option, value)
        _complain(name, "is not there", f"this page shows {shown}" if shown else "")
    return value


def text(name: str) -> str:
    """What the address says under a name, as it stands there."""
    said = _answered()[name] = str(st.query_params.get(name, ""))
    return said


def choice(name: str, allowed: Iterable[Value], default: Value) -> Value:
    """The query's value if it is among `allowed`, else the default."""
    known = titled({each: str(each) for each in allowed})
    found: Value = read(Option(help="", address=name, choices=known, default=default))
    return found


def number(name: str, highest: int, default: Value) -> int | Value:
    """The query's number, at most `highest`; the default where there is none."""
    bounded = Option(help="", address=name, kind=int, least=0, most=highest, default=default)
    found: int | Value = read(bounded)
    return found


def key(name: str, keys: Iterable[str]) -> str | None:
    """The first of `keys` that begins with what the query says; None where it says nothing."""
    start = text(name)
    return next((each for each in keys if each.startswith(start)), None) if start else None


def blank_if_default(value: str, default: str) -> str:
    """The value for the query, empty where it is the default, so that links stay short."""
    return "" if value == default else value


def write(**wanted: str) -> None:
    """Make the address bar say this and nothing else; what is empty is left out."""
    if tour := st.session_state.get(TOUR):
        wanted = {"tour": tour, "step": st.query_params.get("step", "")} | wanted
    there, answered = st.query_params.to_dict(), _answered()
    if there == st.session_state.get(_LEFT_ALONE):
        return
    for name in sorted(there.keys() - wanted.keys() - answered.keys()):
        _complain(name, "this page does not know")
    answered |= {name: value for name, value in wanted.items() if value != there.get(name, "")}
    wanted = {name: value for name, value in wanted.items() if value}
    if there != wanted:
        st.query_params.from_dict(wanted)


def add(**more: str) -> None:
    """Make the address bar say this beside what it says already."""
    write(**st.query_params.to_dict() | more)


def kept(*names: str) -> dict[str, str]:
    """What the address says of these already: for a part of a page that writes it anew."""
    return {name: st.query_params.get(name, "") for name in names}


def is_dead(name: str, keys: Iterable[str]) -> bool:
    """Whether the query names something that is not there; then `write` leaves it as it is.

    So a dead link can still be read, copied and tried again, until `drop` takes the name out.
    """
    dead = bool(text(name)) and key(name, keys) is None
    if dead:
        st.session_state[_LEFT_ALONE] = st.query_params.to_dict()
    return dead


def drop(name: str) -> None:
    """Take a name out of the address, because something else was chosen."""
    if name in st.query_params:
        del st.query_params[name]


def say_what_cannot_be() -> None:
    """Say, once and where it goes away by itself, what a link asked for in vain."""
    sentences: dict[str, bool] = st.session_state.get(_SENTENCES, {})
    for sentence, is_said in sentences.items():
        if not is_said:
            st.toast(sentence, icon=":material/link_off:", duration="long")
            sentences[sentence] = True


def _answered() -> dict[str, str]:
    """What pages have read from the address or written there; only what else it says is new.

    So nobody hears of what a page wrote itself, and is not there once another study is chosen.
    """
    known: dict[str, str] = st.session_state.setdefault(_ANSWERED, {})
    return known


def _complain(name: str, why: str, instead: str = "") -> None:
    """Keep a sentence for the end of the run."""
    said = in_markdown(f"{name}={shorten(st.query_params[name])}")
    sentence = f"The link asks for {said}, which {why}: {instead or 'it is left out'}."
    st.session_state.setdefault(_SENTENCES, {}).setdefault(sentence, False)


def _in_words(option: Option, value: Any) -> str:
    """What a setting is, as its widget shows it; empty where it is nothing."""
    if option.kind is bool:
        return "on" if value else "off"
    there = [each for each in (value if option.many else [value]) if each not in (None, "")]
    known = option.choices
    return in_markdown(
        listed([known[each].title if each in known else str(each) for each in there])
    )
