"""Similarities of studies: the rows they compare, what is kept, and the paper's table."""

from dataclasses import replace

import numpy as np
import pytest

from isogloss.errors import IsoglossError, Stopped
from isogloss.measures.evenness import iso_score
from isogloss.measures.similarity.comparison import compare, compare_layers
from isogloss.measures.similarity.table import SIMILARITY_MEASURES
from isogloss.models.loading import load_model
from isogloss.published import ENCODER_KINDS, published_cka
from isogloss.store.results import read_result, write_result
from isogloss.studies import similarity
from isogloss.studies.extraction import extract
from isogloss.studies.layer_geometry import LayerGeometry
from isogloss.studies.paired_rows import Reading, pair_rows
from isogloss.studies.pooling import (
    point_table,
    point_vectors,
    sentence_pair_vectors,
    sentence_vectors,
)
from isogloss.studies.questions import Steps
from isogloss.studies.similarity import (
    LayerComparison,
    explain_cell,
    same_text,
    subtract,
    table_columns,
)
from isogloss.studies.study import Study, list_studies


@pytest.fixture
def study(encoder, bitext, store):
    return Study(extract(encoder, bitext, store))


@pytest.fixture
def other(decoder, bitext, store):
    """Another model, deeper, on the same text."""
    return Study(extract(decoder, bitext, store))


@pytest.fixture
def random_study(encoder_directory, bitext, store):
    model = load_model(f"random:{encoder_directory}", store, device="cpu")
    return Study(extract(model, bitext, store))


def test_comparison_equals_the_measure_on_pooled_sentences(study, store):
    found = LayerComparison(study.key).answer(store).similarity
    assert found.values.shape == (4, 4)
    X = sentence_pair_vectors(study, 1, "mean", "standardised")[0]
    Y = sentence_pair_vectors(study, 3, "mean", "standardised")[1]
    assert found.values[1, 3] == pytest.approx(compare(X, Y).value, abs=1e-6)
    assert found.rows == 10


def test_answer_is_kept_whole_and_not_computed_again(study, store, monkeypatch):
    question = LayerComparison(study.key, measure="cka", pooling="max")
    assert question.find(store) is None
    first = question.answer(store)
    monkeypatch.setattr(
        LayerComparison, "compute", lambda *_: pytest.fail("computed although it is kept")
    )
    second = question.answer(store)
    for name, value in vars(first.similarity).items():
        np.testing.assert_array_equal(value, getattr(second.similarity, name))
    assert question.find(store).available == 10
    assert replace(question, measure="procrustes").find(store) is None


def test_reasons_and_missing_parts_survive_storage(tmp_path):
    constant = [np.ones((10, 2)), np.random.default_rng(0).normal(size=(10, 2))]
    result = compare_layers(constant, constant)
    write_result(result, tmp_path)
    again = read_result(type(result), tmp_path)
    assert again.reasons.tolist() == result.reasons.tolist()
    assert again.undefined[0, 0]
    assert not again.undefined[1, 1]
    assert again.cell(0, 0).value is None


def test_a_stopped_comparison_keeps_nothing(study, store):
    question = LayerComparison(study.key)
    with pytest.raises(Stopped):
        question.answer(store, should_stop=lambda: True)
    assert question.find(store) is None


def test_steps_tell_how_far():
    told = []
    Steps(lambda *step: told.append(step), lambda: False).reach(1, 4, "half a half")
    assert told == [(0.25, "half a half")]


@pytest.mark.parametrize(
    "measure", [name for name, known in SIMILARITY_MEASURES.items() if not known.same_width]
)
def test_two_models_of_different_depth_compare(study, other, store, measure):
    question = LayerComparison(study.key, 0, other.key, 0, measure, coordinates="raw")
    found = question.answer(store).similarity
    assert found.values.shape == (4, 6), "the decoder's normed top is a layer of its own"
    X, Y = sentence_vectors(study, 2, 0), sentence_vectors(other, 4, 0)
    alone = compare(X, Y, measure)
    assert found.reasons[2, 4].replace("layer 2", "layer 0").replace("layer 4", "layer 0") == (
        alone.reason
    )
    assert found.values[2, 4] == pytest.approx(alone.value or 0, abs=1e-5)


