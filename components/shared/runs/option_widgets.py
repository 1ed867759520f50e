"""The widgets of a form, made from what plans declare (`isogloss.options`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

import streamlit as st

from components.shared.settings import widget_of
from isogloss.options import options_of

MOST_SEEDS = 20


def option_help(plan: type, name: str) -> str:
    """What a plan says of an option, and of each choice there is."""
    option = options_of(plan)[name]
    said = f"{option.help[:1].upper()}{option.help[1:]}."
    choices = [f"**{each.title}**: {each.explanation}" for each in option.choices.values()]
    return "\n\n".join((said, *choices))


def option_widget(
    plan: type, name: str, form: str, place: Any = st, *, buttons: bool = False, **changed: Any
) -> Any:
    """The widget of one option; returns its value.

    `form` begins its key, `changed` are arguments of the widget that differ from the declaration.
    """
    option = options_of(plan)[name]
    given = {"label": option.title, "key": f"{form}-{name}", "help": option_help(plan, name)}
    make, more = widget_of(option, option.default, place, buttons=buttons, typed=True)
    if option.values:
        more["format_func"] = "{:.0e}".format
    return make(**{**given, **more, **changed})


def option_buttons(plan: type, name: str, form: str, **changed: Any) -> str:
    """An option with few choices as a row of buttons; returns the one that is chosen."""
    return cast(str, option_widget(plan, name, form, buttons=True, **changed))


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
