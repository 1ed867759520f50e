"""Transfer: a sweep written by hand, its tie to alignment, and the form that starts one."""

import json
from base64 import b64decode
from dataclasses import replace

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from components import loading
from isogloss import jobs
from isogloss.activations import extract
from isogloss.jobs import Runs
from isogloss.published import TRANSFER_XNLI
from isogloss.studies import Study
from isogloss.study_retrieval import SentenceRetrieval
from isogloss.sweep_results import read_sweep
from isogloss.transfer import SweepPlan
from tests.pages.conftest import ROOT
from tests.sweeps import PLAN, write_sweep


@pytest.fixture(autouse=True)
def patience(monkeypatch):
    monkeypatch.setattr(loading, "PATIENCE", 60.0)


@pytest.fixture
def runs(app_store, monkeypatch) -> Runs:
    """The page's runs; nothing carries them out."""
    monkeypatch.setattr(jobs, "start_worker_process", lambda store: None)
    return Runs(app_store, shipped=None)


@pytest.fixture
def study(encoder, corpus, app_store) -> Study:
    return Study(extract(encoder, corpus, app_store))


@pytest.fixture
def plan(study) -> SweepPlan:
    """A sweep of the study's own model."""
    return replace(PLAN, model=study.model)


@pytest.fixture
def open_transfer(runs):
    def open_at(**query: str) -> AppTest:
        app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
        for name, value in query.items():
            app.query_params[name] = value
        app.switch_page("pages/transfer.py").run()
        assert not app.exception
        return app

    return open_at


def settled(app: AppTest) -> AppTest:
    app.run()
    assert not app.exception
    return app


def figure(app, key):
    charts = [chart for chart in app.get("plotly_chart") if chart.proto.id.endswith(key)]
    assert charts, f"no chart {key}"
    return json.loads(charts[0].proto.spec)


def values(trace, axis="y"):
    found = trace[axis]
    if isinstance(found, dict):
        return np.frombuffer(b64decode(found["bdata"]), found["dtype"])
    return np.array(found, float)


def line(figure, name):
    return values(next(trace for trace in figure["data"] if trace.get("name") == name))


def said(app):
    parts = (*app.markdown, *app.caption, *app.info, *app.warning)
    return " ".join(element.value for element in parts)


def test_curves_are_the_means_and_the_special_n_are_named(open_transfer, runs):
    found = read_sweep(write_sweep(runs))
    shown = figure(open_transfer(), "transfer-curves")
    for column, name in enumerate(("English", "Chinese")):
        np.testing.assert_allclose(line(shown, name), 100 * found.mean("selected")[:, column])
    seeds = line(shown, "Chinese, seeds").reshape(5, 2)
    np.testing.assert_allclose(seeds, 100 * found.accuracy("selected")[:, 1])
    ticks = shown["layout"]["xaxis"]["ticktext"]
    assert ticks[0].startswith("−1<br>all")
    assert ticks[-1].startswith("3<br>head")
    assert "chance 33.3" in [note["text"] for note in shown["layout"]["annotations"]]


def test_the_finding_is_computed_from_the_figures(open_transfer, runs):
    write_sweep(runs)
    text = said(open_transfer())
    assert "**Chinese** does best with N = 2: 64.0 %, +12.0 points against training all." in text
    assert "Over all N, English moves by 11.0 points, Chinese by 12.0." in text
    assert "The bundled set is small" in text
    assert "times fewer" in text


def test_a_gain_within_chance_is_said_to_be(open_transfer, runs):
    write_sweep(runs, replace(PLAN, seeds=(0,), frozen=(-1, 0)))
    assert "+2.0 points against training all, but each is known only to ± 9.6" in said(
        open_transfer()
    )


def test_the_oracle_can_be_chosen_and_is_in_the_link(open_transfer, runs):
    found = read_sweep(write_sweep(runs))
    app = open_transfer()
    app.segmented_control(key="transfer-selection").set_value("oracle")
    settled(app)
    shown = line(figure(app, "transfer-curves"), "Chinese")
    np.testing.assert_allclose(shown, 100 * found.mean("oracle")[:, 1])
    assert app.query_params["selection"] == "oracle"


def test_published_results_can_be_switched_off(open_transfer, runs):
    write_sweep(runs)

    def names(app):
        notes = figure(app, "transfer-curves")["layout"]["annotations"]
        return {note["text"] for note in notes} - {"chance 33.3"}

    app = open_transfer()
    assert names(app) == {"mBERT, en 81.4", "mBERT, zh 63.8"}
    assert TRANSFER_XNLI[0].source.full in said(app)
    app.segmented_control(key="transfer-published").set_value("all")
    assert len(names(settled(app))) == sum(len(known.accuracy) for known in TRANSFER_XNLI)
    app.segmented_control(key="transfer-published").set_value("none")
    assert names(settled(app)) == set()
    assert "published" not in said(app).lower()


