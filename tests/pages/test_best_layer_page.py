"""Best layer: four scores and the sentence; folded, what they are made of."""

from base64 import b64decode
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from components.best_layer.details import DETAILS
from isogloss.formatting import percent
from isogloss.measures.correlation import correlate
from isogloss.measures.language_probe import CHANCE
from isogloss.measures.nearest_neighbours import SCORES
from isogloss.measures.sentence_retrieval import METRICS
from isogloss.published import RETRIEVAL_ZH_EN, PublishedValue, Task, text_fingerprint
from isogloss.studies.best_layer.question import BestLayer
from isogloss.studies.best_layer.wording import SCORES as LAYER_SCORES
from isogloss.studies.best_layer.wording import compare_with, verdict
from isogloss.studies.extraction import extract
from isogloss.studies.layer_geometry import LayerGeometry
from isogloss.studies.mapping import LEVELS, PAIR_SCORES, MappedRetrieval, shipped_mapping
from isogloss.studies.retrieval import LanguageIdentity, SentenceRetrieval, confused_sentences
from isogloss.studies.similarity import LayerComparison
from isogloss.studies.study import Study
from isogloss.studies.word_alignment import align_sentence
from tests.helpers.pages import figures, metrics, said
from tests.pages.conftest import copied

ROOT = Path(__file__).parents[2]


ALL_OPEN = ".".join(detail.name for detail in DETAILS)


@pytest.fixture
def study(answered_study, app_store):
    """Its answers are kept already, so that no test waits for them."""
    return copied(answered_study, app_store)


@pytest.fixture
def open_page(open_app, patience):
    """Open a study at this page by its link, everything folded."""
    return lambda study, **query: open_app("best_layer", **{"study": study.key[:12]} | query)


@pytest.fixture
def open_details(open_page):
    """The same with all that is folded opened."""
    return lambda study, **query: open_page(study, open=ALL_OPEN, **query)


def line(figure, name):
    trace = next(trace for trace in figure["data"] if trace.get("name") == name)
    y = trace["y"]
    if isinstance(y, dict):
        return np.frombuffer(b64decode(y["bdata"]), y["dtype"])
    return np.array(y, float)


def test_the_sentence_is_about_the_chosen_score(open_page, study, app_store):
    app = open_page(study, by="alignment", layer="1")
    for name in reversed(LAYER_SCORES):
        app.segmented_control(key="best-layer-by").set_value(name).run()
        assert_it_is_about(app, study, app_store, name)


def assert_it_is_about(app, study, app_store, name):
    found = BestLayer(study.key, name).find(app_store)
    score = LAYER_SCORES[name]
    text = said(app)
    assert f"**{verdict(found, score, study.states)}**" in text
    assert compare_with(found, score, 1, study.states) in text
    assert f"English–Chinese, {found.rows:,} {found.counted}" in text
    assert found.badge in text
    shown = figures(app, "best-layers")[0]
    for each in LAYER_SCORES.values():
        kept = BestLayer(study.key, each.name).find(app_store)
        np.testing.assert_allclose(line(shown, each.title), kept.values)
    titles = [note["text"] for note in shown["layout"]["annotations"]]
    assert [title.startswith("<b>") for title in titles] == [each == name for each in LAYER_SCORES]


def test_another_score_is_chosen_and_in_the_address(open_page, study):
    app = open_page(study)
    assert "by" not in app.query_params
    app.segmented_control(key="best-layer-by").set_value("similarity").run()
    assert not app.exception
    assert app.query_params["by"] == "similarity"


def test_layers_that_cannot_be_told_from_the_best_are_shaded(open_page, study, app_store):
    shades = [
        shape
        for shape in figures(open_page(study), "best-layers")[0]["layout"]["shapes"]
        if shape["type"] == "rect"
    ]
    found = [BestLayer(study.key, name).find(app_store).differences for name in LAYER_SCORES]
    assert all(each.told_apart for each in found)
    tied = [each.tied for each in found]
    assert sum(shape["x1"] - shape["x0"] for shape in shades) == sum(each.sum() for each in tied)


def test_a_text_without_links_says_why_words_are_not_scored(
    open_page, encoder, bitext, app_store, monkeypatch
):
    monkeypatch.setattr("isogloss.studies.links.words.is_packaged_here", lambda: False)
    greek = replace(bitext, languages=("en", "el"), gold=None, words=None)
    study = Study(extract(encoder, greek, app_store))
    app = open_page(study)
    assert list(app.segmented_control(key="best-layer-by").options) == ["Sentences", "Similarity"]
    assert "**Best: " in said(app)
    assert "Words are not scored" in said(app)