def test_words_pair_up_by_hand_where_they_can(study, bitext):
    rows = pair_rows(Reading(study, 0), Reading(study, 1), "word", coordinates="raw")
    by_hand = {pair for pair, s in zip(rows.texts, rows.sentence, strict=True) if s == 3}
    assert by_hand == {("I", "我"), ("like", "喜欢"), ("green", "绿茶"), ("tea", "绿茶")}
    assert "made by hand" in rows.links
    table = point_table(study, "word")
    place = [
        np.flatnonzero((table.sentence == 3) & (table.side == side) & (table.text == word))[0]
        for side, word in ((0, "tea"), (1, "绿茶"))
    ]
    vectors = point_vectors(study, 2, table)
    row = rows.texts.index(("tea", "绿茶"))
    np.testing.assert_allclose(rows.first[2]()[row], vectors[place[0]], rtol=1e-5)
    np.testing.assert_allclose(rows.second[2]()[row], vectors[place[1]], rtol=1e-5)


def test_the_interval_of_words_draws_whole_sentences(study, store):
    question = LayerComparison(study.key, unit="word")
    found, rows = question.answer(store).similarity, question.rows(study, store)
    by_sentence = compare_layers(rows.first, rows.second, question.measure, groups=rows.sentence)
    by_word = compare_layers(rows.first, rows.second, question.measure)
    np.testing.assert_allclose(found.low, by_sentence.low, atol=1e-5)
    assert np.abs(found.low - by_word.low).max() > 0.01


def test_words_of_the_same_side_need_no_links(study, other):
    rows = pair_rows(Reading(study, 1), Reading(other, 1), "word")
    assert rows.links == ""
    assert all(first == second for first, second in rows.texts)
    assert len(rows.first[0]()) == len(rows.second[0]()) == len(rows)


def test_turned_round_the_words_are_the_same_pairs(study):
    ahead = pair_rows(Reading(study, 0), Reading(study, 1), "word")
    back = pair_rows(Reading(study, 1), Reading(study, 0), "word")
    assert back.texts == tuple((second, first) for first, second in ahead.texts)


def test_a_large_text_is_sampled_and_says_so(study):
    rows = pair_rows(Reading(study, 0), Reading(study, 1), most=6)
    assert (len(rows), rows.available) == (6, 10)
    again = pair_rows(Reading(study, 0), Reading(study, 1), most=6)
    np.testing.assert_array_equal(rows.sentence, again.sentence)
    assert rows.first[0]().shape == (6, 32)
    # In the text's order, each once, from all of the text and not from its beginning or end.
    assert (np.diff(rows.sentence) > 0).all()
    assert rows.sentence[0] < 4 < 6 < rows.sentence[-1]
    assert rows.sentence.tolist() not in ([*range(6)], [*range(4, 10)])
    whole = pair_rows(Reading(study, 0), Reading(study, 1))
    assert [whole.texts[row] for row in rows.sentence] == list(rows.texts)
    np.testing.assert_array_equal(whole.first[1]()[rows.sentence], rows.first[1]())
    # A text of exactly so many sentences is taken whole, however it would be drawn.
    assert pair_rows(Reading(study, 0), Reading(study, 1), most=10).sentence.tolist() == [
        *range(10)
    ]


def test_different_texts_do_not_compare(study, encoder, bitext, store):
    shorter = Study(extract(encoder, bitext.select(range(8)), store))
    with pytest.raises(IsoglossError, match="different texts"):
        LayerComparison(study.key, other=shorter.key).answer(store)


