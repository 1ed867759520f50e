"""Languages: each part says what the answers say, and a cell leads to the pair's own pages."""

import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from components.languages import controls
from isogloss.figures.languages import pairs_figure
from isogloss.formatting import percent
from isogloss.models.loading import load_model
from isogloss.studies.extraction import ExtractionOptions, extract
from isogloss.studies.languages.company_by_language import company_by_language
from isogloss.studies.languages.questions import EveryPair, LanguageTrees, SentenceCompany
from isogloss.studies.languages.wording import (
    say_company,
    say_counts,
    say_crossing,
    say_of_languages,
    say_tree,
)
from isogloss.studies.study import Study
from isogloss.text.parallel import ParallelText
from tests.helpers.pages import as_read, labelled, said


@pytest.fixture(scope="module")
def many(bitext) -> ParallelText:
    sides = [bitext.source, bitext.target, [each.upper() for each in bitext.source]]
    topics = tuple("ab"[i % 2] for i in range(len(bitext)))
    return ParallelText.of_sides("three", ("en", "zh", "de"), sides, topics=topics)


@pytest.fixture
def study(encoder, many, app_store) -> Study:
    return Study(extract(encoder, many, app_store))


@pytest.fixture
def open_languages(open_app, patience):
    """Open a study at this page by its link, drawn by the projection that takes no time."""
    return lambda study, **query: open_app(
        "languages", **{"study": study.entry.key[:12], "method": "pca"} | query
    )


def test_without_a_text_in_many_languages_the_page_says_so(open_app, app_store):
    app = open_app("languages")
    assert "No text in more than two languages" in app.info[0].value


def test_the_crossing_is_said_as_it_was_measured(open_languages, study, app_store):
    app = open_languages(study)
    found = SentenceCompany(study.entry.key).answer(app_store)
    assert say_company(found, study.states, 3) in said(app)
    assert say_crossing(found) in said(app)
    assert "with random weights is here" in said(app)


def test_what_is_said_of_each_language_averages_to_what_is_said_of_all(study, app_store):
    found = SentenceCompany(study.entry.key).answer(app_store)
    shares = company_by_language(study, "standardised")
    assert shares is not None
    assert np.allclose(shares.mean(axis=1), np.stack([found.translation, found.own], axis=1))
    said_of = say_of_languages(shares, ["English", "Chinese", "German"])
    assert [len(each) for each in said_of] == [study.n_states] * 3
    own = f"another sentence in German for {percent(shares[1, 2, 1], 0)}"
    assert own in said_of[2][1]


def test_random_weights_stand_beside(open_languages, encoder_directory, study, many, app_store):
    random = load_model(f"random:{encoder_directory}", app_store, device="cpu")
    extract(random, many, app_store, ExtractionOptions(keep="means"))
    assert "With random weights" in said(open_languages(study))


def test_it_opens_on_what_other_pages_have_shown(open_app, encoder, many, app_store, study):
    shorter = replace(many.select(range(len(many) - 1)), name="shorter")
    for each in (study, Study(extract(encoder, shorter, app_store))):
        app = open_app("similarity", study=each.entry.key[:12])
        app.switch_page("pages/languages.py").run()
        assert app.session_state["languages-choice"].study == each.entry.key


def test_it_opens_on_the_showpiece_before_what_is_newer():
    def fake(model: str, demo: bool) -> SimpleNamespace:
        return SimpleNamespace(model=model, entry=SimpleNamespace(demo=demo))

    shown = {"a": fake("own", False), "b": fake("gemma", True), "c": fake(controls.SHOWPIECE, True)}
    assert controls.first_shown(shown, "another") == "c"
    assert controls.first_shown({"a": shown["a"], "b": shown["b"]}, None) == "b"
    assert controls.first_shown({"a": shown["a"]}, None) == "a"
    assert controls.first_shown(shown, "a") == "a"


def test_every_pair_and_a_cell_that_leads_on(open_languages, study, app_store):
    app = open_languages(study, show="pairs", cell="0.2", layer="2")
    table = EveryPair(study.entry.key).answer(app_store)
    assert f"Highest {np.nanmax(table.values[2]):.2f}" in said(app)
    assert "each one's own mean and the deviation of both" in said(app)
    app.button("open-Similarity").click().run()
    assert not app.exception
    assert app.query_params["study"] == study.entry.key[:12]
    assert app.query_params["layer"] == "2"


