"""Transfer: a run written by hand, its tie to alignment, and the form that starts one."""

import json
from base64 import b64decode
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from isogloss.lab.transfer.plan import TransferPlan
from isogloss.lab.transfer.results import read_transfer
from isogloss.map.maps import MapLinks
from isogloss.published import FREEZING_XNLI, TRANSFER_XNLI
from isogloss.studies.extraction import extract
from isogloss.studies.study import Study
from isogloss.text.parallel import ParallelText
from tests.helpers.pages import metrics, said, unfolded
from tests.helpers.transfer_run import (
    CLOSER_IS_BETTER_AT,
    FIFTEEN,
    PLAN,
    write_fifteen,
    write_transfer,
)
from tests.helpers.words import words_in_view
from tests.pages.test_words_in_view import MOST

FOLLOWS = "Does accuracy follow alignment?"


@pytest.fixture
def study(encoder, bitext, app_store) -> Study:
    return Study(extract(encoder, replace(bitext, name="news.en-zh"), app_store))


@pytest.fixture
def plan(study) -> TransferPlan:
    """A run of the study's own model."""
    return replace(PLAN, model=study.model)


@pytest.fixture
def open_transfer(runs, open_app, patience):
    return partial(open_app, "transfer")


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


def headline(app) -> str:
    """The sentence above the chart."""
    return str(app.markdown[1].value)


def line(figure, name):
    return values(next(trace for trace in figure["data"] if trace.get("name") == name))


def test_curves_are_the_means_and_the_special_n_are_named(open_transfer, runs):
    found = read_transfer(write_transfer(runs))
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
    write_transfer(runs)
    app = open_transfer()
    text = said(app)
    assert "Freezing helps **Chinese** at N = 2 (+12.0 points, +4.0 to +20.0)." in headline(app)
    assert (
        "Freezing helps **Chinese**: N = 2 gives 64.0\u00a0%, +12.0 points (+4.0 to +20.0)" in text
    )
    assert "Over all N, English moves by 11.0 points, Chinese by 12.0." in text
    assert "The bundled set is small" in text
    assert "times fewer" in text


def test_a_gain_within_chance_is_not_called_one(open_transfer, runs):
    write_transfer(runs, judged=False)
    app = open_transfer()
    text = said(app)
    assert "Freezing helps" not in text
    assert "No N is clearly above training all in **Chinese**" in text
    assert "+12.0" in text
    assert "has not kept which pairs were right" in text


def test_what_the_same_run_found_at_one_rate_is_said_first(open_transfer, runs):
    again = write_transfer(runs, replace(PLAN, frozen=(-1, 2)))
    apart = write_transfer(runs, replace(PLAN, rates=(f"2:{2 * PLAN.learning_rate}",)))
    app = open_transfer(run=apart.id)
    assert "a learning rate of its own" in headline(app)
    at_one_rate = "At the learning rate of training all, N = 2 still gains in Chinese; "
    assert f"{at_one_rate}**Chinese** gains at N = 2" in headline(app)
    text = said(app)
    first = text.index("At the learning rate of training all, N = 2 still gains in Chinese")
    assert f"(run {again.id})" in text
    assert first < text.index("**Chinese** gains: N = 2, at a learning rate of its own")
    assert "At the learning rate" not in said(open_transfer(run=again.id))


def test_a_run_that_is_not_finished_has_no_headline(open_transfer, runs):
    write_transfer(runs, but=[(3, 1)])
    text = said(open_transfer())
    assert "9 of 10 fine-tunings are done" in text
    assert "Freezing helps" not in text
    assert "Over all N" not in text


def test_numbers_at_the_cursor_have_their_gain_with_its_interval(open_transfer, runs, plan, study):
    write_transfer(runs, plan)
    app = open_transfer(layer="2", study=study.key[:12])
    metric = next(each for each in app.metric if each.label == "Chinese, N = 2")
    assert metric.delta == "+12.0 points"
    assert "+12.0 against training all (+6.2 to +17.8)" in metric.help


def test_the_oracle_can_be_chosen_and_is_in_the_link(open_transfer, runs):
    found = read_transfer(write_transfer(runs))
    app = open_transfer()
    app.segmented_control(key="transfer-selection").set_value("oracle")
    settled(app)
    shown = line(figure(app, "transfer-curves"), "Chinese")
    np.testing.assert_allclose(shown, 100 * found.mean("oracle")[:, 1])
    assert app.query_params["selection"] == "oracle"