def test_a_cell_names_the_pairs_that_agree_most_and_least(study, store, bitext):
    question = LayerComparison(study.key)
    cell = explain_cell(question.rows(study, store), question.measure, 1, 2, count=3)
    assert [row.agreement for row in cell.most] == sorted(
        (row.agreement for row in cell.most), reverse=True
    )
    assert cell.least[0].agreement <= cell.least[-1].agreement < cell.most[-1].agreement
    for row in (*cell.most, *cell.least):
        assert (row.first, row.second) == (
            bitext.source[row.sentence],
            bitext.target[row.sentence],
        )


def test_difference_is_cautious_and_needs_the_same_depth(study, other, random_study, store):
    first, second, deeper = (
        LayerComparison(key).answer(store).similarity
        for key in (study.key, random_study.key, other.key)
    )
    difference = subtract(first, second)
    np.testing.assert_allclose(difference.values, first.values - second.values)
    assert (difference.low <= difference.values).all()
    assert (difference.values <= difference.high).all()
    with pytest.raises(IsoglossError, match="same depth"):
        subtract(first, deeper)


def test_table_has_one_model_and_the_random_floor_but_no_other_depth(
    study, other, random_study, store
):
    studies = list_studies(store)
    assert {s.key for s in same_text(study, studies)} == {other.key, random_study.key}
    columns = table_columns(study, studies, "cka")
    assert [column.kind for column in columns] == ["one model", "random"]
    assert columns[0].comparison == LayerComparison(study.key, measure="cka", coordinates="raw")
    # As in the paper: only the second language is read by the random encoder.
    assert columns[1].comparison == LayerComparison(
        study.key, 0, random_study.key, 1, measure="cka", coordinates="raw"
    )


def test_two_models_of_one_language_each_are_a_column_for_every_study_of_the_text(
    study, random_study, store, monkeypatch
):
    known = {study.model: "en", random_study.model: "zh"}
    monkeypatch.setattr(similarity, "is_monolingual", lambda name, code: known.get(name) == code)
    monkeypatch.setattr(similarity, "is_random", lambda study: False)
    columns = table_columns(random_study, list_studies(store), "cka")
    assert [column.kind for column in columns] == ["one model", "monolingual", "two models"]
    # English is read by the model of English whichever study is open.
    assert columns[1].comparison == LayerComparison(
        study.key, 0, random_study.key, 1, measure="cka", coordinates="raw"
    )
    again = table_columns(study, list_studies(store), "cka")
    assert [column.kind for column in again] == ["one model", "monolingual"]


def test_published_table_is_the_papers():
    columns = published_cka()
    assert len(columns) == 15
    assert all(len(column.values) == 9 for column in columns)
    # The paper's own averages, which rounding may move by a hundredth.
    for column in columns:
        assert np.mean(column.values) == pytest.approx(column.mean, abs=0.011)
    chinese = {c.kind: c.values for c in columns if c.languages == ("en", "zh")}
    assert tuple(chinese) == ENCODER_KINDS
    assert chinese["bilingual"][1] == 0.65
    assert chinese["random"][8] == 0.27


def test_a_measure_that_changes_takes_a_new_address(study, store, monkeypatch):
    question = LayerComparison(study.key, measure="neuron_correlation")
    question.answer(store)
    changed = replace(SIMILARITY_MEASURES["neuron_correlation"], version=3)
    monkeypatch.setitem(SIMILARITY_MEASURES, "neuron_correlation", changed)
    assert question.find(store) is None
    monkeypatch.undo()
    assert question.find(store) is not None


def test_layers_tell_how_they_use_their_space(study, store):
    found = LayerGeometry(study.key).answer(store)
    assert found.iso_score.shape == found.hubness.shape == (4, 2)
    vectors = sentence_pair_vectors(study, 2, "mean", "standardised")
    assert found.iso_score[2, 1] == pytest.approx(iso_score(vectors[1]))
    # Ten sentences are all among the ten nearest.
    assert (found.hubness == 0).all()
    assert (found.rows, found.neighbours) == (10, 10)
    raw = LayerGeometry(study.key, coordinates="raw").answer(store)
    assert raw.iso_score[2, 0] == pytest.approx(iso_score(sentence_vectors(study, 2, 0)))
