"""The sentences page: what it says of a run, and the run that its form starts."""

from dataclasses import replace
from functools import partial

import pytest

from components.sentences.wording import verdict
from isogloss.formatting import change, percent
from isogloss.lab.sentences.plan import BEFORE, SentencesPlan
from isogloss.lab.sentences.results import BOTH, error_table, read_sentence_results
from isogloss.published import ERROR_REDUCTION
from tests.helpers.pages import figures, said, unfolded
from tests.helpers.sentence_run import LAYERS, written_run


@pytest.fixture
def make_run(runs, app_store):
    return partial(written_run, runs, app_store)


@pytest.fixture
def open_page(runs, open_app):
    return partial(open_app, "sentences")


BARS = "Both directions, every pooling"
TABLES = "Beside the post, and people's judgements"


def test_what_training_did_is_said_of_each_objective(open_page, make_run):
    run = make_run({BEFORE: 0.6, "softmax": 0.3, "ranking": 0.85})
    found = read_sentence_results(run)
    app = open_page()
    told = app.markdown[1].value
    assert told.startswith("Trained to classify the pair, the error grew by ")
    assert "; trained to rank the entailed, English alone took away " in told
    text = said(app)
    for objective, answer in (("softmax", "the error grew by"), ("ranking", "English alone took")):
        assert answer in verdict(found, objective)[0]
        assert all(part in text for part in verdict(found, objective))
    after = found.after["ranking"].values[0, -1, BOTH]
    assert f"{percent(after)} after" in verdict(found, "ranking")[1]


def test_a_difference_within_chance_is_called_one(make_run):
    found = read_sentence_results(make_run({BEFORE: 0.6, "softmax": 0.6}))
    assert "nothing changed that chance could not explain" in verdict(found, "softmax")[0]


def test_seeds_that_disagree_are_chance(make_run):
    found = read_sentence_results(make_run({BEFORE: 0.6, "softmax": 0.9}))
    by_seed = found.after["softmax"].by_seed.copy()
    by_seed[1] = 0.5
    doubtful = replace(found, after={"softmax": replace(found.after["softmax"], by_seed=by_seed)})
    assert "English alone took" in verdict(found, "softmax")[0]
    answer, figures = verdict(doubtful, "softmax")
    assert "nothing changed that chance could not explain" in answer
    before = found.before.values[0, -1, BOTH]
    assert f"to {change(1 - 0.5 / before)})." in figures


def test_bars_and_curves_are_those_of_the_run(open_page, make_run):
    found = read_sentence_results(make_run({BEFORE: 0.6, "softmax": 0.5, "ranking": 0.9}))
    curves, bars = figures(unfolded(open_page(), BARS))
    drawn = [trace for trace in bars["data"] if trace["type"] == "bar"]
    assert len(drawn) == 6, "before and two objectives in two directions"
    before, softmax = (drawn[0]["hovertext"][0], drawn[1]["hovertext"][0])
    assert f"{100 * found.before.values[0, -1, 0]:.1f}\u00a0%" in before
    reduction = found.reduction("softmax", baseline="mean", layer=LAYERS - 1).values[0]
    assert f"{change(reduction)} against before" in softmax
    changes = [each["text"] for each in bars["layout"]["annotations"] if each.get("name")]
    assert len(changes) == 12
    assert f"<b>{change(reduction)}</b>" in changes
    lines = [trace for trace in curves["data"] if trace.get("mode") == "lines+markers"]
    assert [line["name"] for line in lines] == ["Before", "Classify the pair", "Rank the entailed"]


def test_the_posts_figures_stand_beside_ours(open_page, make_run):
    found = read_sentence_results(make_run({BEFORE: 0.6, "softmax": 0.5, "ranking": 0.9}))
    app = unfolded(open_page(objective="softmax"), TABLES)
    post, sts = (table.value for table in app.dataframe[:2])
    assert list(post["The post, at most"]) == ["−27\u00a0%", "−50\u00a0%", "−61\u00a0%"]
    expected = [found.reduction("softmax", baseline=name).values[0] for name in ERROR_REDUCTION]
    assert list(post["en → zh"]) == list(map(change, expected))
    assert list(sts["Pairs"])[:2] == ["English, Pearson", "English, Spearman"]
    assert list(sts["Pairs"])[5] == "English–Chinese, Spearman"
    assert sts["Manhattan"][5] == "0.50 → 0.40"


def test_a_link_reopens_the_view(open_page, make_run):
    run = make_run({BEFORE: 0.6, "softmax": 0.5, "ranking": 0.9})
    app = open_page(run=run.id, layer="1", pooling="cls", objective="softmax")
    assert app.metric[0].label == "Before, layer 1"
    assert app.sidebar.select_slider[0].value == 1
    errors = read_sentence_results(run)
    assert [each.value for each in app.metric] == [
        percent(each.values[2, 1, BOTH]) for each in (errors.before, *errors.after.values())
    ]
    query = dict(app.query_params)
    assert query == {"run": run.id, "layer": "1", "pooling": "cls", "objective": "softmax"}
    nonsense = open_page(layer="99", pooling="sum", objective="none")
    assert nonsense.metric[0].label == f"Before, layer {LAYERS - 1}, the trained one"


def test_a_run_that_has_only_measured_the_model_shows_that(open_page, make_run):
    make_run({BEFORE: 0.6})
    app = unfolded(open_page(), BARS)
    assert "the first training is under way" in said(app)
    _, bars = figures(app)
    assert len([trace for trace in bars["data"] if trace["type"] == "bar"]) == 2


def test_the_table_has_every_error(make_run):
    found = read_sentence_results(make_run({BEFORE: 0.6, "ranking": 0.9}))
    rows = error_table(found)
    assert len(rows) == 2 * 3 * LAYERS * 3
    wanted = next(
        row
        for row in rows
        if (row["training"], row["pooling"], row["layer"], row["direction"])
        == ("ranking", "cls", 1, "zh to en")
    )
    assert wanted["error"] == found.after["ranking"].values[2, 1, 1]
    assert wanted["seeds"] == 2


def test_the_form_starts_the_run_it_describes(open_page, runs):
    app = open_page()
    assert not app.get("plotly_chart")
    assert "744 examples to classify the pair" in said(app)
    app.selectbox(key="sentences-trained-layer-12").set_value(11).run()
    app.multiselect(key="sentences-objectives").set_value(["ranking"]).run()
    app.number_input(key="sentences-seeds").set_value(2).run()
    app.button(key="start-sentences").click().run()
    assert not app.exception
    (run,) = runs.all("sentences")
    assert run.plan == SentencesPlan(objectives=("ranking",), seeds=(0, 1), layer=-2)
    assert run.state == "queued"


def test_a_file_that_is_not_there_is_said(open_page, runs):
    app = open_page()
    app.selectbox(key="sentences-sts").set_value("file").run()
    app.text_input(key="path-sentences-sts").set_value("/nowhere/sts.tsv").run()
    assert "There is no file /nowhere/sts.tsv" in app.warning[0].value
    assert not [button for button in app.button if button.key == "start-sentences"]
