"""The sentences page's panel: what English alone changed, by pooling, layer and similarity."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import streamlit as st

from components.sentences.wording import best_layers, headline, sts_table, verdict
from components.shared import charts, loading, markdown, query
from components.shared.layout import finding, finding_and_settings, folded, notes
from components.shared.panels import panel
from components.shared.runs import run_layer
from components.shared.runs.run_panel import run_address, table_download
from components.shared.settings import setting_widget
from isogloss.figures.experiments.error_bars import (
    describe_errors,
    error_bars_figure,
    error_curves_figure,
)
from isogloss.formatting import change, percent
from isogloss.lab.runs.run import Run
from isogloss.lab.sentences.encoder import ENCODER_POOLINGS
from isogloss.lab.sentences.results import (
    BOTH,
    Errors,
    SentencesResults,
    error_table,
    read_sentence_results,
)
from isogloss.lab.sentences.training import OBJECTIVES
from isogloss.options import Option, option, options_of
from isogloss.published import CESHINE_2019, ERROR_REDUCTION
from isogloss.text.language_names import language_name


@dataclass(frozen=True)
class SentencesView:
    """What is on show of a run; where nothing was chosen, what the run itself trained."""

    pooling: str = option("mean", "", title="Pooling", choices=ENCODER_POOLINGS)
    objective: str = option("", "", title="Compare the model trained to", choices=OBJECTIVES)


_SETTINGS = options_of(SentencesView)


@panel
def layer_panel(run: Run) -> None:
    """The slider of the layer whose errors are on show, for the sidebar."""
    found, _ = loading.findings(run, _read)
    if found is not None:
        run_layer.slider(run, range(found.n_layers + 1), found.layer)


@panel
def sentences_panel(run: Run) -> None:
    """The run on show: its finding, errors by pooling and layer, the post, and STS."""
    found, verdicts = loading.findings(run, _read)
    if found is None:
        st.info("The model is being measured as it is.", icon=":material/join:")
        return
    layer = run_layer.current(run, range(found.n_layers + 1), found.layer)
    place, settings = finding_and_settings()
    with place:
        finding(
            headline(found)
            if found.after
            else "This is the model before training; the first training is under way."
        )
    with settings:
        pooling, objective = _choose_view(found)
    _show_curves(run, found, pooling, layer)
    _show_numbers(found, pooling, layer)
    with folded("Both directions, every pooling", ":material/bar_chart:") as opened:
        if opened:
            _show_bars(found, layer)
    if found.after:
        with folded("Beside the post, and people's judgements", ":material/table:") as opened:
            if opened:
                _show_post(found, objective)
                _show_sts(found, objective)
    notes(*(f"**{answer}** {figures}" for answer, figures in verdicts), _basis(found))
    table_download(error_table(found), f"isogloss-sentences-{run.id}")
    _write_address(run, found, layer, pooling, objective)


def _read(run: Run) -> tuple[SentencesResults | None, list[tuple[str, str]]]:
    """The run's figures and what they come to; resampling sentences takes a while."""
    found = read_sentence_results(run)
    return found, [verdict(found, objective) for objective in found.after] if found else []


def _choose_view(found: SentencesResults) -> tuple[str, str]:
    """Which pooling the curves are of, and which training is compared; both in the address."""
    with st.popover("Settings", icon=":material/tune:", width="stretch"):
        pooling = setting_widget(_pooling(found), "sentences", buttons=True)
        if not found.after:
            return pooling, ""
        short = {"format_func": lambda name: OBJECTIVES[name].title.lower()}
        return pooling, setting_widget(_objective(found), "sentences", buttons=True, **short)


def _pooling(found: SentencesResults) -> Option:
    return _SETTINGS["pooling"].but(default=found.plan.pooling)


def _objective(found: SentencesResults) -> Option:
    known = {name: OBJECTIVES[name] for name in found.after}
    return _SETTINGS["objective"].but(choices=known, default=next(reversed(known), ""))


def _show_bars(found: SentencesResults, layer: int) -> None:
    trained = ", the one that was trained" if layer == found.layer else ""
    st.markdown(f"**Sentences that miss their translation, layer {layer}**{trained}")
    charts.show(
        partial(error_bars_figure, found, layer, charts.mode()),
        "sentences-errors",
        describe_errors(found, layer),
        picture="isogloss-sentences",
    )
    st.caption(
        "The nearest sentence of the other language, by cosine, is not the translation. Lines are "
        "95 % intervals, dots are seeds. The numbers are the change of the error, relative to the "
        "same pooling before training."
    )


