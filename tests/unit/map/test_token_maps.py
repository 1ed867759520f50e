"""The map of a study: which sentences, kept once, read back the same."""

import shutil
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from isogloss.errors import IsoglossError
from isogloss.map import maps
from isogloss.map.data import data_so_far, provenance, scrubber_data
from isogloss.map.maps import MapOptions, find_map, make_map
from isogloss.measures.coordinates import COORDINATES
from isogloss.measures.linked_points import seen_in_picture
from isogloss.measures.projection.layout import FittedLayers, ProjectionOptions, project_layers
from isogloss.measures.uncertainty import share_interval
from isogloss.store import Entry, Store
from isogloss.studies.coordinates import token_statistics
from isogloss.studies.extraction import extract
from isogloss.studies.links.points import LinkOptions
from isogloss.studies.study import Study, open_study
from isogloss.text.parts import TextPart, choose_spread
from isogloss.text.reading import ParallelText

PCA = MapOptions(projection=ProjectionOptions(method="pca"), links=LinkOptions())


@pytest.fixture
def study(encoder, bitext, store):
    return Study(extract(encoder, bitext, store))


def text_of(topics, gold=None):
    n = len(topics)
    return ParallelText("t", ("en", "zh"), ("a",) * n, ("甲",) * n, topics=tuple(topics))


def test_sentences_are_spread_over_the_topics():
    chosen = choose_spread(text_of("aaaabbbbc"), 5)
    assert chosen.tolist() == [0, 1, 4, 5, 8]
    assert choose_spread(text_of("aab"), 99).tolist() == [0, 1, 2]


def test_gold_comes_first(bitext):
    assert choose_spread(bitext, 1).tolist() == [3]


def test_the_interval_of_the_map_draws_whole_sentences(study, store):
    token_map = make_map(study, store, PCA)
    linked, scores = np.unique(token_map.scored.pairs), token_map.scores
    last = study.n_layers
    hits = (scores.ranks[last, linked] == 1).astype(float)
    assert hits.mean() == scores.nearest_share[last], "there is no tie at the last layer"
    by_sentence = share_interval(hits[:, None], token_map.table.sentence[linked])
    found = scores.nearest_low[last], scores.nearest_high[last]
    assert found == pytest.approx(np.ravel(by_sentence))
    # By sentence is another interval; at which layer it can be seen depends on the tiny model.
    all_hits = (scores.ranks[:, linked] == 1).T.astype(float)
    sentences = token_map.table.sentence[linked]
    assert not np.allclose(share_interval(all_hits, sentences), share_interval(all_hits, None))


def test_a_picture_that_keeps_less_than_a_fifth_says_so_on_itself(study, store):
    token_map = make_map(study, store, PCA)
    kept = np.array([0.19, 0.2, 0.21, 0.05])
    poor = replace(token_map, layout=replace(token_map.layout, preservation=kept))
    assert [bool(note) for note in scrubber_data(study, poor).notes] == (kept < 0.2).tolist()


def test_a_map_is_computed_once_and_read_back(study, store):
    assert find_map(study, PCA) is None
    shares = []
    made = make_map(study, store, PCA, lambda share, message: shares.append(share))
    found = find_map(study, PCA)
    assert found is not None
    np.testing.assert_array_equal(found.layout.positions, made.layout.positions)
    np.testing.assert_array_equal(found.drawn.pairs, made.drawn.pairs)
    np.testing.assert_array_equal(found.scores.ranks, made.scores.ranks)
    assert found.layout.positions.shape == (study.n_states, len(found.table), 2)
    assert shares == sorted(shares)
    before = len(shares)
    make_map(study, store, PCA, lambda share, message: shares.append(share))
    assert len(shares) == before  # nothing was computed again


def test_what_the_eye_sees_is_kept_with_the_picture_it_is_of(study, store, monkeypatch):
    tsne = replace(PCA, projection=ProjectionOptions(method="tsne"))
    pictures = [make_map(study, store, options) for options in (PCA, tsne)]
    for picture in pictures:
        places, side = picture.layout.positions, picture.table.side
        expected = seen_in_picture(places, side, picture.scored.pairs)
        np.testing.assert_array_equal(picture.seen, expected)
    monkeypatch.setattr(maps, "seen_in_picture", None)  # searched again, it would fail
    for options, picture in zip((PCA, tsne), pictures, strict=True):
        found = find_map(study, options)
        assert found is not None
        np.testing.assert_array_equal(found.seen, picture.seen)