def test_where_cells_are_empty_the_matrix_has_the_number_of_sentences():
    values = np.array([[np.nan, 0.5, 0.25], [0.75, np.nan, np.nan], [0.5, np.nan, np.nan]])
    rows = np.array([[9, 7, 8], [7, 7, 0], [8, 0, 8]])

    def written(rows: np.ndarray) -> list[str]:
        figure = pairs_figure(values, rows, ["A", "B", "C"], [2, 1, 0], "Found", None, 0.0)
        assert not figure.layout.title.text
        return [re.sub("<[^>]+>", "|", each) for each in figure.data[1].text]

    assert written(rows) == [
        f"{value}||{n}|"
        for value, n in zip(["", ".50", "", ".75", ".25", ".50"], [0, 8, 0, 7, 8, 7], strict=True)
    ]
    assert written(np.full((3, 3), 9)) == ["", ".50", "", ".75", ".25", ".50"]
    assert "0 to 8" in say_counts(rows, in_cells=True)
    assert say_counts(np.full((3, 3), 9), in_cells=True) == ""


def test_a_pair_of_means_alone_is_read_first(open_languages, encoder, many, app_store):
    means = Study(extract(encoder, many, app_store, ExtractionOptions(keep="means")))
    app = open_languages(means, show="pairs", cell="0.1")
    assert app.button("open-read").label == "Read its words, too"


@pytest.mark.parametrize("distance", ["means", "meaning", "retrieval"])
def test_the_tree_is_said_as_it_was_measured(open_languages, study, app_store, distance):
    app = open_languages(study, show="tree", distance=distance)
    trees = LanguageTrees(study.entry.key, distance=distance).answer(app_store)
    assert say_tree(trees, None, distance, study.states) in said(app)
    assert ("For every two languages coordinates" in said(app)) == (distance != "means")
    assert "over all languages" in said(app)


def test_what_is_set_is_in_the_address(open_languages, open_app, study):
    app = open_languages(study, show="pairs", measure="cka", layer="1", color="topic")
    kept = {name: app.query_params[name] for name in app.query_params}
    assert {"show", "measure", "layer", "color", "method", "study"} <= set(kept)
    again = open_app("languages", **kept)
    assert {name: again.query_params[name] for name in again.query_params} == kept


def test_a_second_map_stands_beside_the_first_and_the_address_keeps_it(
    open_languages, open_app, encoder_directory, study, many, app_store
):
    app = open_languages(study)
    switch = labelled(app.selectbox, "Compare with…")
    assert switch.value is None
    assert "beside" not in app.query_params
    switch.set_value("raw").run()
    assert not app.exception
    assert app.query_params["beside"] == "raw"
    random = load_model(f"random:{encoder_directory}", app_store, device="cpu")
    other = Study(extract(random, many, app_store, ExtractionOptions(keep="means")))
    again = open_languages(study, beside=other.entry.key[:12])
    assert not again.exception
    switch = labelled(again.selectbox, "Compare with…")
    assert switch.value == other.entry.key
    assert again.query_params["beside"] == other.entry.key[:12]
    switch.set_value(None).run()
    assert "beside" not in again.query_params


@pytest.mark.parametrize(
    ("nonsense", "answer"),
    [
        ({"show": "everything"}, "which is not there: this page shows The crossing"),
        ({"view": "pairs"}, "which this page does not know: it is left out"),
        ({"beside": "nobody"}, "which is not there: it is left out"),
        ({"layer": "99"}, "which is not there: this page shows 3"),
    ],
)
def test_an_odd_address_is_answered_in_a_sentence_and_put_right(
    open_languages, study, nonsense, answer
):
    app = open_languages(study, **nonsense)
    ((name, value),) = nonsense.items()
    assert [as_read(each.value) for each in app.toast] == [
        f"The link asks for {name}={value}, {answer}."
    ]
    assert app.query_params.get(name) != value
    assert "The crossing" in str([each.options for each in app.button_group])


def test_a_cell_that_is_none_of_two_languages(open_languages, study):
    app = open_languages(study, show="pairs", cell="0.9")
    assert [as_read(each.value) for each in app.toast] == [
        "The link asks for cell=0.9, which is not there: it is left out."
    ]
    assert "Click a cell" in said(app)
