"""Intervals: Wilson's against SciPy's, resampled ones by how often they cover the truth."""

import numpy as np
import pytest
from scipy.stats import binomtest, norm

from isogloss.errors import IsoglossError
from isogloss.measures.uncertainty import (
    expanded_level,
    percentile_interval,
    ratio_interval,
    resample_counts,
    share_interval,
    wilson_interval,
)


@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
@pytest.mark.parametrize(("correct", "n"), [(0, 1), (1, 1), (3, 10), (0, 60), (167, 500), (60, 60)])
def test_it_is_scipys(correct, n, level):
    low, high = wilson_interval(correct, n, level)
    expected = binomtest(correct, n).proportion_ci(level, method="wilson")
    assert (low, high) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_its_ends_are_where_the_share_would_be_just_rejected():
    """What defines it: at either end p, the count lies z standard deviations from n p."""
    correct, n, z = 37, 90, norm.ppf(0.975)
    for end in wilson_interval(correct, n):
        assert abs(correct - n * end) == pytest.approx(z * np.sqrt(n * end * (1 - end)))


def test_arrays_keep_their_shape_and_what_is_missing_stays_so():
    low, high = wilson_interval(np.array([[1.0, np.nan], [5.0, 9.0]]), 10.0)
    assert low.shape == high.shape == (2, 2)
    assert np.isnan(low[0, 1])
    assert np.isnan(high[0, 1])
    assert (low[1] < [0.5, 0.9]).all()
    assert (high[1] > [0.5, 0.9]).all()


@pytest.mark.parametrize(("correct", "n", "level"), [(3, 2, 0.95), (-1, 2, 0.95), (1, 0, 0.95)])
def test_impossible_counts_are_said(correct, n, level):
    with pytest.raises(IsoglossError, match="between 0 and n"):
        wilson_interval(correct, n, level)


def test_impossible_levels_are_said():
    with pytest.raises(IsoglossError, match="between 0 and 1"):
        wilson_interval(1, 2, 95)


def clustered_hits(generator, sentences=40, words=8, agreement=0.9):
    """Hits of words whose sentence decides most of them; the true share is one half."""
    base = generator.random(sentences) < 0.5
    same = generator.random((sentences, words)) < agreement
    alone = generator.random((sentences, words)) < 0.5
    hits = np.where(same, base[:, None], alone)
    return hits.ravel().astype(float), np.repeat(np.arange(sentences), words)


def test_resampling_sentences_covers_the_truth_of_clustered_words():
    generator = np.random.default_rng(0)
    covered = {"words": 0, "sentences": 0}
    for _ in range(300):
        hits, sentence = clustered_hits(generator)
        for name, groups in (("words", None), ("sentences", sentence)):
            low, high = share_interval(hits[:, None], groups)
            covered[name] += int(low[0] <= 0.5 <= high[0])
    assert covered["sentences"] / 300 > 0.9
    assert covered["words"] / 300 < 0.7  # what words taken for independent would promise


def test_hits_and_misses_alone_have_wilsons_own_interval():
    hits = np.repeat([1.0, 0.0], [37, 3])
    ends = share_interval(hits[:, None])
    assert (ends[0][0], ends[1][0]) == pytest.approx(tuple(map(float, wilson_interval(37, 40))))


def test_words_that_copy_each_other_count_as_one():
    """Eight times the same word tells what one tells, but for Student's correction."""
    base = np.repeat([1.0, 0.0], [190, 10])
    copies, sentence = np.repeat(base, 8), np.repeat(np.arange(200), 8)
    alone, grouped = share_interval(base[:, None]), share_interval(copies[:, None], sentence)
    widths = [(high - low)[0] for low, high in (alone, grouped)]
    assert widths[1] == pytest.approx(widths[0], rel=0.03)
    assert widths[1] > widths[0]


def test_a_word_in_the_groups_of_others_does_not_tell_more_than_alone():
    """Each sentence has one hit and one miss: by groups the mean would never move."""
    hits, sentence = np.tile([1.0, 0.0], 20), np.repeat(np.arange(20), 2)
    low, high = share_interval(hits[:, None], sentence)
    alone = share_interval(hits[:, None])
    assert high[0] - low[0] == pytest.approx(alone[1][0] - alone[0][0])


def test_one_sentence_says_nothing_of_others():
    low, high = share_interval(np.array([[1.0], [0.0], [1.0]]), np.zeros(3))
    assert (low[0], high[0]) == pytest.approx((0, 1), abs=1e-6)


def test_rows_that_are_all_the_same_part_of_a_hit_are_certain():
    low, high = share_interval(np.full((20, 2), 0.05))
    assert low == pytest.approx([0.05, 0.05])
    assert high == pytest.approx([0.05, 0.05])


def test_a_ratio_has_the_interval_of_the_share_that_it_is():
    generator = np.random.default_rng(2)
    hits, sentence = clustered_hits(generator)
    parts = np.bincount(sentence, hits)
    low, high = share_interval(hits[:, None], sentence)
    assert ratio_interval(parts, np.bincount(sentence)) == pytest.approx((low[0], high[0]))
    assert ratio_interval(np.full(5, 4), np.full(5, 4))[1] == 1


def test_percentiles_of_few_rows_are_taken_further_out():
    """Hesterberg 2015: of ten rows 95 % takes the percentiles of 98.3 %."""
    assert expanded_level(10) == pytest.approx(0.983, abs=5e-4)
    assert expanded_level(10_000) == pytest.approx(0.95, abs=1e-4)


def test_groups_are_drawn_whole():
    groups = np.array([3, 3, 1, 1, 1, 2])
    counts = resample_counts(6, 50, groups=groups)
    for group in (1, 2, 3):
        assert (np.ptp(counts[:, groups == group], axis=1) == 0).all()
    drawn = counts[:, [0, 2, 5]].sum(axis=1)
    assert (drawn == 3).all()


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_a_share_of_nothing_or_all_has_wilsons_interval_by_groups(share):
    low, high = share_interval(np.full((12, 1), share), np.repeat(np.arange(4), 3))
    assert (low[0], high[0]) == pytest.approx(tuple(map(float, wilson_interval(4 * share, 4))))
    assert high[0] - low[0] > 0.3


@pytest.mark.parametrize("level", [-0.1, 0, 1, 95])
def test_a_level_is_a_share(level):
    with pytest.raises(IsoglossError, match="between 0 and 1"):
        percentile_interval(np.arange(5.0), level)
