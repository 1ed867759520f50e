"""Retrieval, mapping, probing and word alignment of studies, against direct computation."""

import numpy as np
import pytest

from isogloss.errors import IsoglossError
from isogloss.links.aligners import align_words, score_alignments, word_similarities
from isogloss.measures.coordinates import COORDINATES
from isogloss.measures.language_probe import probe_layers
from isogloss.measures.procrustes import score_mappings, split_rows
from isogloss.measures.sentence_retrieval import DIRECTIONS, score_layers
from isogloss.studies import mapping
from isogloss.studies.coordinates import token_statistics
from isogloss.studies.extraction import extract
from isogloss.studies.mapping import LEVELS, DictionaryTranslation, MappedRetrieval
from isogloss.studies.pooling import point_table, point_vectors, sentence_vectors
from isogloss.studies.retrieval import (
    LanguageIdentity,
    SentenceRetrieval,
    confused_sentences,
    say_if_all_found,
    say_if_chance,
    say_if_few,
)
from isogloss.studies.study import Study
from isogloss.studies.word_alignment import AlignmentQuality, align_sentence
from isogloss.text.reading import ParallelText


@pytest.fixture
def study(encoder, bitext, store):
    return Study(extract(encoder, bitext, store))


@pytest.fixture
def other(decoder, bitext, store):
    return Study(extract(decoder, bitext, store))


@pytest.fixture
def repeated(encoder, bitext, store):
    """The same ten pairs twice, so that no sentence can tell its translation from the copy."""
    twice = ParallelText("twice", bitext.languages, bitext.source * 2, bitext.target * 2)
    return Study(extract(encoder, twice, store))


def stacks(study, pooling="mean", coordinates="standardised"):
    """All sentence vectors of both sides, the coordinates computed here from scratch."""
    both = ([], [])
    for layer in range(study.n_states):
        sides = [
            sentence_vectors(study, layer, side, pooling).astype(np.float64) for side in (0, 1)
        ]
        if coordinates != "raw":
            sides = [vectors - vectors.mean(0) for vectors in sides]
        if coordinates == "standardised":
            deviation = np.concatenate(sides).std(0)
            sides = [vectors / np.where(deviation > 0, deviation, np.inf) for vectors in sides]
        for stack, vectors in zip(both, sides, strict=True):
            stack.append(vectors.astype(np.float32))
    return both


@pytest.mark.parametrize("pooling", ["mean", "last"])
@pytest.mark.parametrize("coordinates", COORDINATES)
def test_retrieval_equals_the_scores_of_pooled_sentences(study, store, pooling, coordinates):
    found = SentenceRetrieval(study.key, "cosine", pooling, coordinates).answer(store)
    expected = score_layers(*stacks(study, pooling, coordinates), "cosine")
    np.testing.assert_allclose(found.values, expected.values)
    np.testing.assert_allclose(found.low, expected.low)
    assert found.rows == 10


def test_probe_equals_the_probe_of_pooled_sentences(study, store):
    found = LanguageIdentity(study.key).answer(store)
    np.testing.assert_array_equal(
        found.accuracy, probe_layers(*stacks(study, coordinates="raw")).accuracy
    )


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_confusions_say_what_was_found_instead(study, bitext, direction):
    question = SentenceRetrieval(study.key, "cosine", coordinates="raw")
    found = confused_sentences(study, 3, question, direction)
    own = DIRECTIONS.index(direction)
    vectors = [sentence_vectors(study, 3, side).astype(np.float64) for side in (own, 1 - own)]
    X, Y = (v / np.linalg.norm(v, axis=1, keepdims=True) for v in vectors)
    nearest = (X @ Y.T).argmax(1)
    wrong = {row for row in range(10) if nearest[row] != row}
    assert wrong, "a random model must confuse something, or this shows nothing"
    assert {row.index for row in found.shown} == wrong
    assert (found.confused, found.rows) == (len(wrong), 10)
    for row in found.shown:
        assert row.sentence == bitext.side(own)[row.index]
        assert row.found == bitext.side(1 - own)[nearest[row.index]]
        assert row.translation == bitext.side(1 - own)[row.index]
        assert row.rank > 1
    assert [row.rank for row in found.shown] == sorted(
        (row.rank for row in found.shown), reverse=True
    )


def test_on_a_tie_the_confusion_is_not_the_translation_itself(repeated):
    found = confused_sentences(repeated, 0, SentenceRetrieval(repeated.key, "cosine"))
    assert found.confused == 20
    assert all(row.rank >= 1.5 for row in found.shown)


def test_mapping_of_sentences_equals_procrustes_on_the_same_halves(study, store):
    found = MappedRetrieval(study.key, score="cosine").answer(store)
    train, test = split_rows(10, groups=np.arange(10))
    expected = score_mappings(*stacks(study), train, test, "cosine")
    np.testing.assert_allclose(found.after.values, expected.values)
    before = score_layers(
        *([layer[test] for layer in stack] for stack in stacks(study)), "cosine", centre=True
    )
    np.testing.assert_allclose(found.before.values, before.values)
    assert (found.learned_from, found.tested_on) == (len(train), len(test))