def _show_curves(run: Run, found: SentencesResults, pooling: str, layer: int) -> None:
    best = best_layers(found, pooling)
    charts.show_clickable(
        partial(error_curves_figure, found, pooling, layer, charts.mode()),
        "sentences-curves",
        f"Error by layer, {ENCODER_POOLINGS[pooling].title} pooling. {best}",
        lambda x, y: run_layer.move(run, round(x)),
        picture="isogloss-sentences-layers",
    )
    st.caption("Sentences that miss their translation. Click a layer.")


def _show_numbers(found: SentencesResults, pooling: str, layer: int) -> None:
    """The errors at the chosen layer, before and after each training."""
    place = list(ENCODER_POOLINGS).index(pooling)
    columns = st.columns(max(1 + len(found.after), 3))
    trained = ", the trained one" if layer == found.layer else ""
    before = found.before.values[place, layer, BOTH]
    columns[0].metric(
        f"Before, layer {layer}{trained}", percent(before), help=_ends(found.before, place, layer)
    )
    for column, (name, errors) in zip(columns[1:], found.after.items(), strict=False):
        reduction = found.reduction(name, baseline=pooling, pooling=pooling, layer=layer)
        ends = (
            f"{change(reduction.high[BOTH])} to {change(reduction.low[BOTH])}"
            if np.isfinite(reduction.values[BOTH])
            else None
        )
        column.metric(
            f"Trained to {OBJECTIVES[name].title.lower()}",
            percent(errors.values[place, layer, BOTH]),
            ends,
            delta_color="off",
            delta_arrow="off",
            help=f"{_ends(errors, place, layer)} In grey: the 95 % interval of the change against "
            "the same pooling before training.",
        )


def _ends(errors: Errors, place: int, layer: int) -> str:
    low, high = (percent(each[place, layer, BOTH]) for each in (errors.low, errors.high))
    return f"With other sentences it would lie between {low} and {high} (95 %)."


def _show_post(found: SentencesResults, objective: str) -> None:
    pooling = found.plan.pooling
    source, target = found.languages
    reductions = [found.reduction(objective, baseline=name) for name in ENCODER_POOLINGS]
    st.markdown("**Against the baselines before training, as in the post**")
    st.dataframe(
        {
            "Baseline": [each.title for each in ENCODER_POOLINGS.values()],
            f"{source} → {target}": [change(each.values[0]) for each in reductions],
            f"{target} → {source}": [change(each.values[1]) for each in reductions],
            "The post, at most": [change(ERROR_REDUCTION[name]) for name in ENCODER_POOLINGS],
        },
        hide_index=True,
        key="sentences-post",
        alt="Change of the error against each baseline, here and in the post",
    )
    st.caption(
        f"Change of the error from each baseline to the trained {ENCODER_POOLINGS[pooling].title} "
        "vectors. The post trained multilingual BERT on SNLI and MultiNLI and gives the largest "
        f"reduction among its languages: a reference on other sentences. {CESHINE_2019.full}."
    )


def _show_sts(found: SentencesResults, objective: str) -> None:
    titles = _set_titles(found.sts_names)
    st.markdown("**Do similarities follow people's? Before → after**")
    st.dataframe(
        sts_table(found, objective, titles),
        hide_index=True,
        key="sentences-sts",
        alt="Correlation with people's similarities, before and after",
    )
    bundled = "" if found.plan.sts else " The bundled sets are small, so small changes mean little."
    st.caption(
        "Correlation of a similarity of two vectors with the score people gave the two sentences, "
        f"mean over seeds, {ENCODER_POOLINGS[found.plan.pooling].title} of layer {found.layer}; "
        f"distances are negated.{bundled}"
    )


def _set_titles(names: Sequence[str]) -> list[str]:
    """Languages by their names, such as English–Chinese for en–zh."""
    return ["–".join(map(language_name, name.split("–"))) for name in names]


def _basis(found: SentencesResults) -> str:
    plan = found.plan
    seeds = max((len(errors.by_seed) for errors in found.after.values()), default=0)
    source, target = map(markdown.language_name, found.languages)
    frozen = (
        "nothing is frozen"
        if plan.frozen < 0
        else "the embeddings are frozen"
        + (f", and so are blocks 1 to {plan.frozen}" if plan.frozen else "")
    )
    return (
        f"{found.rows:,} pairs of {source} and {target} sentences, each searched among all of the "
        f"other side; chance misses {percent(1 - 1 / found.rows)}. Training saw English alone; "
        f"{frozen}. Each seed draws its own examples, order and dropout; {seeds} finished. "
        "Intervals say how far an error would move with other sentences."
    )


def _write_address(
    run: Run, found: SentencesResults, layer: int, pooling: str, objective: str
) -> None:
    query.write(
        run=run_address(run),
        layer=query.blank_if_default(str(layer), str(found.layer)),
        **_pooling(found).written(pooling),
        **_objective(found).written(objective),
    )
