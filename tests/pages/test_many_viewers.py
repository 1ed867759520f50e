"""What is the same for all viewers is read and drawn once."""

from functools import partial

import pytest
from streamlit.testing.v1 import AppTest

from components.sentences import panel as sentences
from components.similarity import panel as similarity
from isogloss.figures.heatmaps import similarity_heatmap_figure
from isogloss.lab.runs import queue
from isogloss.lab.runs.queue import Runs
from isogloss.lab.sentences.plan import BEFORE
from tests.helpers.pages import figures
from tests.helpers.sentence_run import written_run

drawn, read = [], []


def drawn_and_counted(*words, **options):
    drawn.append(words)
    return similarity_heatmap_figure(*words, **options)


def read_and_counted(run):
    read.append(run.id)
    return read_sentences(run)


read_sentences = sentences._read


@pytest.fixture(autouse=True)
def count_anew():
    drawn.clear()
    read.clear()


def heatmap(app: AppTest) -> dict:
    assert not app.exception
    return figures(app)[0]


def test_a_figure_is_drawn_once_for_all_who_look_at_the_same(open_app, study, monkeypatch):
    monkeypatch.setattr(similarity, "similarity_heatmap_figure", drawn_and_counted)
    first, second = (heatmap(open_app("similarity", study=study.key, layer="1")) for _ in range(2))
    assert first == second
    assert len(drawn) == 1
    assert heatmap(open_app("similarity", study=study.key, layer="2")) != first
    assert len(drawn) == 2
    assert heatmap(open_app("similarity", study=study.key, layer="1")) == first
    assert len(drawn) == 2


def test_a_run_is_read_once_until_it_has_more_results(open_app, app_store, monkeypatch):
    monkeypatch.setattr(queue, "start_worker_process", lambda store: None)
    monkeypatch.setattr(sentences, "_read", read_and_counted)
    make_run = partial(written_run, Runs(app_store, shipped=None), app_store)
    run = make_run({BEFORE: 0.6, "softmax": 0.3})
    opened = [open_app("sentences", run=run.id) for _ in range(2)]
    assert not any(app.exception for app in opened)
    assert read == [run.id]
    unit, result = next(iter(run.results().items()))
    run.append(unit, result)  # as if something had come
    open_app("sentences", run=run.id)
    assert read == [run.id] * 2
