"""Whether accuracy follows alignment: a sweep beside the retrieval scores of the same model."""

from __future__ import annotations

from typing import cast

import numpy as np
import streamlit as st

from components import charts, loading
from components.figures.transfer_companions import AlignmentPoints, alignment_figure
from components.languages import language_name
from components.model_names import model_name
from components.transfer_lines import line_colors, ordered_languages
from isogloss.alignment import METRICS
from isogloss.jobs import Run
from isogloss.stacks import Array
from isogloss.studies import Study
from isogloss.study_retrieval import SentenceRetrieval
from isogloss.sweep_results import SweepResults
from isogloss.transfer import SweepPlan

ALIGNMENT = METRICS[0]


def study_of(run: Run, shown: Study | None) -> Study | None:
    """A study of the run's model and languages: the one on show if it is that, else the first."""
    plan = cast(SweepPlan, run.plan)
    fingerprint = run.facts.get("model", {}).get("fingerprint")

    def fits(study: Study) -> bool:
        same = study.model == plan.model or study.entry.record.get("model") == fingerprint
        target = [code for code in study.languages if code != plan.source_language]
        return (
            same
            and study.n_layers == plan.n_layers
            and plan.source_language in study.languages
            and all(code in plan.languages for code in target)
        )

    if shown is not None and fits(shown):
        return shown
    return next((study for study in loading.studies() if fits(study)), None)


def alignment_by_layer(study: Study | None) -> Array | None:
    """How well sentences find their translations at each layer, (L + 1,), both ways averaged."""
    if study is None:
        return None
    scores = loading.answer(SentenceRetrieval(study.key), "Searching at every layer")
    return None if scores is None else scores.curve(ALIGNMENT.name)


def show_correlation(
    results: SweepResults,
    selection: str,
    study: Study | None,
    alignment: Array | None,
    layer: int | None,
) -> None:
    """Each N as a point, and the correlations with their n; or what to do to have them."""
    st.markdown("**Does accuracy follow alignment?**")
    if study is None:
        st.info(
            f"There is no study of {results.model} in these languages. Open **Your text** and "
            "extract one: its retrieval score at each layer appears here.",
            icon=":material/info:",
        )
        return
    if alignment is None:
        return
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
            f"{language_name(code)}: {found.reason}"
            if found.pearson is None or found.spearman is None
            else f"{language_name(code)}: Pearson **{found.pearson:.2f}**, Spearman "
            f"**{found.spearman:.2f}**, n = {found.n}".replace("-", "−")
        )
    charts.show(
        alignment_figure(points, layer, ALIGNMENT.title, charts.mode()),
        "transfer-alignment",
        "Accuracy against the alignment of the last frozen layer, one point for each N",
        picture=f"isogloss-alignment-{results.model}".replace("/", "-"),
    )
    st.caption(
        "  \n".join(said),
        help="The post this page repeats found that Chinese accuracy follows alignment and English "
        "hardly moves. N = −1 freezes no layer and is left out. Layers are few and each resembles "
        "the next, so a correlation describes and proves nothing.",
    )
    st.caption(
        f"Alignment is the share of sentences that find their translation first at layer N, in "
        f"{model_name(study)} on {study.entry.facts['corpus']}, as on **Retrieval**. "
        "N = −1 has no layer."
    )