def test_the_interval_of_mapped_words_draws_whole_sentences(study, store, monkeypatch):
    drawn = []

    def spy(*words, groups, **options):
        drawn.append(groups)
        return score_mappings(*words, groups=groups, **options)

    monkeypatch.setattr(mapping, "score_mappings", spy)
    MappedRetrieval(study.key, level="word").answer(store)
    (sentences,) = drawn
    assert 1 < len(set(sentences)) < len(sentences)


@pytest.mark.parametrize("level", LEVELS)
def test_every_level_maps_and_is_kept(study, store, level):
    question = MappedRetrieval(study.key, level=level)
    found = question.answer(store)
    assert found.after.values.shape == (4, 2, 4)
    assert found.after.rows == found.tested_on
    assert question.find(store).learned_from == found.learned_from


def test_between_models_nothing_is_compared_before_the_mapping(study, other, store):
    question = MappedRetrieval(study.key, other.key)
    assert question.answer(store).before is None
    assert question.find(store).after.values.shape == (4, 2, 4)


def test_too_little_text_for_a_mapping_is_said(encoder, bitext, store):
    few = Study(extract(encoder, bitext.select(range(5)), store))
    with pytest.raises(IsoglossError, match="Only 5 pairs"):
        MappedRetrieval(few.key).answer(store)


def test_dictionary_enters_the_address_by_its_content(study, store):
    entries = (("tea", "绿茶"), ("book", "书"), ("cat", "猫"), ("garden", "花园"), ("sun", "太阳"))
    question = DictionaryTranslation(study.key, entries, mapped=False)
    found = question.answer(store)
    assert found.values.shape == (4, 4)
    assert found.entries == 5
    assert 0 < found.covered <= 5
    assert question.find(store).tested == found.tested
    assert DictionaryTranslation(study.key, entries[:-1], mapped=False).find(store) is None
    assert "tea" not in str(question.record())


@pytest.mark.parametrize("coordinates", COORDINATES)
def test_sentence_alignment_is_read_off_the_layer(study, bitext, coordinates):
    found = align_sentence(study, 3, 2, "argmax", coordinates)
    assert found.source == ("I", "like", "green", "tea", ".")
    assert found.target == ("我", "喜欢", "绿茶", "。")
    table = point_table(study, "word", np.array([3]))
    vectors = token_statistics(study, 2).apply(
        point_vectors(study, 2, table).astype(np.float64), table.side, coordinates
    )
    expected = word_similarities(vectors[table.side == 0], vectors[table.side == 1])
    np.testing.assert_allclose(found.similarities, expected, atol=1e-6)
    assert found.links == align_words(expected, "argmax")
    assert found.gold == bitext.gold[3]
    assert found.scores.error_rate == score_alignments([found.links], [found.gold]).error_rate


def test_a_pair_without_gold_has_no_score(study):
    found = align_sentence(study, 2, 1)
    assert found.gold is None
    assert found.scores is None


def test_statistics_are_of_all_tokens_but_special_ones(study):
    tokens = study.tokens
    states = study.scale * study.entry.layer(1).astype(np.float64)
    found = token_statistics(study, 1)
    centred = []
    for side in (0, 1):
        mine = states[(tokens.side == side) & ~tokens.special]
        np.testing.assert_allclose(found.means[side], mine.mean(0), rtol=1e-5, atol=1e-6)
        centred.append(mine - mine.mean(0))
    np.testing.assert_allclose(found.deviation, np.concatenate(centred).std(0), rtol=1e-5)


def test_alignment_quality_equals_the_score_of_each_pair_with_gold(study, store):
    found = AlignmentQuality(study.key, "match").answer(store)
    assert found.sentences == 1
    for layer in range(4):
        alone = align_sentence(study, 3, layer, "match").scores
        assert found.error_rate[layer] == pytest.approx(alone.error_rate)
        assert found.precision[layer] == pytest.approx(alone.precision)
        assert found.recall[layer] == pytest.approx(alone.recall)


def test_without_gold_there_is_no_quality(encoder, bitext, store):
    plain = ParallelText("plain", bitext.languages, bitext.source, bitext.target)
    study = Study(extract(encoder, plain, store))
    with pytest.raises(IsoglossError, match="aligned by hand"):
        AlignmentQuality(study.key).answer(store)


def identical(rows, layers=3):
    """Scores where every sentence finds its translation at every layer but the first."""
    generator = np.random.default_rng(0)
    X, Y = generator.normal(size=(2, rows, 16))
    return score_layers([X, *[Y] * (layers - 1)], [Y] * layers)


def test_a_dozen_pairs_are_said_to_be_few_and_what_all_found_can_not_tell():
    said = say_if_few(identical(12))
    assert "12 pairs are few: by chance 8\u00a0% " in said
    assert "interval still goes down to 76\u00a0%" in said  # 12 / (12 + 1.96²)
    assert say_if_few(identical(40)) == ""
    assert "At 2 of 3 layers all 12 find" in say_if_all_found(identical(12))
    assert say_if_all_found(identical(12, layers=2)) == ""


def test_the_best_layer_of_unrelated_sides_is_said_to_be_chance():
    assert say_if_chance(identical(12)) == ""
    generator = np.random.default_rng(1)
    said = [say_if_chance(score_layers(*generator.normal(size=(2, 6, 30, 8)))) for _ in range(60)]
    assert "by luck 3.3\u00a0% of the sentences" in said[0]
    assert sum(map(bool, said)) >= 0.9 * len(said)  # 95 % are to be had
