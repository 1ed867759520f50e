"""What stands beside accuracy over frozen layers: its tie to alignment, and two runs subtracted."""

from __future__ import annotations

from functools import partial

import numpy as np
import streamlit as st

from components.shared import background, charts
from components.shared.markdown import in_markdown
from components.shared.studies.model_names import model_name
from components.transfer.lines import TransferShown, line_colors, ordered_languages
from components.transfer.view import TransferView
from isogloss.figures.experiments.transfer_companions import (
    AlignmentPoints,
    alignment_figure,
    difference_figure,
)
from isogloss.formatting import percent
from isogloss.lab.transfer.comparison import Difference, compare
from isogloss.lab.transfer.results import TransferResults
from isogloss.map.maps import LinksAndScores, MapLinks
from isogloss.measures.coordinates import DEFAULT_COORDINATES
from isogloss.measures.correlation import Correlation
from isogloss.measures.uncertainty import LEVEL
from isogloss.models.presets import display_name
from isogloss.studies.study import Study
from isogloss.text.language_names import language_name

ALIGNMENT = "Words nearest to their translation"


def alignment_by_layer(study: Study | None) -> LinksAndScores | None:
    """How many words have their translation nearest at each layer, as on the token map.

    Sentences would not do: in a good model all find their translation at nearly every layer.
    """
    if study is None:
        return None
    return background.answer(MapLinks(study.key), "Ranking translations at every layer")


def show_correlation(
    results: TransferResults,
    selection: str,
    study: Study | None,
    words: LinksAndScores | None,
    layer: int | None,
) -> None:
    """Each N as a point, and the correlations with their n; or what to do to have them."""
    if study is None:
        st.info(
            f"There is no study of {in_markdown(display_name(results.model))} on a bundled text in "
            "these languages. Open **Your text** and extract the news: how well its words are "
            "aligned at each layer appears here.",
            icon=":material/info:",
        )
        return
    if words is None:
        return
    if words.scores is None:
        st.info(f"{words.scored.describe()} So there is no alignment to set accuracy against.")
        return
    alignment = words.scores.nearest_share
    colors = line_colors(results, charts.mode())
    points, said = [], []
    for code in ordered_languages(results):
        if code not in study.languages:
            continue
        accuracy = results.mean(selection)[:, results.languages.index(code)]
        there = [i for i, n in enumerate(results.frozen) if n >= 0 and np.isfinite(accuracy[i])]
        frozen = [results.frozen[i] for i in there]
        points.append(
            AlignmentPoints(
                language_name(code), colors[code], frozen, alignment[frozen], accuracy[there]
            )
        )
        found = results.correlation(selection, code, alignment)
        said.append(
            f"{in_markdown(language_name(code))}: {found.reason}"
            if found.pearson is None or found.spearman is None
            else f"{in_markdown(language_name(code))}: Pearson **{found.pearson:.2f}**"
            f"{_between(found)}, Spearman **{found.spearman:.2f}**, n = {found.n}".replace("-", "−")
        )
    charts.show(
        partial(
            alignment_figure,
            points,
            layer,
            f"{ALIGNMENT} on {study.text_title} ({words.scored.badge})",
            charts.mode(),
        ),
        "transfer-alignment",
        "Accuracy against the alignment of the last frozen layer, one point for each N",
        picture=f"isogloss-alignment-{display_name(results.model)}".replace("/", "-"),
    )
    st.caption(
        "  \n".join(said),
        help="The post this page repeats found that Chinese accuracy follows alignment and English "
        "hardly moves. N = −1 freezes no layer and is left out. Layers are few and each resembles "
        "the next, so a correlation describes and proves nothing; its interval (Fisher) takes "
        "layers for independent and is too narrow.",
    )
    st.caption(
        f"Alignment is the share of linked words ({len(words.scored.pairs):,} links) whose nearest "
        f"word of the other language at layer N is their translation, in "
        f"{in_markdown(model_name(study))} on {in_markdown(study.entry.facts['corpus'])}, "
        f"{DEFAULT_COORDINATES} coordinates. "
        f"{words.scored.describe()} N = −1 has no layer."
    )


def _between(found: Correlation) -> str:
    if found.interval is None:
        return ""
    low, high = found.interval
    return f" ({percent(LEVEL, 0)}: {low:.2f} to {high:.2f})"


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
