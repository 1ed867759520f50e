"""The map of a study: which sentences, kept once, read back the same."""

import numpy as np
import pytest

from isogloss.activations import extract
from isogloss.corpora import ParallelCorpus
from isogloss.errors import IsoglossError
from isogloss.links import LinkOptions
from isogloss.projection import ProjectionOptions
from isogloss.studies import Study
from isogloss.token_maps import (
    MapOptions,
    choose_sentences,
    find_map,
    layout_record,
    links_record,
    make_map,
    provenance,
)

PCA = MapOptions(projection=ProjectionOptions(method="pca"), links=LinkOptions(layer=2))


@pytest.fixture
def study(encoder, corpus, store):
    return Study(extract(encoder, corpus, store))


def corpus_of(topics, gold=None):
    n = len(topics)
    return ParallelCorpus("t", ("en", "zh"), ("a",) * n, ("甲",) * n, topics=tuple(topics))


def test_sentences_are_spread_over_the_topics():
    chosen = choose_sentences(corpus_of("aaaabbbbc"), 5)
    assert chosen.tolist() == [0, 1, 4, 5, 8]
    assert choose_sentences(corpus_of("aab"), 99).tolist() == [0, 1, 2]


def test_gold_comes_first(corpus):
    assert choose_sentences(corpus, 1).tolist() == [3]


def test_a_map_is_computed_once_and_read_back(study, store):
    assert find_map(study, PCA) is None
    shares = []
    made = make_map(study, store, PCA, lambda share, message: shares.append(share))
    found = find_map(study, PCA)
    assert found is not None
    np.testing.assert_array_equal(found.layout.coordinates, made.layout.coordinates)
    np.testing.assert_array_equal(found.links.pairs, made.links.pairs)
    np.testing.assert_array_equal(found.scores.ranks, made.scores.ranks)
    assert found.layout.coordinates.shape == (study.n_states, len(found.table), 2)
    assert shares == sorted(shares)
    before = len(shares)
    make_map(study, store, PCA, lambda share, message: shares.append(share))
    assert len(shares) == before  # nothing was computed again


def test_points_are_words_without_punctuation(study, store):
    table = make_map(study, store, PCA).table
    assert "tea" in table.text
    assert "绿茶" in table.text
    assert not {".", "。", "!", "！"} & set(table.text)
    for text, sentence, side, (start, end) in zip(
        table.text, table.sentence, table.side, table.spans, strict=True
    ):
        assert study.corpus.side(side)[sentence][start:end] == text


def test_gold_links_of_the_aligned_pair_are_on_the_map(study, store):
    found = make_map(study, store, PCA)
    named = {(found.table.text[a], found.table.text[b]) for a, b in found.links.pairs}
    assert {("I", "我"), ("like", "喜欢"), ("green", "绿茶"), ("tea", "绿茶")} <= named
    assert found.links.sentences_by_hand == 1
    assert found.scores.error_rate is not None


def test_every_option_has_its_own_address():
    others = [
        MapOptions(points="token"),
        MapOptions(sentences=10),
        MapOptions(projection=ProjectionOptions(seed=1)),
        MapOptions(projection=ProjectionOptions(remove_language_means=False)),
        MapOptions(links=LinkOptions("argmax")),
        MapOptions(links=LinkOptions(layer=3)),
    ]
    records = [str((layout_record(o), links_record(o))) for o in (MapOptions(), *others)]
    assert len(set(records)) == len(records)


def test_provenance_names_what_decides_the_picture(study, store):
    said = provenance(study, make_map(study, store, PCA))
    assert said["projection"] == "pca, seed 0"
    assert said["study"] == study.key
    assert study.corpus.content_hash.startswith(said["corpus hash"])


def test_a_map_of_nothing_is_refused():
    with pytest.raises(IsoglossError, match="at least one"):
        MapOptions(sentences=0)
