"""The widgets of a form, made from what plans declare (`isogloss.options`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

import streamlit as st

from isogloss.options import Option, options_of

MOST_SEEDS = 20


def option_help(plan: type, name: str) -> str:
    """What a plan says of an option, and of each choice there is."""
    option = options_of(plan)[name]
    said = f"{option.help[:1].upper()}{option.help[1:]}."
    choices = [f"**{each.title}**: {each.explanation}" for each in option.choices.values()]
    return "\n\n".join((said, *choices))


def option_widget(plan: type, name: str, form: str, place: Any = st, **changed: Any) -> Any:
    """The widget of one option; returns its value.

    `form` begins its key, `changed` are arguments of the widget that differ from the declaration.
    """
    option = options_of(plan)[name]
    given = {"label": option.title, "key": f"{form}-{name}", "help": option_help(plan, name)}
    make, more = _widget(option, place)
    return make(**{**given, **more, **changed})


def option_buttons(plan: type, name: str, form: str, **changed: Any) -> str:
    """An option with few choices as a row of buttons; returns the one that is chosen."""
    option = options_of(plan)[name]
    given: dict[str, Any] = {
        "label": option.title,
        "options": list(option.choices),
        "format_func": lambda choice: option.choices[choice].title,
        "default": option.default,
        "required": True,
        "key": f"{form}-{name}",
        "help": option_help(plan, name),
    }
    return cast(str, st.segmented_control(**{**given, **changed}))


def choose_source(label: str, titles: Mapping[str, str], key: str, help: str) -> str:
    """Where the data of a run comes from, the first by default."""
    chosen = st.segmented_control(
        label,
        list(titles),
        format_func=titles.__getitem__,
        default=next(iter(titles)),
        required=True,
        key=key,
        help=help,
    )
    return cast(str, chosen)


def option_widgets(
    plan: type, names: Sequence[str], form: str, columns: Sequence[Any], **changed: Any
) -> dict[str, Any]:
    """The widgets of several options, one column after the other; `changed` is by option."""
    return {
        name: option_widget(plan, name, form, columns[i % len(columns)], **changed.get(name, {}))
        for i, name in enumerate(names)
    }


def choose_seeds(plan: type, form: str, first: int | None = None) -> tuple[int, ...]:
    """How many seeds, counted from 0; `first` are offered, or as many as the plan has."""
    count = st.number_input(
        options_of(plan)["seeds"].title,
        1,
        MOST_SEEDS,
        first or len(options_of(plan)["seeds"].default),
        key=f"{form}-seeds",
        help=option_help(plan, "seeds"),
        width=110,
    )
    return tuple(range(count))


def _widget(option: Option, place: Any) -> tuple[Any, dict[str, Any]]:
    """The kind of widget that suits an option, and its arguments."""
    if option.kind is bool:
        return place.toggle, {"value": option.default}
    if option.choices:
        names = list(option.choices)
        shown = {"options": names, "format_func": lambda name: option.choices[name].title}
        if option.many:
            return place.multiselect, shown | {"default": list(option.default)}
        start = names.index(option.default) if option.default else 0
        return place.selectbox, shown | {"index": start}
    if option.values:
        rates = {"options": option.values, "value": option.default}
        return place.select_slider, rates | {"format_func": "{:.0e}".format}
    if option.kind in (int, float):
        bounds = {"min_value": option.least, "max_value": option.most, "value": option.default}
        return place.number_input, bounds | {"placeholder": option.none or None}
    return place.text_input, {"value": option.default or ""}