def test_everything_else_is_folded_and_not_even_computed(open_page, made_study, app_store):
    study = copied(made_study, app_store)
    app = open_page(study)
    assert len(app.expander) == len(DETAILS)
    assert not any(each.proto.expanded for each in app.expander)
    assert LanguageIdentity(study.key).find(app_store) is None


@pytest.mark.parametrize(
    ("query", "opened"),
    [({"metric": "precision@5"}, "sentences"), ({"sentence": "2"}, "alignment")],
)
def test_a_link_of_the_former_page_opens_what_it_sets(open_page, study, query, opened):
    app = open_page(study, **query)
    assert app.query_params["open"] == opened
    ((name, value),) = query.items()
    assert app.query_params[name] == value


def test_what_is_opened_is_in_the_address_until_it_is_closed(open_page, study):
    app = open_page(study, open="alignment", sentence="2")
    app.session_state["How evenly the space is used"] = True
    app.run()
    assert app.query_params["open"] == "alignment.space"
    app.session_state["Which word is which"] = False
    app.run()
    assert app.query_params["open"] == "space"
    assert "sentence" not in app.query_params


@pytest.mark.parametrize("score", SCORES)
def test_curves_show_both_directions_of_the_kept_scores(open_page, study, app_store, score):
    app = open_page(study, open="sentences", score=score)
    found = SentenceRetrieval(study.key, score).find(app_store)
    shown = figures(app, "retrieval-curves")[0]
    np.testing.assert_allclose(line(shown, "English → Chinese"), found.values[:, 0, 0])
    np.testing.assert_allclose(line(shown, "Chinese → English"), found.values[:, 1, 0])
    assert any("chance" in note["text"] for note in shown["layout"]["annotations"])


def test_published_values_of_another_text_are_told_and_not_drawn(open_details, study):
    app = open_details(study)
    for key in ("retrieval-curves", "alignment-errors"):
        notes = [note["text"] for note in figures(app, key)[0]["layout"].get("annotations", [])]
        assert not [note for note in notes if "LaBSE" in note or "mBERT" in note]
    text = said(app)
    assert "1,000 pairs of the Tatoeba test, cmn-eng, and so not drawn: LaBSE 0.96" in text
    assert "and so not drawn: mBERT 0.18, eflomal 0.29, fast_align 0.38" in text


def test_published_values_of_the_very_same_text_are_drawn(open_page, study, monkeypatch):
    texts = tuple(zip(study.bitext.target, study.bitext.source, strict=True))
    task = Task("the same text", len(texts), text_fingerprint(reversed(texts)))
    known = PublishedValue("Twin", 0.9, RETRIEVAL_ZH_EN[0].source, task)
    monkeypatch.setattr("components.best_layer.sentences.RETRIEVAL_ZH_EN", (known,))
    app = open_page(study, open="sentences")
    notes = figures(app, "retrieval-curves")[0]["layout"]["annotations"]
    assert "Twin 0.9" in [note["text"] for note in notes]


def test_few_pairs_are_said_to_be_few_and_numbers_stand_with_their_interval(open_page, study):
    app = open_page(study, open="sentences", layer="2")
    assert "10 pairs are few: by chance 10\u00a0% of the sentences" in app.warning[0].value
    lowest = 10 / (10 + 1.96**2)  # Wilson's, where all are found
    assert f"goes down to {percent(lowest, 0)}" in app.warning[0].value
    assert all(" to " in metric.delta for metric in app.metric[:2])


def test_every_metric_can_be_chosen(open_page, study, app_store):
    app = open_page(study, layer="2", open="sentences")
    found = SentenceRetrieval(study.key).find(app_store)
    for index, metric in enumerate(METRICS):
        app.segmented_control(key="best-layer-metric").set_value(metric.name).run()
        assert app.metric[0].value == f"{found.values[2, 0, index]:.3f}"
        assert app.metric[2].value == f"{found.chance[index]:.3f}"
        assert all(shown.help for shown in app.metric)


@pytest.mark.parametrize("coordinates", ["standardised", "centred", "raw"])
def test_coordinates_are_one_choice_in_the_address(open_page, study, app_store, coordinates):
    app = open_page(study, open="sentences", coordinates=coordinates)
    found = SentenceRetrieval(study.key, coordinates=coordinates).find(app_store)
    shown = line(figures(app, "retrieval-curves")[0], "English → Chinese")
    np.testing.assert_allclose(shown, found.values[:, 0, 0])
    compared = LayerComparison(study.key, coordinates=coordinates).find(app_store)
    assert compared is not None, "the correlation is drawn in the same coordinates"
    assert [metric.label for metric in app.metric[:2]] == ["English → Chinese", "Chinese → English"]
    assert "10 pairs" in said(app)
    default = coordinates == "standardised"
    assert app.query_params.get("coordinates") == (None if default else coordinates)


