"""The river: a language's share by layer, one word's own, and what leads at the layer."""

from __future__ import annotations

from functools import partial

import streamlit as st

from components.inner_language.computing import kept_or_computed, offer
from components.inner_language.controls import (
    PAGE,
    SETTINGS,
    choose_layer,
    mark_layer,
    marked_layer,
    opening,
)
from components.shared import charts, loading, query
from components.shared.layout import chart_columns, control_row, finding
from components.shared.markdown import in_markdown, in_table
from components.shared.settings import setting_widget
from isogloss.figures.river import river_figure, word_figure
from isogloss.inner_language import bands
from isogloss.inner_language.questions import kept_questions
from isogloss.inner_language.random_weights import with_random_weights
from isogloss.inner_language.river import River, RiverAnswer
from isogloss.inner_language.token_languages import language_of
from isogloss.models.presets import display_name
from isogloss.options import titled, to_query
from isogloss.published import WENDLER_2024
from isogloss.text.language_names import language_name

_COST = "About a minute for Gemma, ten for Qwen, seconds for mini-en-zh, on a laptop."


def river_part(model: str) -> None:
    """The chosen river, or the button that computes it."""
    asked = opening(River, model)
    with control_row():
        task = setting_widget(asked["task"], PAGE)
        source = River.source
        if task == "translate":
            source = setting_widget(asked["source"], PAGE)
        target = setting_widget(asked["target"], PAGE)
        words = setting_widget(asked["words"], PAGE)
        reading = setting_widget(SETTINGS["reading"], PAGE)
    question = River(model, source, target, task, words)
    query.add(**to_query(question) | SETTINGS["reading"].written(reading))
    answer = kept_or_computed(question, f"The river of {question.describe()}", _COST)
    if answer is None:
        kept = kept_questions(River, model, loading.the_store())
        if kept:
            st.caption(f"Kept for this model: {', '.join(each.describe() for each in kept)}.")
        return
    beside = with_random_weights(question)
    random = loading.kept_answer(beside) if beside is not None else None
    said = bands.finding(answer, random)
    finding(f"{in_markdown(display_name(model))}, {question.describe()}: {said}")
    first = bands.opening_layer(answer)
    layer = marked_layer(answer.n_layers, first)
    left, right = chart_columns([1.8, 1], "river-columns")
    with left:
        charts.show_clickable(
            partial(river_figure, answer, layer, reading, charts.mode(), random),
            "river",
            "Probability by language at each layer",
            lambda x, y: mark_layer(x),
            picture=f"river-{source}-{target}",
        )
        choose_layer(answer.n_layers, first)
        st.caption(_caption(answer))
        if beside is not None and random is None:
            offer(beside, "Compare with a random model")
    with right:
        _show_word(answer, layer)


def _caption(answer: RiverAnswer) -> str:
    return (
        f"{bands.caveat(answer)} In Llama-2, {WENDLER_2024.short} saw English ahead of the target "
        "until the last layers."
    )


def _show_word(answer: RiverAnswer, layer: int) -> None:
    """One word's own curve, and the tokens that lead where it is asked for."""
    names = [str(each) for each in answer.words]
    setting = SETTINGS["word"].but(choices=titled({name: name for name in names}), default=names[0])
    asked = query.read(setting)
    word = st.selectbox(
        setting.title,
        range(len(names)),
        index=names.index(asked),
        format_func=lambda i: f"{answer.given[i]} → {answer.wanted[i]} ({names[i]})",
        key=f"{PAGE}-word",
    )
    query.add(**setting.written(names[word]))
    charts.show(
        partial(word_figure, answer, word, layer, charts.mode()), "river-word", "One word's share"
    )
    st.dataframe(
        {
            "Leads here": [in_table(each) for each in answer.leading(layer, word)],
            "Language": [_name(each) for each in answer.leading(layer, word)],
            "Share": [float(each) for each in answer.shares[layer, word]],
        },
        hide_index=True,
        height=212,
        column_config={"Share": st.column_config.NumberColumn(format="%.2f", width=64)},
        key="river-tokens",
        alt=f"What leads at layer {layer}",
    )


def _name(token: str) -> str:
    code = language_of(token)
    return language_name(code) if code else ""
