"""The widgets of a page's settings, made from what questions and views declare.

A widget begins where the page's address says. What was chosen goes back there by
`isogloss.options.to_query`, which leaves defaults out.
"""

from __future__ import annotations

from typing import Any

import streamlit as st

from components.shared import query
from isogloss.options import Described, Option

MOST_STEPS = 500
"""A number that can be more different things is typed, and not found with a slider."""


def current(option: Option, page: str) -> Any:
    """A setting as it was left in this session, else as the address says."""
    key = f"{page}-{option.address}"
    if key not in st.session_state:
        return query.read(option)
    if not option.offers(st.session_state[key]):
        st.session_state[key] = query.read(option)
    return st.session_state[key]


def setting_widget(
    option: Option,
    page: str,
    place: Any = st,
    *,
    buttons: bool = False,
    fixed: Any = None,
    **changed: Any,
) -> Any:
    """Show the widget of a setting; returns its value.

    `page` begins its key. `buttons` shows all choices in a row. Where another setting leaves no
    choice, `fixed` is the value, which is shown and cannot be changed. `changed` are arguments of
    the widget beside what is declared; `option.but(...)` has the choices that one study has.
    """
    is_fixed = fixed is not None
    value = fixed if is_fixed else current(option, page)
    given = {
        "label": option.title,
        "key": f"{page}-{option.address}{'-fixed' if is_fixed else ''}",
        "help": option.explained,
        "disabled": is_fixed,
    }
    make, more = widget_of(option, value, place, buttons=buttons)
    chosen = make(**{**given, **more, **changed})
    return tuple(chosen) if option.many else chosen


def kept_setting(option: Option, page: str, place: Any = st, **how: Any) -> Any:
    """The widget of a part of a page, which adds its own word to what the address says."""
    value = setting_widget(option, page, place, **how)
    query.add(**option.written(value))
    return value


def widget_of(
    option: Option, value: Any, place: Any, *, buttons: bool = False, typed: bool = False
) -> tuple[Any, dict[str, Any]]:
    """The kind of widget that suits an option, and its arguments; numbers may always be `typed`.

    It is told the value that it has already, too: one in a popover is put together in the browser
    when that is opened, perhaps some runs later, and would be empty otherwise.
    """
    if option.kind is bool:
        return place.toggle, {"value": value}
    if option.choices:
        names = list(option.choices)
        shown = {"options": names, "format_func": lambda name: _short(option.choices[name])}
        if option.many:
            return place.multiselect, shown | {"default": list(value)}
        if buttons:
            return place.segmented_control, shown | {"default": value, "required": True}
        return place.selectbox, shown | {"index": names.index(value) if value in names else 0}
    if option.values:
        return place.select_slider, {"options": option.values, "value": value}
    if option.kind is str:
        return place.text_input, {"value": value or ""}
    bounds = {"min_value": option.least, "max_value": option.most, "value": value}
    few = option.most is not None and option.most - (option.least or 0) <= MOST_STEPS
    if few and not typed:
        return place.slider, bounds
    return place.number_input, bounds | {"placeholder": option.none or None}


def _short(choice: Described) -> str:
    """What stands on a button: a table may have a shorter name for it than the title."""
    return str(getattr(choice, "short", choice.title))