@pytest.mark.parametrize("level", LEVELS)
def test_a_mapping_adds_its_curve(open_page, study, app_store, level):
    app = open_page(study, open="sentences", mapping=level)
    found = MappedRetrieval(study.key, level=level).find(app_store)
    badge = "" if level == "sentence" else ", links by hand and by an aligner"
    name = f"{LEVELS[level].lower()} mapped ({found.tested_on} tested{badge})"
    shown = figures(app, "retrieval-curves")[0]
    np.testing.assert_allclose(line(shown, name), found.after.values[:, :, 0].mean(1))
    np.testing.assert_allclose(
        line(shown, "the same, not mapped"), found.before.values[:, :, 0].mean(1)
    )


def test_correlation_is_told_with_its_n(open_page, study, app_store):
    app = open_page(study, open="sentences")
    similarity = LayerComparison(study.key).find(app_store).similarity
    found = SentenceRetrieval(study.key).find(app_store).curve("precision@1")
    expected = correlate(np.diagonal(similarity.values), found)
    text = f"Pearson **{expected.pearson:.2f}**, Spearman **{expected.spearman:.2f}** over n = 4"
    assert text.replace("-", "−") in said(app)


def test_confused_sentences_are_those_of_the_cursors_layer(open_page, study):
    app = open_page(study, open="sentences", layer="3")
    expected = confused_sentences(study, 3, SentenceRetrieval(study.key))
    table = app.dataframe[0].value
    assert list(table["Sentence"]) == [row.sentence for row in expected.shown]
    assert list(table["Found instead"]) == [row.found for row in expected.shown]
    assert f"{expected.confused} of 10 sentences" in said(app)


def test_word_alignment_shows_the_pair_made_by_hand_first(open_page, study):
    app = open_page(study, open="alignment", layer="2")
    assert app.selectbox(key="best-layer-sentence").value == 3
    expected = align_sentence(study, 3, 2)
    shown = figures(app, "alignment-matrix")[0]
    assert shown["layout"]["yaxis"]["ticktext"] == list(expected.source)
    dots = next(trace for trace in shown["data"] if trace.get("name") == "found at this layer")
    assert set(zip(dots["y"], dots["x"], strict=True)) == expected.links
    values = metrics(app)
    assert values["Error rate"] == f"{expected.scores.error_rate:.2f}"
    app.selectbox(key="best-layer-sentence").set_value(0).run()
    assert not app.exception
    assert "not aligned by hand" in said(app)


def test_probe_is_shown_against_chance(open_page, study, app_store):
    app = open_page(study, open="language")
    shown = figures(app, "language-identity")[0]
    found = LanguageIdentity(study.key).find(app_store)
    np.testing.assert_allclose(line(shown, "Language told rightly"), found.accuracy)
    assert f"chance {CHANCE:g}" in [note["text"] for note in shown["layout"]["annotations"]]


def test_the_axis_of_isoscore_ends_at_its_highest_value(open_page, study, app_store):
    app = open_page(study, open="space")
    top = LayerGeometry(study.key).find(app_store).iso_score.max()
    low, high = figures(app, "layer-geometry")[0]["layout"]["yaxis"]["range"]
    assert low <= 0 < top < high
    assert high < 1.2 * top or top > 0.5


def test_an_uploaded_dictionary_is_looked_up(open_page, study):
    app = open_page(study, open="dictionary")
    lines = "tea 绿茶\nbook 书\ncat 猫\ngarden 花园\nsun 太阳\nstation 车站\nanswer 答案\n"
    upload = app.get("file_uploader")[0]
    upload.set_value(("words.txt", lines.encode(), "text/plain")).run()
    assert not app.exception
    assert "dictionary words occur in the text" in said(app)


def test_a_bad_dictionary_gets_a_sentence(open_page, study):
    app = open_page(study, open="dictionary")
    upload = app.get("file_uploader")[0]
    upload.set_value(("words.txt", b"one two three", "text/plain")).run()
    assert not app.exception
    assert "Line 1 of words.txt" in said(app)


def test_without_a_study_the_page_says_where_to_make_one(open_app):
    app = open_app("best_layer")
    assert not app.exception
    assert "Your text" in said(app)


def test_two_models_of_one_language_each_are_told_from_what_ships(open_page, study):
    app = open_page(study, open="two-models")
    shown = figures(app, "model-pair")[0]
    for level in PAIR_SCORES:
        found = shipped_mapping(level)
        badge = "" if level == "sentence" else ", links by an aligner"
        name = f"{LEVELS[level]} ({found.tested_on:,} tested{badge})"
        np.testing.assert_allclose(line(shown, name), found.after.values[:, :, 0].mean(1))
    best = shipped_mapping("sentence").after.curve("precision@1").argmax()
    assert f"find their translation** among 1,000, at layer {best}." in said(app)
