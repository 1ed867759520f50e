"""Questions about all languages of a study, the map of its sentences, and what is said of them."""

import csv
import io
from itertools import combinations

import numpy as np
import pytest

import isogloss as ig
from isogloss.command_line import main
from isogloss.formatting import percent
from isogloss.map.constellations import constellation_data, with_middles
from isogloss.map.contact_sheet import contact_sheet
from isogloss.map.film import animate, film_scene
from isogloss.map.standalone import html_document
from isogloss.measures.languages.company import LayerCompany, summarise
from isogloss.measures.projection.layout import ProjectionOptions
from isogloss.measures.sentence_retrieval import DIRECTIONS
from isogloss.models.states import LayerStates
from isogloss.store import Store
from isogloss.studies.extraction import ExtractionOptions, extract
from isogloss.studies.languages.constellations import Constellations
from isogloss.studies.languages.questions import EveryPair, LanguageTrees, SentenceCompany
from isogloss.studies.languages.wording import say_company, say_crossing, say_extremes, say_tree
from isogloss.studies.retrieval import SentenceRetrieval
from isogloss.studies.study import Study
from isogloss.text.parallel import ParallelText

PCA = ProjectionOptions("pca")


@pytest.fixture(scope="module")
def text(bitext) -> ParallelText:
    """Five languages; German lacks two rows, Greek one."""
    german = [" ".join(reversed(each.split())) for each in bitext.source]
    greek = [each.upper() + " !" for each in bitext.target]
    german[2] = german[7] = greek[5] = ""
    sides = [bitext.source, bitext.target, german, greek, [f"{each} ." for each in bitext.source]]
    topics = tuple("ab"[i % 2] for i in range(len(bitext)))
    return ParallelText.of_sides("five", ("en", "zh", "de", "el", "sw"), sides, topics=topics)


@pytest.fixture(scope="module")
def store(tmp_path_factory) -> Store:
    return Store(tmp_path_factory.mktemp("store"), demo=None)


@pytest.fixture(scope="module")
def study(encoder, text, store) -> Study:
    return Study(extract(encoder, text, store, ExtractionOptions("float32")))


@pytest.fixture(scope="module")
def means_only(encoder, text, store) -> Study:
    return Study(extract(encoder, text, store, ExtractionOptions("float32", keep="means")))


def test_each_cell_of_the_matrix_is_what_the_page_of_that_pair_says(study, store):
    table = EveryPair(study.key).answer(store)
    for one, other in combinations(range(5), 2):
        pair = study.pair(study.all_languages[one], study.all_languages[other])
        scores = SentenceRetrieval(pair.key).answer(store)
        forth, back = (scores.curve("precision@1", way) for way in DIRECTIONS)
        np.testing.assert_allclose(table.values[:, one, other], forth)
        np.testing.assert_allclose(table.values[:, other, one], back)
        assert table.rows[one, other] == len(pair.bitext)


def test_means_alone_answer_as_all_states_do(study, means_only, store):
    for kind in (SentenceCompany, EveryPair, LanguageTrees):
        whole, alone = (kind(each.entry.key).answer(store) for each in (study, means_only))
        for name, value in vars(whole).items():
            if isinstance(value, np.ndarray):
                there = getattr(alone, name)
                np.testing.assert_allclose(there, value, atol=1e-4, err_msg=name)


def test_company_counts_what_is_there_and_trees_what_has_a_family(study, text, store):
    company = SentenceCompany(study.key).answer(store)
    assert company.sentences == 5 * len(text) - 3
    assert company.translation.shape == (study.n_states,)
    trees = LanguageTrees(study.key, distance="meaning").answer(store)
    assert trees.merges.shape == (study.n_states, 4, 4)
    assert trees.placed == 5


def test_stars_have_their_middle_where_their_points_mean_it(study, text, store):
    asked = Constellations(study.key, projection=PCA)
    layout = asked.answer(store)
    data = constellation_data(study, asked, layout, SentenceCompany(study.key).answer(store))
    assert data.marked == 5 * len(text) - 3
    assert data.middles == len(text)
    row_of = np.asarray(data.sentence_of[: data.marked])
    for point, middle in data.links:
        members = np.flatnonzero(row_of == data.sentence_of[point])
        expected = data.positions[:, members].mean(axis=1)
        np.testing.assert_allclose(data.positions[:, middle], expected, atol=1e-6)
        assert data.sentence_of[middle] == data.sentence_of[point]
    assert data.sentences[5][3] == ""
    assert set(data.shapes[: data.marked]) == {0, 1}


