"""Two runs subtracted, and what cannot be."""

from __future__ import annotations

from functools import partial

import streamlit as st

from components.shared import charts
from components.shared.markdown import in_markdown
from components.transfer.lines import line_colors
from components.transfer.shown import TransferShown
from components.transfer.view import TransferView
from isogloss.figures.experiments.transfer_companions import difference_figure
from isogloss.lab.transfer.comparison import Difference, compare
from isogloss.text.language_names import language_name


def show_difference(shown: TransferShown, other: TransferShown, view: TransferView) -> None:
    """By how many points the second is more accurate, for each N and language."""
    results = shown.results
    found = compare(results, other.results, view.selection)
    _say_what_is_compared(found)
    if not found.frozen or not found.languages:
        return
    first, second = (
        f"{in_markdown(each.plan.title)} ({each.id})" for each in (shown.run, other.run)
    )
    st.markdown(f"**{second}** minus {first}")
    colors = line_colors(results, charts.mode())
    charts.show(
        partial(
            difference_figure,
            found.frozen,
            [
                (language_name(code), colors[code], found.values[:, i])
                for i, code in enumerate(found.languages)
            ],
            results.n_layers,
            charts.mode(),
            "share" if found.by_share else view.axis,
        ),
        "transfer-difference",
        "By how many points the second run is more accurate, for each N",
        picture=f"isogloss-transfer-{shown.run.id}-{other.run.id}",
    )


def _say_what_is_compared(found: Difference) -> None:
    """Say where two runs cannot be subtracted, and by what the rest is matched."""
    if found.other_tests:
        names = in_markdown(", ".join(map(language_name, found.other_tests)))
        st.caption(
            f"{names}: the two runs were tested on different pairs, so nothing is subtracted."
        )
    if not found.frozen or (not found.languages and not found.other_tests):
        what = "share of frozen layers" if found.by_share else "N"
        st.caption(f"The two runs have no {what} and language in common to subtract.")
    elif found.by_share and found.languages:
        st.caption("The models differ in depth: equal shares of frozen layers are compared.")
