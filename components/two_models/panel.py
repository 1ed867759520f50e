"""The panel of two models: scores by layer, how many words a map needs, a pair, confusions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import cast

import streamlit as st

from components.shared import charts, markdown, query
from components.shared.layout import control_row, finding, folded, notes
from components.shared.panels import panel
from components.shared.runs import run_layer
from components.shared.runs.run_panel import run_address, table_download
from components.shared.settings import current, setting_widget
from components.two_models.tagged_pair import show_pair
from components.two_models.wording import SHOWN, against_paper, figures, verdict
from isogloss.figures.experiments.two_models import (
    confusion_figure,
    describe_lines,
    setup_lines_figure,
    word_curve_figure,
)
from isogloss.formatting import percent
from isogloss.lab.runs.run import Run
from isogloss.lab.two_models.plan import TwoModelsPlan
from isogloss.lab.two_models.reading import SETUPS
from isogloss.lab.two_models.results import (
    TwoModelsResults,
    read_results,
    score_table,
)
from isogloss.lab.two_models.tasks import TASKS
from isogloss.options import Option, option, options_of, titled
from isogloss.published import CONNEAU_2020
from isogloss.text.language_names import language_name

_PAGE = "two-models"


@dataclass(frozen=True)
class TwoModelsView:
    """What is on show of a run; each has its own tasks, measures and sentences."""

    task: str = option("", "", title="Task", choices=TASKS, explain=False)
    measure: str = option("", "", title="Measure")
    pair: int = option(0, "", title="Sentence", least=0)


_SETTINGS = options_of(TwoModelsView)


@panel
def layer_panel(run: Run) -> None:
    """The slider of the layer at which the models are joined, for the sidebar."""
    found = _read(run)
    task = current(_task(found), _PAGE)
    measure = current(_measure(task), f"{_PAGE}-{task}")
    run_layer.slider(
        run,
        found.layers(task),
        found.best_layer(task, measure),
        "Of the source's model; the others are read at the same share of their depth.",
    )


@panel
def two_models_panel(run: Run) -> None:
    """What a run found: in a sentence, by layer, and at one layer; the rest is folded."""
    found = _read(run)
    with control_row():
        task = _choose(_task(found), _PAGE)
        measure = _choose(_measure(task), f"{_PAGE}-{task}")
    layer = run_layer.current(run, found.layers(task), found.best_layer(task, measure))
    finding(verdict(found, task, measure))
    _show_lines(run, found, task, measure, layer)
    _show_numbers(found, task, measure, layer)
    with folded("Parallel words the map needs", ":material/show_chart:") as opened:
        if opened:
            _show_words(found, task, measure, layer)
    with folded("One sentence in both languages", ":material/translate:") as opened:
        if opened:
            _show_pairs(found, task, layer)
    with folded("What is taken for what", ":material/grid_on:") as opened:
        if opened:
            _show_confusions(found, task, layer)
    notes(
        figures(found, task, measure),
        "\n".join(
            f"- **{SETUPS[name].title}**: {SETUPS[name].explanation}."
            for name in found.setups(task)
        ),
        _basis(found, task),
        *_paper(found),
    )
    table_download(score_table(found), f"isogloss-two-models-{run.id}")
    query.write(
        run=run_address(run),
        **_task(found).written(task),
        **_measure(task).written(measure),
        layer=str(layer),
        **query.kept("pair"),
    )


def _read(run: Run) -> TwoModelsResults:
    return read_results(cast(TwoModelsPlan, run.plan), run.results())


def _task(found: TwoModelsResults) -> Option:
    tasks = {name: TASKS[name] for name in found.tasks}
    return _SETTINGS["task"].but(choices=tasks, default=found.tasks[0])


def _measure(task: str) -> Option:
    measures = titled(TASKS[task].measures)
    return _SETTINGS["measure"].but(choices=measures, default=next(iter(measures)))


def _choose(option: Option, page: str) -> str:
    """A row of buttons; what there is only one of is not asked for."""
    if len(option.choices) == 1:
        return str(current(option, page))
    return str(setting_widget(option, page, buttons=True, on_change=charts.redraw_page))


def _show_lines(run: Run, found: TwoModelsResults, task: str, measure: str, layer: int) -> None:
    def click(x: float, y: float) -> None:
        if round(x) in found.layers(task):
            run_layer.move(run, round(x))

    charts.show_clickable(
        partial(setup_lines_figure, found, task, measure, layer, charts.mode()),
        "two-models-lines",
        describe_lines(found, task, measure),
        click,
        picture="isogloss-two-models",
    )


def _show_numbers(found: TwoModelsResults, task: str, measure: str, layer: int) -> None:
    """What every set-up that the sentence compares reads at the chosen layer."""
    there = [name for name in SHOWN if name in found.setups(task)]
    at = found.layers(task).index(layer)
    for column, name in zip(st.columns(len(there)), there, strict=True):
        line = found.line(task, measure, name)
        ends = (
            f" Its 95 % interval over seeds is {percent(line.low[at])} to {percent(line.high[at])}."
            if line.has_interval
            else ""
        )
        column.metric(
            SETUPS[name].title,
            percent(line.mean[at]),
            help=f"{SETUPS[name].explanation.capitalize()}, at layer {layer}.{ends}",
        )


def _show_words(found: TwoModelsResults, task: str, measure: str, layer: int) -> None:
    line = found.word_line(task, measure, layer)
    charts.show(
        partial(word_curve_figure, found, task, measure, layer, charts.mode()),
        "two-models-words",
        f"Score by pairs of parallel words, from {line.places[0]:,} to {line.places[-1]:,}",
    )
    st.caption(
        "The same network every time; only the map is learned from fewer pairs of words, drawn "
        "at random for each seed."
    )


def _show_pairs(found: TwoModelsResults, task: str, layer: int) -> None:
    pairs = found.shown(task, layer)
    if not pairs:
        st.caption("The bundled sample has no sentence in these languages.")
        return
    source, target = map(language_name, found.plan.languages)
    names = [" ".join(word.text for word in pair.source) for pair in pairs]
    asked = _SETTINGS["pair"].but(choices=titled(dict(enumerate(names))))
    number = setting_widget(asked, _PAGE, label_visibility="collapsed")
    query.add(**asked.written(number))
    show_pair(pairs[number], source, target)
    st.caption(
        "Sentences of the bundled sample that neither the network nor the map has seen, read with "
        "the first seed. What is struck out differs from the tag given by hand; hover to see it."
        if task == "upos"
        else "Sentences of the bundled sample, read with the first seed; they have no trees or "
        "entities by hand. ← names the head."
    )


def _show_confusions(found: TwoModelsResults, task: str, layer: int) -> None:
    charts.show(
        partial(confusion_figure, found, task, layer, charts.mode()),
        "two-models-confusions",
        f"What the network takes for what through the map at layer {layer}",
        picture="isogloss-two-models-confusions",
    )
    relations = " Relations, whatever the head." if TASKS[task].trees else ""
    st.caption(f"Through the map at layer {layer}, over all seeds; a row adds up to 1.{relations}")


def _paper(found: TwoModelsResults) -> tuple[str, str]:
    """What the paper found beside what the run has, as a table, and which paper that is."""
    rows = "\n".join(
        f"| {claim.about} | {claim.paper} | {claim.here} |" for claim in against_paper(found)
    )
    return (
        f"| | {CONNEAU_2020.short} | This run |\n|---|---|---|\n{rows}",
        f"{CONNEAU_2020.full}, section 5.1.2 and figure 5, which has curves and no table: "
        "monolingual models of eight layers, a map from 10,000 sentence pairs of XNLI, and four "
        "transformer layers that are trained on top. Ours at each one's best layer.",
    )


def _basis(found: TwoModelsResults, task: str) -> str:
    plan = found.plan
    seeds = (
        "There is one seed, so there are no intervals."
        if len(plan.seeds) == 1
        else f"Bands are t intervals (95 %) over {len(plan.seeds)} seeds: how far a mean moves "
        "with other networks and another order of words, not with other sentences."
    )
    network = (
        f"{plan.depth} transformer layers and a head" if plan.depth else "a head without layers"
    )
    return (
        f"The network is {network}, trained on "
        f"{markdown.language_name(plan.source_language)} alone ({TASKS[task].explanation}). The "
        "map is orthogonal, learned after iterative normalisation (Zhang et al. 2019). Scored on "
        f"{markdown.in_markdown(plan.evaluate)}. {seeds}"
    )
