"""A study of many languages on the pages: a pair is chosen at the left, and is in the address."""

from dataclasses import replace

import pytest

from isogloss.store import Store
from isogloss.studies.extraction import ExtractionOptions, extract
from isogloss.studies.languages.listing import find_pair_tokens
from isogloss.studies.similarity import LayerComparison
from isogloss.studies.study import Study, open_study
from isogloss.text.parallel import ParallelText
from tests.helpers.pages import labelled, metrics, said


@pytest.fixture
def text(bitext) -> ParallelText:
    shouted = [each.upper() for each in bitext.source]
    shouted[3] = ""
    return ParallelText.of_sides(
        "three", ("en", "zh", "sw"), [bitext.source, bitext.target, shouted]
    )


@pytest.fixture
def three(encoder, text, app_store: Store) -> Study:
    return Study(extract(encoder, text, app_store))


def picker(app, label: str):
    return labelled(app.sidebar.selectbox, label)


def test_a_pair_is_chosen_and_a_link_keeps_it(open_app, patience, three, app_store):
    app = open_app("similarity", study=three.key[:12])
    assert "pair" not in app.query_params
    assert picker(app, "First language").value == "en"
    picker(app, "Second language").select("sw").run()
    assert not app.exception
    assert app.query_params["pair"] == "en-sw"
    assert LayerComparison(three.pair("en", "sw").key).find(app_store) is not None
    assert "English–Swahili" in said(app)
    # Naming the other language's own turns the pair round.
    picker(app, "First language").select("sw").run()
    assert app.query_params["pair"] == "sw-en"
    again = open_app("similarity", study=three.key[:12], pair="zh-sw", layer="1")
    assert picker(again, "First language").value == "zh"
    assert picker(again, "Second language").value == "sw"
    assert again.query_params["pair"] == "zh-sw"
    assert again.slider[0].value == 1


def test_a_pair_that_is_not_there_is_the_first_two(open_app, patience, three):
    app = open_app("similarity", study=three.key[:12], pair="en-de")
    assert picker(app, "Second language").value == "zh"
    assert "pair" not in app.query_params


def test_two_languages_are_not_asked_for(open_app, patience, study):
    app = open_app("similarity", study=study.key[:12])
    assert "First language" not in [each.label for each in app.sidebar.selectbox]


def test_of_means_alone_the_tokens_of_a_pair_that_was_read_are_shown(
    open_app, patience, encoder, text, app_store
):
    small = Study(extract(encoder, text, app_store, ExtractionOptions(keep="means")))
    assert find_pair_tokens(small.pair("sw", "en")) is None
    pair = Study(extract(encoder, text.pair("sw", "en"), app_store))
    assert find_pair_tokens(small.pair("sw", "en")) == pair
    app = open_app("similarity", study=small.key[:12], pair="sw-en")
    assert LayerComparison(pair.key).find(app_store) is not None
    assert app.query_params["study"] == small.key[:12]
    assert app.query_params["pair"] == "sw-en"
    assert open_study(app_store, small.pair("sw", "en").key) == replace(small, sides=(2, 0))


def test_a_text_in_many_languages_is_shown_before_it_is_read(open_app):
    app = open_app("your_text")
    app.session_state["kept-way"] = "Paste"
    app.run()
    app.text_area[0].set_value("en\tde\tsw\nYes.\tJa.\tNdiyo.\nNo.\t\tHapana.").run()
    assert not app.exception
    shown = metrics(app)
    assert (shown["Languages"], shown["Rows"], shown["Sentences missing"]) == ("3", "2", "1")
    assert "Missing: German 1." in said(app)
    assert [name.strip() for name in app.dataframe[0].value] == ["English", "German", "Swahili"]
