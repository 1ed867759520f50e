"""The choices that a page's address (the URL's query) carries, read and written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TypeVar

import streamlit as st

Option = TypeVar("Option", bound=str)

_LEFT_ALONE = "address-left-alone"
TOUR = "tour-text"
"""Under it the session has the presenter's tour, which every page's address carries."""


def choice(name: str, allowed: Sequence[Option], default: Option) -> Option:
    """The query's value if it is among `allowed`, else the default."""
    value = st.query_params.get(name)
    return next((option for option in allowed if option == value), default)


def number(name: str, highest: int, default: int) -> int:
    """The query's number, at most `highest`; the default where there is none."""
    found = _number(st.query_params.get(name, ""))
    return default if found is None else min(found, highest)


def numbers(name: str, count: int) -> tuple[int, ...]:
    """The numbers from 0 to `count` - 1 that the query gives with dots between them."""
    found = map(_number, st.query_params.get(name, "").split("."))
    return tuple({each: None for each in found if each is not None and each < count})


def key(name: str, keys: Iterable[str]) -> str | None:
    """The first of `keys` that begins with what the query says; None where it says nothing."""
    start = st.query_params.get(name)
    return next((each for each in keys if each.startswith(start)), None) if start else None


def _number(text: str) -> int | None:
    """What people write as a number: not ², which Python calls a digit, nor 5,000 of them."""
    return int(text) if re.fullmatch("[0-9]{1,9}", text) else None


def blank_if_default(value: str, default: str) -> str:
    """The value for the query, empty where it is the default, so that links stay short."""
    return "" if value == default else value


def write(**wanted: str) -> None:
    """Make the address bar say this and nothing else; what is empty is left out."""
    if tour := st.session_state.get(TOUR):
        wanted = {"tour": tour, "step": st.query_params.get("step", "")} | wanted
    wanted = {name: value for name, value in wanted.items() if value}
    there = st.query_params.to_dict()
    if there not in (wanted, st.session_state.get(_LEFT_ALONE)):
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
    dead = bool(st.query_params.get(name)) and key(name, keys) is None
    if dead:
        st.session_state[_LEFT_ALONE] = st.query_params.to_dict()
    return dead


def drop(name: str) -> None:
    """Take a name out of the address, because something else was chosen."""
    if name in st.query_params:
        del st.query_params[name]
