"""What must hold for any two sets of paired vectors, however odd."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from isogloss.links.aligners import align_argmax, align_itermax, align_match
from isogloss.measures.nearest_neighbours import SCORES
from isogloss.measures.sentence_retrieval import score_pairs
from isogloss.measures.similarity.comparison import compare
from isogloss.measures.similarity.kernels import (
    debiased_linear_kernel,
    kernel_contributions,
    linear_kernel,
)
from isogloss.measures.similarity.streaming import feature_contributions
from isogloss.measures.similarity.table import SIMILARITY_MEASURES
from isogloss.measures.stacks import Array, centre
from isogloss.measures.uncertainty import FEWEST_RESAMPLED

# Whole numbers tie or differ clearly; others can differ by just what counts as a tie.
WHOLE = st.integers(-4, 4).map(float)
QUICK = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])

# Few distinct values make constant features, equal rows and ties likely; the scale varies widely.
ELEMENTS = st.one_of(
    st.integers(-3, 3).map(float),
    st.floats(-1e4, 1e4, width=32, allow_subnormal=False),
)


@st.composite
def pairs(
    draw: st.DrawFn,
    same_width: bool = True,
    elements: st.SearchStrategy[float] = ELEMENTS,
) -> tuple[Array, Array]:
    rows = draw(st.integers(4, 12))
    width = draw(st.integers(1, 6))
    other = width if same_width else draw(st.integers(1, 6))
    X = draw(arrays.arrays(np.float64, (rows, width), elements=elements))
    Y = draw(arrays.arrays(np.float64, (rows, other), elements=elements))
    return X, Y


@pytest.mark.parametrize("measure", SIMILARITY_MEASURES)
@QUICK
@given(pair=pairs())
def test_never_nan_always_in_range_and_symmetric(measure: str, pair: tuple[Array, Array]) -> None:
    X, Y = pair
    found = compare(X, Y, measure, samples=20)
    if found.value is None:
        assert found.reason.startswith("Undefined: ")
        return
    numbers = [found.value, found.baseline, found.baseline_deviation]
    assert np.isfinite(np.array(numbers, float)).all()
    ends = [found.low, found.high]
    if ends == [None, None]:
        assert len(X) < FEWEST_RESAMPLED
    else:
        assert np.isfinite(np.array(ends, float)).all()
    assert SIMILARITY_MEASURES[measure].lowest - 1e-6 <= found.value <= 1
    back = compare(Y, X, measure, samples=2).value
    assert back == pytest.approx(found.value, abs=1e-4)


@QUICK
@given(pair=pairs(same_width=False), debiased=st.booleans())
def test_kernels_and_features_agree(pair: tuple[Array, Array], debiased: bool) -> None:
    X, Y = pair
    kernel = debiased_linear_kernel if debiased else linear_kernel
    by_kernels = kernel_contributions([kernel(centre(X))], [kernel(centre(Y))])
    by_features = feature_contributions(lambda: [([X[:3]], [Y[:3]]), ([X[3:]], [Y[3:]])], debiased)
    assume(by_kernels.reasons[0, 0] == by_features.reasons[0, 0])
    np.testing.assert_allclose(by_kernels.values(), by_features.values(), atol=1e-4)


@QUICK
@given(pair=pairs(), seed=st.integers(0, 99), measure=st.sampled_from(list(SIMILARITY_MEASURES)))
def test_the_order_of_pairs_does_not_matter(
    pair: tuple[Array, Array], seed: int, measure: str
) -> None:
    X, Y = pair
    order = np.random.default_rng(seed).permutation(len(X))
    one, other = compare(X, Y, measure, samples=2), compare(X[order], Y[order], measure, samples=2)
    assume(one.value is not None and other.value is not None)
    assert one.value == pytest.approx(other.value, abs=1e-4)


@pytest.mark.parametrize("score", SCORES)
@QUICK
@given(pair=pairs(elements=WHOLE), centred=st.booleans())
def test_ranks_are_ranks(score: str, pair: tuple[Array, Array], centred: bool) -> None:
    X, Y = pair
    forward, backward = score_pairs(X, Y, score, centre=centred)
    for ranks in (forward, backward):
        assert ((ranks.better >= 0) & (ranks.better + ranks.tied < len(X))).all()
    other = score_pairs(Y, X, score, centre=centred)[0]
    np.testing.assert_array_equal(other.expected(), backward.expected())


@QUICK
@given(
    arrays.arrays(
        np.float64,
        st.tuples(st.integers(1, 7), st.integers(1, 7)),
        elements=st.floats(0.0625, 1, width=16),
    )
)
def test_alignments_keep_their_promises(similarities: Array) -> None:
    argmax, match = align_argmax(similarities), align_match(similarities)
    assert argmax <= align_itermax(similarities)
    assert len(match) == min(similarities.shape)
    for links in (argmax, match):
        assert len({i for i, _ in links}) == len({j for _, j in links}) == len(links)
    assert {(j, i) for i, j in align_match(similarities.T)} == match or sum(
        similarities[link] for link in match
    ) == pytest.approx(sum(similarities.T[link] for link in align_match(similarities.T)))
