"""Similarity: what each view shows, and that every number has its help."""

import json
from base64 import b64decode
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from components.shared.studies.model_names import model_name
from docs.making.demo import demo_text
from isogloss.measures.similarity.table import SIMILARITY_MEASURES
from isogloss.models.loading import load_model
from isogloss.studies.best_layer.question import BestOfDiagonal
from isogloss.studies.best_layer.wording import SCORES, verdict
from isogloss.studies.extraction import extract
from isogloss.studies.similarity import LayerComparison, shipped_monolingual
from isogloss.studies.study import Study
from isogloss.text.parallel import ParallelText
from tests.helpers.pages import figures, said
from tests.pages.conftest import copied

ROOT = Path(__file__).parents[2]


@pytest.fixture
def study(answered_study, app_store):
    """Its answers are kept already, so that no test waits for them."""
    return copied(answered_study, app_store)


@pytest.fixture
def random_study(encoder_directory, bitext, app_store):
    model = load_model(f"random:{encoder_directory}", app_store, device="cpu")
    return Study(extract(model, bitext, app_store))


@pytest.fixture
def open_similarity(open_app, patience):
    """Open a study at this page by its link."""
    return lambda study, **query: open_app("similarity", **{"study": study.key[:12]} | query)


def values(figure):
    cells = next(trace for trace in figure["data"] if trace["type"] == "heatmap")["z"]
    if isinstance(cells, dict):
        flat = np.frombuffer(b64decode(cells["bdata"]), cells["dtype"])
        return flat.reshape([int(size) for size in cells["shape"].split(",")])
    return np.array(cells, float)


def test_heatmap_shows_the_kept_comparison_and_marks_the_cursor(open_similarity, study, app_store):
    app = open_similarity(study, layer="1")
    found = LayerComparison(study.key).find(app_store).similarity
    (figure,) = figures(app)
    np.testing.assert_allclose(values(figure), found.values)
    assert app.metric[0].value == f"{found.values[1, 1]:.3f}"
    assert "Can't tell" in app.metric[0].help
    assert "shuffled pairs" in said(app)
    assert f"calibrated {found.calibrated[1, 1]:.3f}, p ≤ {found.p_values[1, 1]:.3f}" in said(app)
    # The highest cell stands beside what the highest of as many cells of shuffled pairs reaches.
    best = found.best_cell
    assert f"Highest: {found.values.max():.3f}, English layer {best.layer_a} against" in said(app)
    assert f"at most {best.threshold:.3f} in 95 % of cases" in said(app)
    assert app.slider[0].value == 1
    assert figure["layout"]["shapes"][0]["x0"] == 0.5


@pytest.mark.parametrize("measure", ["debiased_cka", "mexa", "svcca"])
def test_the_best_layer_of_the_diagonal_is_said(open_similarity, study, app_store, measure):
    app = open_similarity(study, measure=measure)
    found = BestOfDiagonal(study.key, LayerComparison(study.key, measure=measure)).find(app_store)
    assert f"**{verdict(found, SCORES['similarity'], study.states)}**" in said(app)
    if measure != "svcca":
        whole = LayerComparison(study.key, measure=measure).find(app_store).similarity
        assert found.differences.best == whole.values.diagonal().argmax()


def test_the_pairs_behind_the_cell_are_listed(open_similarity, study, bitext):
    app = open_similarity(study)
    table = app.dataframe[0].value
    assert list(table.columns) == ["Agreement", "English", "Chinese"]
    assert set(table["English"]) <= set(bitext.source)
    least = table["Agreement"].iloc[0]
    app.segmented_control(key="similarity-agree").set_value("most").run()
    assert app.dataframe[0].value["Agreement"].iloc[0] > least


def test_every_measure_can_be_chosen_and_explains_itself(open_similarity, study, app_store):
    app = open_similarity(study)
    for measure in SIMILARITY_MEASURES:
        app.selectbox(key="similarity-measure").set_value(measure).run()
        assert_it_is_shown(app, study, app_store, measure)