def test_a_map_of_stars_leaves_as_page_sheet_and_film(study, store, tmp_path):
    asked = Constellations(study.key, projection=PCA)
    found = SentenceCompany(study.key).answer(store)
    data = constellation_data(study, asked, asked.answer(store), found)
    assert "new Scrubber" in html_document(data)
    assert contact_sheet(data, "svg").startswith(b"<?xml")
    film = animate(film_scene(data), tmp_path / "stars.gif", size=(640, 360), seconds_per_layer=0.3)
    assert film.stat().st_size > 1_000


def test_middles_of_groups_are_their_means():
    places = np.random.default_rng(0).normal(size=(3, 6, 2))
    found = with_middles(places, np.array([0, 0, 1, 1, 1, 0]))
    np.testing.assert_allclose(found[:, 6], places[:, [0, 1, 5]].mean(1), rtol=1e-6)
    np.testing.assert_allclose(found[:, 7], places[:, [2, 3, 4]].mean(1), rtol=1e-6)


def company(translation, own):
    """A company of 40 rows in two languages with these shares at each layer."""
    order, rows = np.arange(80), np.repeat(np.arange(40), 2)
    layers = [
        LayerCompany(rows, 1.0 * (order < 80 * t), 1.0 * (order >= 80 * (1 - o)), 0.2, 0.1, 0.0)
        for t, o in zip(translation, own, strict=True)
    ]
    return summarise(layers, np.ones((2, 40), bool))


def test_the_sentence_says_where_meaning_takes_over():
    states = LayerStates(3)
    said = say_company(company([0, 0.2, 0.7, 0.9], [0.9, 0.6, 0.3, 0]), states, 2)
    assert said.startswith("By language up to layer 1, by meaning from layer 2 on: 90\u00a0% (")
    found = company([0, 0.2, 0.7, 0.9], [0.9, 0.6, 0.3, 0])
    low, high = (percent(each[3], 0) for each in (found.translation_low, found.translation_high))
    assert f"({low} to {high}) of" in said
    assert "at layer 3" in said
    assert "at no layer" in say_company(company([0, 0.1], [0.9, 0.6]), LayerStates(1), 2)
    assert "from the first layer on" in say_company(
        company([0.6, 0.7], [0.1, 0.1]), LayerStates(1), 2
    )
    again = say_company(company([0.1, 0.7, 0.3, 0.9], [0.9, 0.1, 0.6, 0]), states, 2)
    assert "not at all layers above" in again
    assert say_crossing(company([0, 0.1], [0.9, 0.6])) == ""
    assert "They cross at" in say_crossing(company([0, 1], [1, 0]))


def test_extremes_name_a_pair_or_count_equals():
    values = np.array([[np.nan, 0.5, 1.0], [0.2, np.nan, 1.0], [0.4, 0.3, np.nan]])
    said = say_extremes(values, ["A", "B", "C"], both=True)
    assert said == "Highest 1.00: 2 pairs. Lowest 0.20: B to A."


def test_a_tree_is_said_to_agree_only_with_what_is_known(study, store):
    trees = LanguageTrees(study.key).answer(store)
    said = say_tree(trees, None, "means", study.states)
    best = int(np.nanargmax(trees.correlation))
    p = min(1, study.n_states * trees.p_value[best])
    assert (
        f"(r = {trees.correlation[best]:.2f}, p = {p:.2g} as the best of {study.n_states})" in said
    )


def test_python_and_command_line_say_what_the_answers_say(
    encoder, text, monkeypatch, capsys, tmp_path
):
    monkeypatch.setenv("ISOGLOSS_CACHE", str(tmp_path))
    monkeypatch.setattr(Store.__init__, "__kwdefaults__", {"demo": None, "limit_bytes": None})
    study = Study(extract(encoder, text, Store(tmp_path), ExtractionOptions(keep="means")))
    found = ig.languages(study.entry.key[:10])
    company = SentenceCompany(study.entry.key).answer(Store(tmp_path))
    assert found.rows()[2]["translation"] == company.translation[2]
    assert len(found.pairs()) == study.n_states * 20
    assert main(["languages", study.entry.key[:10]]) == 0
    assert capsys.readouterr().out.strip() == found.describe()
    assert main(["languages", study.entry.key[:10], "--csv"]) == 0
    printed = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert len(printed) == study.n_states
    for row in printed:
        assert (row["text"], row["rows"]) == (text.name, str(company.rows))
        assert row["languages"] == "–".join(text.languages)
    assert text.name in found.describe()
    assert len(found.figure().data) >= 2