def test_published_results_can_be_switched_off(open_transfer, runs):
    write_transfer(runs, data={"name": "xnli"})

    def names(app):
        notes = figure(app, "transfer-curves")["layout"]["annotations"]
        return {note["text"] for note in notes} - {"chance 33.3"}

    app = open_transfer()
    assert names(app) == set(), "mBERT has twelve layers, this model three"
    app.segmented_control(key="transfer-axis").set_value("share")
    curves = {"mBERT by N, en", "mBERT by N, zh"}
    assert names(settled(app)) == curves
    assert app.query_params["axis"] == "share"
    assert FREEZING_XNLI.source.full in said(app)
    drawn = figure(app, "transfer-curves")
    expected = 100 * np.array(FREEZING_XNLI.accuracy["zh"])
    np.testing.assert_allclose(line(drawn, "mBERT by N, zh"), expected)
    app.segmented_control(key="transfer-published").set_value("all")
    assert len(names(settled(app)) - curves) == sum(len(each.accuracy) for each in TRANSFER_XNLI)
    app.segmented_control(key="transfer-published").set_value("none")
    assert names(settled(app)) == set()
    assert "published" not in said(app).lower()


def test_what_was_published_on_xnli_is_not_drawn_beside_another_task(open_transfer, runs):
    write_transfer(runs)
    drawn = figure(open_transfer(axis="share", published="all"), "transfer-curves")
    assert [note["text"] for note in drawn["layout"]["annotations"]] == ["chance 33.3"]
    assert not [trace for trace in drawn["data"] if "mBERT" in str(trace.get("name"))]


def test_accuracy_is_tied_to_the_alignment_of_the_same_model(
    open_transfer, runs, plan, study, app_store
):
    found = read_transfer(write_transfer(runs, plan))
    app = unfolded(open_transfer(layer="2", study=study.key[:12]), FOLLOWS)
    alignment = MapLinks(study.key).find(app_store).scores.nearest_share
    shown = figure(app, "transfer-curves")
    np.testing.assert_allclose(line(shown, "alignment of layer N"), alignment)
    told = [note["text"] for note in shown["layout"]["annotations"] if note.get("name")]
    assert told == ["Words nearest to their translation at layer N, on news.en-zh"]
    drawn = figure(app, "transfer-alignment")
    assert "on news.en-zh" in drawn["layout"]["xaxis"]["title"]["text"]
    points = drawn["data"][1]
    np.testing.assert_allclose(values(points, "x"), alignment)
    np.testing.assert_allclose(values(points), 100 * found.mean("selected")[1:, 1])
    expected = found.correlation("selected", "zh", alignment)
    assert f"Chinese: Pearson **{expected.pearson:.2f}**".replace("-", "−") in said(app)
    assert "n = 4" in said(app)
    cursor = next(shape for shape in shown["layout"]["shapes"] if shape["name"] == "cursor")
    assert cursor["x0"] == 2
    assert metrics(app)["Chinese, N = 2"] == "64.0\u00a0%"


def test_an_uploaded_text_does_not_change_what_stands_beside_a_run(
    open_transfer, runs, plan, study, encoder, bitext, app_store
):
    write_transfer(runs, plan)
    mine = ParallelText("mine", bitext.languages, bitext.source[:6], bitext.target[:6])
    newer = Study(extract(encoder, mine, app_store))
    app = unfolded(open_transfer(study=newer.key[:12]), FOLLOWS)
    assert "on news.en-zh" in said(app)
    assert "on mine" not in said(app)


def test_without_a_study_of_the_model_it_says_what_to_do(open_transfer, runs, study):
    write_transfer(runs)  # of another model
    app = unfolded(open_transfer(), FOLLOWS)
    assert "There is no study of mini-en-zh" in said(app)
    assert figure(app, "transfer-curves")["data"]


def test_a_stop_button_belongs_to_a_run_in_the_list(open_transfer, runs):
    def stops(app):
        return [each.key for each in app.button if "stop" in f"{each.key} {each.label}".lower()]

    run = write_transfer(runs)
    app = open_transfer()
    assert figure(app, "transfer-curves")
    assert stops(app) == []
    waiting = runs.create(PLAN)
    runs.enqueue(waiting)
    app = open_transfer(run=run.id)
    assert stops(app) == [each.key for each in app.sidebar.button if each.label == "Stop"]
    assert stops(app) == [f"stop-{waiting.id}"]


def test_a_run_that_goes_on_shows_what_it_has(open_transfer, runs):
    run = write_transfer(runs, but=[(3, 0), (3, 1)])
    with run.lock():
        app = open_transfer()
        assert "8 of 10 fine-tunings are done" in said(app)
        assert np.isnan(line(figure(app, "transfer-curves"), "Chinese")[-1])
        assert app.button(key=f"stop-{run.id}")