def assert_it_is_shown(app, study, app_store, measure):
    assert not app.exception
    found = LayerComparison(study.key, measure=measure).find(app_store).similarity
    shown = values(figures(app)[0])
    np.testing.assert_allclose(shown, np.where(found.undefined, np.nan, found.values))
    if measure in ("mutual_neighbours", "cknna"):
        assert found.undefined.all(), "ten pairs have no ten nearest and others"
        assert "all of them among the 10 nearest" in said(app)
    assert SIMILARITY_MEASURES[measure].blind_to in said(app)
    assert [latex.value for latex in app.latex]


def test_words_can_be_compared(open_similarity, study, app_store):
    app = open_similarity(study, rows="word")
    found = LayerComparison(study.key, unit="word").find(app_store)
    np.testing.assert_allclose(values(figures(app)[0]), found.similarity.values)
    assert "made by hand" in said(app)


def test_slider_moves_the_cursor(open_similarity, study):
    app = open_similarity(study, layer="1")
    app.slider[0].set_value(3).run()
    assert "layer 3" in said(app)
    assert app.query_params["layer"] == "3"


def test_alone_there_is_nothing_to_compare_with(open_similarity, study):
    app = open_similarity(study, view="models")
    assert "no other study of this text" in said(app)
    assert not figures(app)


def test_two_models_compare_on_the_same_text(open_similarity, study, random_study, app_store):
    app = open_similarity(study, view="models")
    found = LayerComparison(study.key, 0, random_study.key, 0).find(app_store).similarity
    np.testing.assert_allclose(values(figures(app)[0]), found.values)
    assert list(app.dataframe[0].value.columns) == ["Agreement", "English"]


def test_difference_is_one_less_the_other(open_similarity, study, random_study, app_store):
    app = open_similarity(study, view="difference")
    first, second = (
        LayerComparison(key).find(app_store).similarity.values
        for key in (study.key, random_study.key)
    )
    np.testing.assert_allclose(values(figures(app)[0]), first - second)


def test_paper_table_has_published_and_own_values(
    open_similarity, study, random_study, encoder, bitext, app_store
):
    other_text = replace(bitext.select(range(6)), name="six of them")
    extract(encoder, other_text, app_store)
    app = open_similarity(study, view="paper")
    assert app.selectbox(key="similarity-paper-measure").value == "cka"
    (figure,) = figures(app)
    labels = figure["layout"]["xaxis"]["ticktext"]
    assert labels[:3] == ["bilingual", "monolingual", "random"]
    assert labels[15:] == [model_name(study), "shuffled", "random"]
    drawn = json.dumps(figure, ensure_ascii=False)
    assert "ten pairs, 10 pairs" in drawn
    assert "six of them" not in drawn  # the same model on another text has no place here
    assert "Conneau, Wu, Li, Zettlemoyer & Stoyanov (2020)" in said(app)


def test_on_a_text_of_the_demo_the_monolingual_column_ships(open_similarity, encoder, app_store):
    study = Study(extract(encoder, demo_text(), app_store))
    app = open_similarity(study, view="paper")
    (figure,) = figures(app)
    labels = figure["layout"]["xaxis"]["ticktext"]
    assert labels[15:18] == [model_name(study), "shuffled", "monolingual"]
    _, found = shipped_monolingual(study)
    drawn = json.dumps(figure, ensure_ascii=False)
    assert f"L6: <b>{found.similarity.values[6, 6]:.3f}</b>" in drawn
    assert "en by all-MiniLM-L6-v2, zh by roformer-sim-zh-small" in drawn
    assert "To have the monolingual column" not in said(app)


def test_a_difference_of_depth_is_said_in_a_sentence(
    open_similarity, study, decoder, bitext, app_store
):
    extract(decoder, bitext, app_store)
    app = open_similarity(study, view="difference")
    assert "same depth" in said(app)


def test_names_of_users_are_not_markup(open_similarity, encoder, bitext, app_store):
    hostile = ParallelText(
        "![x](http://example.invalid) <img src=x>",
        bitext.languages,
        ("<script>alert(1)</script>", *bitext.source[1:]),
        bitext.target,
    )
    study = Study(extract(encoder, hostile, app_store))
    app = open_similarity(study, view="paper")
    assert "![x](http" not in " ".join(c.value for c in app.caption if "published" in c.value)
    assert "<img" not in json.dumps(figures(app))