def test_accuracy_is_tied_to_the_alignment_of_the_same_model(
    open_transfer, runs, plan, study, app_store
):
    found = read_sweep(write_sweep(runs, plan))
    app = open_transfer(layer="2", study=study.key[:12])
    alignment = SentenceRetrieval(study.key).find(app_store).curve("precision@1")
    shown = figure(app, "transfer-curves")
    np.testing.assert_allclose(line(shown, "alignment of layer N"), alignment)
    points = figure(app, "transfer-alignment")["data"][1]
    np.testing.assert_allclose(values(points, "x"), alignment)
    np.testing.assert_allclose(values(points), 100 * found.mean("selected")[1:, 1])
    expected = found.correlation("selected", "zh", alignment)
    assert f"Chinese: Pearson **{expected.pearson:.2f}**".replace("-", "−") in said(app)
    assert "n = 4" in said(app)
    cursor = next(shape for shape in shown["layout"]["shapes"] if shape["name"] == "cursor")
    assert cursor["x0"] == 2
    assert {metric.label: metric.value for metric in app.metric}["Chinese, N = 2"] == "64.0 %"


def test_without_a_study_of_the_model_it_says_what_to_do(open_transfer, runs, study):
    write_sweep(runs)  # of another model
    app = open_transfer()
    assert "There is no study of mini-en-zh" in said(app)
    assert figure(app, "transfer-curves")["data"]


def test_a_run_that_goes_on_shows_what_it_has(open_transfer, runs):
    run = write_sweep(runs, but=[(3, 0), (3, 1)])
    with run.lock():
        app = open_transfer()
        assert "8 of 10 fine-tunings are done" in said(app)
        assert np.isnan(line(figure(app, "transfer-curves"), "Chinese")[-1])
        assert app.button(key=f"stop-{run.id}")


def test_two_runs_are_compared(open_transfer, runs):
    first = write_sweep(runs)
    second = write_sweep(runs, replace(PLAN, seeds=(1,), frozen=(0, 2)))
    app = open_transfer(run=first.id, compare=second.id)
    shown = figure(app, "transfer-curves")
    np.testing.assert_allclose(line(shown, f"Chinese, {second.id}"), [56, 66])
    difference = figure(app, "transfer-difference")
    np.testing.assert_allclose(line(difference, "Chinese"), [2, 2])
    assert app.query_params["compare"] == second.id


def test_the_table_and_its_file_have_every_n(open_transfer, runs):
    write_sweep(runs)
    app = open_transfer()
    table = app.dataframe[0].value
    assert list(table["N"]) == [-1, 0, 1, 2, 3]
    np.testing.assert_allclose(table["Chinese, lowest"], [50, 52, 56, 62, 58])
    assert [button.proto.label for button in app.get("download_button")] == ["CSV"]


def test_without_a_run_the_form_is_open_and_starts_one(open_transfer, runs, encoder_directory):
    app = open_transfer()
    assert not app.get("plotly_chart")
    app.selectbox[0].set_value("Another model …")
    settled(app)
    assert "Name a model." in said(app)
    app.text_input[0].set_value(str(encoder_directory))
    settled(app)
    assert "744 training pairs" in said(app)
    assert "on this machine" in said(app)
    app.multiselect(key="sweep-frozen-3").set_value([0, 3])
    app.number_input(key="sweep-seeds").set_value(2)
    app.number_input(key="sweep-train_size-bundled").set_value(20)
    settled(app)
    app.button(key="start-sweep").click()
    settled(app)
    (run,) = runs.all("sweep")
    assert run.state == "queued"
    assert run.units == ("N=0 seed=0", "N=0 seed=1", "N=3 seed=0", "N=3 seed=1")
    assert run.plan.train_size == 20
    assert run.plan.model == str(encoder_directory)


def test_the_bundled_model_is_read_by_premise_and_hypothesis(open_transfer, runs):
    app = open_transfer()
    app.button(key="start-sweep").click()
    settled(app)
    (run,) = runs.all("sweep")
    assert run.plan == SweepPlan(head="pair")


def test_what_is_wrong_with_the_data_is_one_sentence(open_transfer, runs, tmp_path):
    app = open_transfer()
    app.segmented_control(key="sweep-data").set_value("directory")
    settled(app)
    assert "Name the directory" in said(app)
    app.text_input(key="sweep-directory").set_value(str(tmp_path))
    settled(app)
    assert "There is no training set in en" in said(app)
    assert not [button for button in app.button if button.key == "start-sweep"]
    app.multiselect(key="sweep-languages-directory").set_value([])
    settled(app)
    assert "Choose at least one language" in said(app)