def test_two_runs_are_compared(open_transfer, runs):
    first = write_transfer(runs)
    second = write_transfer(runs, replace(PLAN, seeds=(1,), frozen=(0, 2)))
    app = open_transfer(run=first.id, compare=second.id)
    shown = figure(app, "transfer-curves")
    np.testing.assert_allclose(line(shown, f"Chinese, {second.id}"), [56, 66])
    difference = figure(app, "transfer-difference")
    np.testing.assert_allclose(line(difference, "Chinese"), [2, 2])
    assert app.query_params["compare"] == second.id


def test_runs_tested_on_other_pairs_are_not_subtracted(open_transfer, runs):
    def tests(zh):
        return {"test": {"en": {"sha256": "e"}, "zh": {"sha256": zh}}}

    first = write_transfer(runs, data=tests("one"))
    second = write_transfer(runs, data=tests("two"))
    app = open_transfer(run=first.id, compare=second.id)
    assert "Chinese: the two runs were tested on different pairs" in said(app)
    names = [trace.get("name") for trace in figure(app, "transfer-difference")["data"]]
    assert names == ["English"]


def test_runs_of_different_depth_are_compared_by_share(open_transfer, runs):
    first = write_transfer(runs)
    deeper = replace(PLAN, n_layers=6, frozen=(-1, 0, 2, 3))
    second = write_transfer(runs, deeper)
    app = open_transfer(run=first.id, compare=second.id)
    assert "equal shares of frozen layers are compared" in said(app)
    difference = figure(app, "transfer-difference")
    # N = 2 of 6 stands against N = 1 of 3: 62 against 56, both 2 more for the second seed.
    np.testing.assert_allclose(line(difference, "Chinese"), [0, 0, 6])


def test_the_table_and_its_file_have_every_n(open_transfer, runs):
    write_transfer(runs)
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
    app.multiselect(key="transfer-frozen-3").set_value([0, 3])
    app.number_input(key="transfer-seeds").set_value(2)
    app.number_input(key="transfer-train_size-bundled").set_value(20)
    settled(app)
    app.button(key="start-transfer").click()
    settled(app)
    (run,) = runs.all("transfer")
    assert run.state == "queued"
    assert run.units == ("N=0 seed=0", "N=0 seed=1", "N=3 seed=0", "N=3 seed=1")
    assert run.plan.train_size == 20
    assert run.plan.model == str(encoder_directory)


@pytest.mark.parametrize(
    ("model", "n_layers", "frozen"),
    [("multilingual-e5-small", 12, (-1, 0, 2, 5, 7, 10, 12)), ("mini-en-zh", 6, None)],
)
def test_what_no_first_token_was_trained_for_is_read_by_premise_and_hypothesis(
    open_transfer, runs, model, n_layers, frozen
):
    app = open_transfer()
    assert app.selectbox[0].value == "multilingual-e5-small"
    app.selectbox[0].set_value(model)
    settled(app)
    app.button(key="start-transfer").click()
    settled(app)
    (run,) = runs.all("transfer")
    assert run.plan == TransferPlan(model=model, n_layers=n_layers, frozen=frozen, head="pair")


@pytest.mark.parametrize(
    ("model", "told"), [("mini-en-zh", False), ("multilingual-e5-small", True)]
)
def test_what_a_model_was_tuned_on_stands_beside_its_transfer(open_transfer, runs, model, told):
    write_transfer(runs, replace(PLAN, model=model))
    text = said(open_transfer())
    assert ("What its model knew before" in text) == told
    assert ("4-bit weights, was tuned on" in text) == told


def test_what_is_wrong_with_the_data_is_one_sentence(open_transfer, runs, tmp_path):
    app = open_transfer()
    app.segmented_control(key="transfer-data").set_value("files")
    settled(app)
    assert "Bring the files" in said(app)
    app.text_input(key="path-transfer-data").set_value(str(tmp_path))
    settled(app)
    assert "There is no training set in en" in said(app)
    assert not [button for button in app.button if button.key == "start-transfer"]
    app.multiselect(key="transfer-languages-files").set_value([])
    settled(app)
    assert "Choose at least one language" in said(app)