def test_layers_of_a_large_map_are_shown_before_its_scores(study, store, monkeypatch):
    monkeypatch.setattr(maps, "project_layers", partial(project_layers, most_exact=5))
    shown = []
    made = make_map(study, store, PCA, show=shown.append)
    (so_far,) = shown
    np.testing.assert_array_equal(so_far.fitted.positions, made.layout.positions)
    np.testing.assert_array_equal(so_far.drawn.pairs, made.drawn.pairs)
    later = replace(so_far, fitted=FittedLayers(2, so_far.fitted.positions[2:]))
    data = data_so_far(study, later)
    assert list(data.stops) == [str(layer) for layer in range(2, study.n_states)]
    assert not data.ranks.any()
    assert data.texts == scrubber_data(study, made).texts


def test_a_part_with_too_many_words_says_how_many_pairs_fit(study, store, monkeypatch):
    words = len(make_map(study, store, PCA).table)
    monkeypatch.setattr(maps, "MOST_POINTS", words - 1)
    with pytest.raises(IsoglossError, match=rf"have {words} words.*choose about \d+ pairs"):
        make_map(study, store, replace(PCA, part=TextPart(41)))


def test_points_are_words_without_punctuation(study, store):
    table = make_map(study, store, PCA).table
    assert "tea" in table.text
    assert "绿茶" in table.text
    assert not {".", "。", "!", "！"} & set(table.text)
    for text, sentence, side, (start, end) in zip(
        table.text, table.sentence, table.side, table.spans, strict=True
    ):
        assert study.bitext.side(side)[sentence][start:end] == text


def test_gold_links_of_the_aligned_pair_are_on_the_map(study, store):
    found = make_map(study, store, PCA)
    named = {(found.table.text[a], found.table.text[b]) for a, b in found.scored.pairs}
    assert {("I", "我"), ("like", "喜欢"), ("green", "绿茶"), ("tea", "绿茶")} <= named
    assert found.scored.sources["gold"] == 1
    assert found.scores.error_rate is not None


def test_every_option_has_its_own_address(study, store):
    others = [
        replace(PCA, points="token"),
        replace(PCA, part=TextPart(4)),
        replace(PCA, coordinates="raw"),
        replace(PCA, projection=ProjectionOptions("pca", seed=1)),
        replace(PCA, links=LinkOptions("argmax")),
        replace(PCA, links=LinkOptions("argmax", layer=3)),
    ]
    make_map(study, store, PCA)
    for options in others:
        assert find_map(study, options) is None
        make_map(study, store, options)


def test_a_planted_rogue_dimension_changes_raw_scores_and_pictures_only(study, store, monkeypatch):
    """One coordinate times 100, as if the model had it."""
    plain = {c: make_map(study, store, replace(PCA, coordinates=c)) for c in COORDINATES}
    factor = np.ones(study.entry.facts["width"], np.float32)
    factor[5] = 100
    read = Entry.layer
    monkeypatch.setattr(Entry, "layer", lambda entry, index: read(entry, index) * factor)
    token_statistics.cache_clear()
    other = Store(store.root.parent / "other", demo=None)
    shutil.copytree(store.root, other.root, ignore=shutil.ignore_patterns("derived"))
    rogue_study = open_study(other, study.key)
    rogue = {c: make_map(rogue_study, other, replace(PCA, coordinates=c)) for c in COORDINATES}

    def change(coordinates):
        before, after = plain[coordinates], rogue[coordinates]
        scores = np.abs(before.scores.nearest_share - after.scores.nearest_share).max()
        picture = np.abs(before.layout.positions - after.layout.positions).max()
        ranks = np.mean(before.scores.ranks != after.scores.ranks)
        return scores, picture, ranks

    scores, picture, ranks = change("standardised")
    assert max(scores, picture) < 0.02
    assert ranks < 0.05
    _, picture, ranks = change("centred")
    assert picture > 0.5
    assert ranks > 0.5


def test_subwords_link_to_all_subwords_of_the_translation(study, store):
    found = make_map(study, store, replace(PCA, points="token"))
    table, gold = found.table, 3
    named = {
        (table.text[a], table.text[b]) for a, b in found.scored.pairs if table.sentence[a] == gold
    }
    assert {("tea", "绿"), ("tea", "茶"), ("I", "我")} <= named
    assert ("tea", "我") not in named


def test_provenance_names_what_decides_the_picture(study, store):
    said = provenance(study, make_map(study, store, PCA))
    assert said["projection"] == "pca, seed 0"
    assert said["study"] == study.key
    assert study.bitext.content_hash.startswith(said["text hash"])


def test_a_map_of_nothing_is_refused():
    with pytest.raises(IsoglossError, match="at least one"):
        MapOptions(part=TextPart(0))