def test_fifteen_languages_are_a_mean_with_its_spread_until_some_are_chosen(open_transfer, runs):
    found = read_transfer(write_fifteen(runs))
    app = open_transfer()
    drawn = figure(app, "transfer-curves")
    others = found.mean("selected")[:, 1:]
    np.testing.assert_allclose(line(drawn, "mean of 14"), 100 * others.mean(1))
    band = values(drawn["data"][1])
    assert (band.min(), band.max()) == (100 * others.min(), 100 * others.max())
    named = [note["text"] for note in drawn["layout"]["annotations"]]
    assert {"English", "mean of 14"} < set(named), "names stand at the lines' ends"
    assert drawn["layout"]["showlegend"] is False
    app.multiselect[0].set_value(["sw", "fr"])
    drawn = figure(settled(app), "transfer-curves")
    lines = [each["name"] for each in drawn["data"] if each.get("mode") == "lines+markers"]
    assert lines == ["French", "Swahili"]
    assert app.query_params["languages"] == "sw.fr"
    app.multiselect[0].set_value(list(FIFTEEN))
    drawn = figure(settled(app), "transfer-curves")
    assert not [each for each in drawn["data"] if each.get("fill")], "bands would hide one another"


def test_closer_languages_transferred_to_better_are_said_with_their_interval(open_transfer, runs):
    run = write_fifteen(runs, data={"name": "xnli"})
    app = open_transfer(layer=str(CLOSER_IS_BETTER_AT))
    assert (
        f"At layer {CLOSER_IS_BETTER_AT}, languages closer to English are transferred to better"
        in headline(app)
    )
    assert "Pearson +1.00 (+" in headline(app)
    assert "Spearman +1.00 (+" in headline(app)
    assert "over 14 languages, one seed; with random weights" in headline(app)
    assert "published accuracies follow the same closeness: mBERT" in headline(app)
    points = figure(app, "transfer-languages")
    measured = next(each for each in points["data"] if each["name"] == "measured here")
    np.testing.assert_allclose(values(measured), 100 * values(measured, "x"))
    assert measured["text"][0] == "Arabic"
    assert "English 75.0" in [note["text"] for note in points["layout"]["annotations"]]
    published = next(each for each in points["data"] if "mBERT" in each["name"])
    assert published["marker"]["symbol"] == "diamond-open"
    ties = line(figure(app, "transfer-ties"), "this model")
    assert ties.argmax() == CLOSER_IS_BETTER_AT
    app = open_transfer(layer="0", run=run.id)
    assert "but this can be told neither from chance nor from random weights" in headline(app)
    assert "are transferred to" not in headline(app)


def test_one_n_beside_training_all_is_called_by_its_number(open_transfer, runs):
    write_fifteen(runs)
    app = open_transfer()
    text = said(app)
    assert "N = 2 is not clearly above training all in **12 languages**" in headline(app)
    assert "N = 2 does no better in **Swahili** than training all" in text
    assert "No N" not in text
    assert "no N does" not in text


def test_where_training_all_is_the_only_n_nothing_is_compared(open_transfer, runs):
    write_transfer(runs, replace(PLAN, frozen=(-1,)))
    text = said(open_transfer())
    assert "**Chinese** reaches up to" in text
    assert "training all" not in headline(open_transfer())
    assert "Over all N" not in text


def test_too_few_layers_to_correlate_are_not_offered_as_a_chart(open_transfer, runs, plan, study):
    def folds(app):
        return [each.label for each in app.expander]

    few = write_transfer(runs, replace(plan, frozen=(-1, 1, 2)))
    enough = write_transfer(runs, replace(plan, frozen=(-1, 0, 1, 2)))
    assert FOLLOWS not in folds(open_transfer(run=few.id))
    assert FOLLOWS in folds(open_transfer(run=enough.id))


def test_a_layer_that_nobody_asked_for_is_no_wish_for_an_n(open_transfer, runs):
    plan = replace(PLAN, n_layers=6, frozen=(-1, 1, 2), languages=FIFTEEN, seeds=(0,))
    write_fifteen(runs, replace(plan, frozen=(-1, 2)))
    assert "is not in this run" not in said(open_transfer())
    assert "N = 5 is not in this run" in said(open_transfer(layer="5"))


def test_closeness_and_n_are_in_the_link(open_transfer, runs):
    run = write_fifteen(runs)
    app = open_transfer()
    app.segmented_control(key="transfer-closeness").set_value("retrieval")
    app.segmented_control(key=f"transfer-{run.id}-frozen").set_value(2)
    settled(app)
    assert app.query_params["closeness"] == "retrieval"
    assert app.query_params["frozen"] == "2"
    again = open_transfer(**{name: app.query_params[name] for name in app.query_params})
    assert again.segmented_control(key=f"transfer-{run.id}-frozen").value == 2
    assert "N = 2" in said(again)
    assert headline(again) == headline(app)


def test_a_run_in_fifteen_languages_says_what_it_found_in_few_words(open_transfer, runs):
    write_fifteen(runs, data={"name": "xnli"})
    words = words_in_view(open_transfer(layer=str(CLOSER_IS_BETTER_AT)))
    assert len(words) <= MOST, " ".join(words)
