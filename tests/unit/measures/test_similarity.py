"""Similarity measures against the formulas of their papers, written out in double precision."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

import numpy as np
import pytest
import scipy.linalg
import scipy.stats
from scipy.spatial.distance import cdist, pdist, squareform

from isogloss.errors import IsoglossError
from isogloss.measures.similarity import cka
from isogloss.measures.similarity.comparison import (
    agreements,
    compare,
    compare_layers,
    contributions,
    stream_layers,
)
from isogloss.measures.similarity.kernels import (
    TILE,
    debiased_linear_kernel,
    kernel_contributions,
    linear_kernel,
)
from isogloss.measures.similarity.streaming import feature_contributions
from isogloss.measures.similarity.table import SIMILARITY_MEASURES
from isogloss.measures.stacks import Array, centre
from isogloss.measures.uncertainty import wilson_interval


def unbiased_hsic(K: Array, L: Array) -> float:
    """Song et al. (2012), equation 5, term by term."""
    n = len(K)
    K, L = K * (1 - np.eye(n)), L * (1 - np.eye(n))
    ones = np.ones(n)
    total = np.trace(K @ L)
    total += (ones @ K @ ones) * (ones @ L @ ones) / ((n - 1) * (n - 2))
    total -= 2 / (n - 2) * (ones @ K @ L @ ones)
    return float(total / (n * (n - 3)))


def debiased(K: Array, L: Array) -> float:
    return unbiased_hsic(K, L) / np.sqrt(unbiased_hsic(K, K) * unbiased_hsic(L, L))


def reference_debiased_cka(X: Array, Y: Array) -> float:
    return debiased(X @ X.T, Y @ Y.T)


def reference_cka(X: Array, Y: Array) -> float:
    """By Gram matrices and an explicit centring matrix, where the code centres features."""
    n = len(X)
    H = np.eye(n) - 1 / n
    K, L = H @ X @ X.T @ H, H @ Y @ Y.T @ H
    return float(np.sum(K * L) / (np.linalg.norm(K) * np.linalg.norm(L)))


def reference_rbf_cka(X: Array, Y: Array) -> float:
    def kernel(Z: Array) -> Array:
        distances = pdist(Z)
        return np.exp(-(squareform(distances) ** 2) / (2 * (0.4 * np.median(distances)) ** 2))

    return debiased(kernel(X), kernel(Y))


def reference_neuron_correlation(X: Array, Y: Array) -> float:
    return float(np.mean([abs(np.corrcoef(x, y)[0, 1]) for x, y in zip(X.T, Y.T, strict=True)]))


def reference_procrustes(X: Array, Y: Array) -> float:
    X, Y = X - X.mean(0), Y - Y.mean(0)
    return float(np.linalg.norm(X.T @ Y, "nuc") / np.linalg.norm(X) / np.linalg.norm(Y))


def cosines(X: Array, Y: Array) -> Array:
    return 1 - cdist(X, Y, "cosine")


def reference_mexa(X: Array, Y: Array) -> float:
    c = cosines(X, Y)
    others = range(len(c))
    return float(
        np.mean([all(c[i, i] > max(c[i, j], c[j, i]) for j in others if j != i) for i in others])
    )


def nearest_others(X: Array, k: int) -> list[set[int]]:
    c = cosines(X, X)
    others = [sorted(set(range(len(X))) - {i}, key=lambda j: -c[i, j]) for i in range(len(X))]
    return [set(ordered[:k]) for ordered in others]


def reference_mutual_neighbours(X: Array, Y: Array, k: int = 10) -> float:
    both = zip(nearest_others(X, k), nearest_others(Y, k), strict=True)
    return float(np.mean([len(first & second) / k for first, second in both]))


def reference_cknna(X: Array, Y: Array, k: int = 10) -> float:
    """The U-centred kernels by explicit row means, then the sums over neighbours, one by one."""

    def u_centred(Z: Array) -> Array:
        n = len(Z)
        K = cosines(Z, Z) * (1 - np.eye(n))
        rows = K.sum(1, keepdims=True) / (n - 2)
        return (K - rows - rows.T + K.sum() / ((n - 1) * (n - 2))) * (1 - np.eye(n))

    K, L = u_centred(X), u_centred(Y)
    near_x, near_y = nearest_others(X, k), nearest_others(Y, k)

    def align(K: Array, L: Array, near: list[set[int]], also: list[set[int]]) -> float:
        return sum(K[i, j] * L[i, j] for i in range(len(K)) for j in near[i] & also[i])

    own = align(K, K, near_x, near_x) * align(L, L, near_y, near_y)
    return float(align(K, L, near_x, near_y) / np.sqrt(own))


def reference_rsa(X: Array, Y: Array) -> float:
    found = scipy.stats.spearmanr(pdist(X, "correlation"), pdist(Y, "correlation"))
    return float(found.statistic)


def reference_svcca(X: Array, Y: Array) -> float:
    """By orthonormal bases, whose singular values are the cosines of the canonical angles."""

    def components(Z: Array) -> Array:
        left, lengths, _ = np.linalg.svd(Z - Z.mean(0), full_matrices=False)
        share = np.cumsum(lengths**2) / np.sum(lengths**2)
        return left[:, : np.argmax(share >= 0.99) + 1]

    return float(np.mean(np.cos(scipy.linalg.subspace_angles(components(X), components(Y)))))


REFERENCES: dict[str, Callable[[Array, Array], float]] = {
    "debiased_cka": reference_debiased_cka,
    "cka": reference_cka,
    "rbf_cka": reference_rbf_cka,
    "neuron_correlation": reference_neuron_correlation,
    "procrustes": reference_procrustes,
    "mexa": reference_mexa,
    "mutual_neighbours": reference_mutual_neighbours,
    "cknna": reference_cknna,
    "rsa": reference_rsa,
    "svcca": reference_svcca,
}
ROTATABLE = ["debiased_cka", "cka", "rbf_cka", "procrustes", "svcca"]
# What each says of itself: rotating one side, or moving it, changes nothing.
DIRECTIONAL = ["mutual_neighbours", "cknna"]
LINEAR = ["debiased_cka", "cka"]


def related(
    rows: int = 90, width: int = 24, shared: int = 6, noise: float = 1.0, seed: int = 0
) -> tuple[Array, Array]:
    """Two sides that share some directions; mean and scale differ from 0 and 1."""
    generator = np.random.default_rng(seed)
    latent = generator.normal(size=(rows, shared))
    X = latent @ generator.normal(size=(shared, width)) + noise * generator.normal(
        size=(rows, width)
    )
    Y = latent @ generator.normal(size=(shared, width)) + noise * generator.normal(
        size=(rows, width)
    )
    return 3 * X + 5, Y - 2


def rotation(width: int, seed: int = 0) -> Array:
    return np.linalg.qr(np.random.default_rng(seed).normal(size=(width, width)))[0]


def value_of(X: Array, Y: Array, measure: str) -> float:
    value = compare(X, Y, measure, samples=2).value
    assert value is not None
    return value


def test_every_measure_is_tested_and_described() -> None:
    assert set(REFERENCES) == set(SIMILARITY_MEASURES)
    for name, measure in SIMILARITY_MEASURES.items():
        assert measure.name == name
        texts = [measure.title, measure.explanation, measure.formula, measure.blind_to]
        assert all([*texts, measure.invariant, measure.paper])
        assert -1 <= measure.lowest < measure.highest == 1


@pytest.mark.parametrize("measure", SIMILARITY_MEASURES)
@pytest.mark.parametrize("rows", [12, TILE + 45])
def test_equals_the_paper(measure: str, rows: int) -> None:
    X, Y = related(rows)
    assert value_of(X, Y, measure) == pytest.approx(REFERENCES[measure](X, Y), abs=2e-6)


@pytest.mark.parametrize(
    "measure", [name for name, m in SIMILARITY_MEASURES.items() if not m.same_width]
)
def test_widths_may_differ(measure: str) -> None:
    X, Y = related(60, 40)
    assert value_of(X, Y[:, :7], measure) == pytest.approx(
        REFERENCES[measure](X, Y[:, :7]), abs=2e-6
    )


@pytest.mark.parametrize("measure", ["neuron_correlation", "mexa"])
def test_some_ask_for_one_width(measure: str) -> None:
    X, Y = related()
    with pytest.raises(IsoglossError, match=r"same width, not \[5, 24\]"):
        compare(X, Y[:, :5], measure)


@pytest.mark.parametrize("measure", sorted(set(SIMILARITY_MEASURES) - {"mexa"}))
def test_single_precision_survives_large_means_and_outlier_features(measure: str) -> None:
    X, Y = related(150, 20)
    X[:, 3] *= 300
    Y[:, 3] += 0.2 * X[:, 3]
    X, Y = (X + 1e4).astype(np.float32), (Y - 300).astype(np.float32)
    expected = REFERENCES[measure](X.astype(np.float64), Y.astype(np.float64))
    assert value_of(X, Y, measure) == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("measure", SIMILARITY_MEASURES)
def test_all_pairs_at_once_equal_each_pair_alone(measure: str) -> None:
    generator = np.random.default_rng(3)
    X, Y = related(70, 10)
    stack_a = [X, X + generator.normal(size=X.shape), generator.normal(size=X.shape)]
    stack_b = [Y, generator.normal(size=X.shape)]
    found = compare_layers(stack_a, stack_b, measure, samples=50)
    for (i, a), (j, b) in itertools.product(enumerate(stack_a), enumerate(stack_b)):
        alone = compare(a, b, measure, samples=50)
        cell = found.cell(i, j)
        assert cell.value == pytest.approx(alone.value, abs=1e-6)
        assert cell.low == pytest.approx(alone.low, abs=1e-6)
        assert cell.baseline == pytest.approx(alone.baseline, abs=1e-6)


@pytest.mark.parametrize("measure", LINEAR)
@pytest.mark.parametrize(("rows", "widths"), [(30, (50, 11)), (TILE + 9, (8, 30))])
def test_kernels_and_features_are_two_derivations_of_one_thing(
    measure: str, rows: int, widths: tuple[int, int]
) -> None:
    X, Y = related(rows, 50)
    a = [X[:, : widths[0]], X[:, 1 : 1 + widths[0]] ** 2]
    b = [Y[:, : widths[1]]]
    kernel = {"cka": linear_kernel, "debiased_cka": debiased_linear_kernel}[measure]
    by_kernels = kernel_contributions(
        [kernel(centre(x)) for x in a], [kernel(centre(y)) for y in b]
    )

    def blocks() -> Iterator[tuple[list[Array], list[Array]]]:
        for part in (slice(0, 7), slice(7, 8), slice(8, None)):
            yield [x[part] for x in a], [y[part] for y in b]

    by_features = feature_contributions(blocks, debiased=measure == "debiased_cka")
    for one, other in (
        (by_kernels.joint, by_features.joint),
        (by_kernels.left, by_features.left),
        (by_kernels.right, by_features.right),
    ):
        np.testing.assert_allclose(one, other, atol=1e-6 * np.abs(other).max())
    np.testing.assert_allclose(by_kernels.baseline.mean, by_features.baseline.mean, atol=1e-6)
    np.testing.assert_allclose(
        by_kernels.baseline.deviation, by_features.baseline.deviation, atol=1e-6
    )
    streamed = stream_layers(blocks, measure)
    assert streamed.values[0, 0] == pytest.approx(REFERENCES[measure](a[0], b[0]), abs=1e-9)


@pytest.mark.parametrize("measure", LINEAR)
def test_many_rows_take_the_feature_form_and_read_the_same(
    measure: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, Y = related(400, 5, shared=3)
    used = []
    monkeypatch.setattr(
        cka,
        "feature_contributions",
        lambda *given, **how: used.append(measure) or feature_contributions(*given, **how),
    )
    assert value_of(X, Y, measure) == pytest.approx(REFERENCES[measure](X, Y), abs=1e-9)
    assert used == [measure]


@pytest.mark.parametrize("measure", ROTATABLE)
def test_blind_to_rotation_scale_and_shift(measure: str) -> None:
    X, Y = related()
    assert value_of(X @ rotation(X.shape[1]) * 7 - 3, Y, measure) == pytest.approx(
        value_of(X, Y, measure), abs=1e-5
    )


@pytest.mark.parametrize("measure", ROTATABLE)
def test_not_blind_to_a_general_linear_map(measure: str) -> None:
    X, Y = related()
    stretch = np.diag(np.geomspace(1, 300, X.shape[1]))
    assert abs(value_of(X @ stretch, Y, measure) - value_of(X, Y, measure)) > 0.05


def test_neuron_correlation_sees_a_rotation() -> None:
    X, _ = related()
    assert value_of(X, 1 - 2 * X, "neuron_correlation") == pytest.approx(1)
    assert value_of(X, X @ rotation(X.shape[1]), "neuron_correlation") < 0.5


@pytest.mark.parametrize("measure", SIMILARITY_MEASURES)
def test_the_same_thing_twice_reads_one(measure: str) -> None:
    X, _ = related()
    found = compare(X, X, measure)
    # A share of all has Wilson's interval, which other sentences may still leave.
    low = wilson_interval(len(X), len(X))[0] if measure == "mexa" else 1
    assert (found.value, found.low, found.high) == pytest.approx((1, low, 1), abs=1e-6)


@pytest.mark.parametrize(("rows", "plain"), [(100, 0.885), (500, 0.605)])
def test_independent_gaussians(rows: int, plain: float) -> None:
    generator = np.random.default_rng(0)
    X, Y = generator.normal(size=(2, rows, 768))
    found = compare(X, Y)
    assert found.value == pytest.approx(0, abs=0.02)
    assert found.low is not None
    assert found.high is not None
    assert found.low < 0 < found.high
    biased = compare(X, Y, "cka")
    assert biased.value == pytest.approx(plain, abs=0.005)
    assert biased.baseline == pytest.approx(plain, abs=0.005)


def permutations_of(X: Array, Y: Array, measure: str) -> Array:
    reference = REFERENCES[measure]
    return np.array(
        [reference(X, Y[list(order)]) for order in itertools.permutations(range(len(Y)))]
    )


@pytest.mark.parametrize("measure", ["debiased_cka", "cka", "rbf_cka", "mexa", "rsa"])
@pytest.mark.parametrize("rows", [4, 5])
def test_shuffled_baseline_is_exact_over_all_permutations(measure: str, rows: int) -> None:
    X, Y = related(rows, 5, shared=3)
    found = compare(X, Y, measure)
    everything = permutations_of(X, Y, measure)
    assert found.baseline == pytest.approx(everything.mean(), abs=1e-6)
    assert found.baseline_deviation == pytest.approx(everything.std(), abs=1e-6)


@pytest.mark.parametrize("measure", ["procrustes", "svcca", "neuron_correlation"])
def test_drawn_baseline_is_that_of_other_shuffles(measure: str) -> None:
    X, Y = related(60, 12)
    generator = np.random.default_rng(5)
    shuffles = [REFERENCES[measure](X, generator.permutation(Y)) for _ in range(200)]
    found = compare(X, Y, measure)
    # The mean of 19 draws: within four of its own standard deviations.
    assert found.baseline == pytest.approx(np.mean(shuffles), abs=4 * np.std(shuffles) / 19**0.5)
    assert found.baseline_deviation == pytest.approx(np.std(shuffles), rel=0.6)
    assert found.p_value == 0.05


@pytest.mark.parametrize("measure", ["debiased_cka", "neuron_correlation"])
def test_few_rows_have_no_interval_and_say_so(measure: str) -> None:
    X, Y = related(7, 6)
    found = compare_layers([X], [Y], measure)
    cell = found.cell(0, 0)
    assert cell.value is not None
    assert (cell.low, cell.high) == (None, None)
    assert found.describe_interval(0, 0) == "no interval: fewer than 8 sentences"
    assert compare_layers([X], [Y], "mexa").cell(0, 0).low is not None
    X, Y = related(8, 6)
    assert compare(X, Y, measure).low is not None
    # Words of seven sentences are no more.
    X, Y = related(28, 6)
    words = compare_layers([X], [Y], measure, groups=np.arange(28) % 7)
    assert np.isnan(words.low).all()


@pytest.mark.parametrize("measure", ["debiased_cka", "neuron_correlation"])
def test_intervals_cover_the_truth(measure: str) -> None:
    """The population value of Gaussians is known; 95 % intervals should hold it that often."""
    generator = np.random.default_rng(2)
    A, B = generator.normal(size=(2, 3, 8))
    own_a, own_b, joint = A.T @ A + np.eye(8), B.T @ B + np.eye(8), A.T @ B
    truth = {
        "debiased_cka": (joint**2).sum() / np.linalg.norm(own_a) / np.linalg.norm(own_b),
        "neuron_correlation": np.mean(
            np.abs(np.diag(joint)) / np.sqrt(np.diag(own_a) * np.diag(own_b))
        ),
    }[measure]
    found = []
    for _ in range(150):
        latent = generator.normal(size=(100, 3))
        X = latent @ A + generator.normal(size=(100, 8))
        Y = latent @ B + generator.normal(size=(100, 8))
        found.append(compare(X, Y, measure))
    covered = np.mean([one.low <= truth <= one.high for one in found])  # type: ignore[operator]
    assert 0.89 <= covered <= 0.99
    assert np.mean([one.value for one in found]) == pytest.approx(truth, abs=0.02)


@pytest.mark.parametrize("measure", SIMILARITY_MEASURES)
def test_intervals_are_as_wide_as_the_spread_over_fresh_samples(measure: str) -> None:
    found = []
    generator = np.random.default_rng(7)
    A, B = generator.normal(size=(2, 3, 8))
    if measure == "mexa":
        B = A  # or no pair finds each other
    for _ in range(80):
        latent = generator.normal(size=(80, 3))
        X = latent @ A + generator.normal(size=(80, 8))
        Y = latent @ B + generator.normal(size=(80, 8))
        found.append(compare(X, Y, measure))
    spread = np.std([one.value for one in found])
    width = np.mean([one.high - one.low for one in found])  # type: ignore[operator]
    # First order knows neither that a missing neighbour is replaced nor that a canonical
    # correlation near zero cannot fall further.
    widest = {"mutual_neighbours": 1.6, "cknna": 1.6, "svcca": 1.6}.get(measure, 1.3)
    assert 0.7 * spread <= width / (2 * 1.96) <= widest * spread


def test_naive_resampling_counts_copies_as_agreement_and_ours_does_not() -> None:
    generator = np.random.default_rng(4)
    X, Y = generator.normal(size=(2, 80, 200))
    draws = generator.integers(0, 80, size=(20, 80))
    naive = np.mean([reference_debiased_cka(X[draw], Y[draw]) for draw in draws])
    found = compare(X, Y)
    assert naive > 0.3
    assert found.high is not None
    assert found.high < 0.1


def test_row_shares_predict_what_leaving_a_row_out_does() -> None:
    X, Y = related(60, 10)
    shares = contributions([X], [Y])
    joint, left, right = shares.joint[:, 0, 0], shares.left[:, 0], shares.right[:, 0]
    predicted = (joint.sum() - 2 * joint) / np.sqrt(
        (left.sum() - 2 * left) * (right.sum() - 2 * right)
    )
    actual = [reference_debiased_cka(np.delete(X, i, 0), np.delete(Y, i, 0)) for i in range(len(X))]
    np.testing.assert_allclose(predicted, actual, atol=1e-3)
    assert np.std(actual) > 2e-3


@pytest.mark.parametrize("measure", SIMILARITY_MEASURES)
def test_agreements_single_out_the_rows_that_disagree(measure: str) -> None:
    X, _ = related(80, 12)
    Y = X.copy()
    Y[[3, 41]] = Y[[41, 3]]
    worst = np.argsort(agreements(X, Y, measure))[:2]
    assert set(worst) == {3, 41}


@pytest.mark.parametrize("measure", SIMILARITY_MEASURES)
def test_constant_layers_are_told_never_nan(measure: str) -> None:
    X, Y = related(20, 6)
    constant = np.tile(np.linspace(0.1, 0.9, 6) ** 3, (20, 1))
    assert (constant != constant.mean(0)).any(), "rounding should leave something to be fooled by"
    found = compare_layers([X, constant], [constant, Y], measure)
    np.testing.assert_array_equal(found.undefined, [[True, False], [True, True]])
    for array in (found.values, found.low, found.high, found.baseline, found.baseline_deviation):
        assert np.isfinite(array).all()
        assert (array[found.undefined] == 0).all()
    assert (found.p_values[found.undefined] == 1).all()
    assert found.reasons[1, 1] == (
        "Undefined: layer 1 of the first side is the same for every row."
    )
    assert found.cell(1, 1).value is None
    assert found.cell(0, 1).value == pytest.approx(REFERENCES[measure](X, Y), abs=1e-5)
    assert (agreements(X, constant, measure) == 0).all()


def test_what_hardly_varies_is_not_taken_for_constant() -> None:
    X = np.random.default_rng(0).normal(size=(20, 6))
    found = compare(X, 1 + 1e-8 * X, "cka")
    assert found.value == pytest.approx(1, abs=1e-6), found.reason


@pytest.mark.parametrize("rows", [6, 600])
def test_one_odd_row_leaves_nothing_to_debias(rows: int) -> None:
    X = np.zeros((rows, 5))
    X[2] = [4, 0, 1, 0, 2]
    Y = np.random.default_rng(0).normal(size=(rows, 5))
    found = compare(X, Y)
    assert found.value is None
    assert "too few rows that differ" in found.reason
    assert compare(X, Y, "cka").value == pytest.approx(reference_cka(X, Y), abs=1e-6)


def test_a_median_distance_of_zero_is_told() -> None:
    X = np.zeros((12, 3))
    X[:3] = np.eye(3)
    assert "median distance of zero" in compare(X, related(12)[1], "rbf_cka").reason


def test_constant_features_are_left_out_of_neuron_correlation() -> None:
    X, Y = related(40, 8)
    X[:, 2], Y[:, 5] = 4.2, -1
    kept = [0, 1, 3, 4, 6, 7]
    assert value_of(X, Y, "neuron_correlation") == pytest.approx(
        reference_neuron_correlation(X[:, kept], Y[:, kept]), abs=1e-6
    )
    none_shared = compare(X * (np.arange(8) < 4), Y * (np.arange(8) >= 4), "neuron_correlation")
    assert none_shared.reason == "Undefined: no feature varies on both sides."


@pytest.mark.parametrize("measure", SIMILARITY_MEASURES)
def test_each_layer_is_read_once(measure: str) -> None:
    reads: list[int] = []

    def layer(index: int) -> Callable[[], Array]:
        def read() -> Array:
            reads.append(index)
            return related(20, 6, seed=index)[0]

        return read

    compare_layers([layer(0), layer(1)], [layer(2)], measure)
    assert sorted(reads) == [0, 1, 2]


def test_stacks_may_be_arrays_and_half_precision() -> None:
    X, Y = related(30, 6)
    stack = np.stack([X, Y]).astype(np.float16)
    found = compare_layers(stack, stack)
    assert found.values.shape == (2, 2)
    np.testing.assert_allclose(np.diag(found.values), 1, atol=1e-6)
    assert found.rows == 30


def test_what_cannot_be_compared_is_said_plainly() -> None:
    X, Y = related(20, 6)
    with pytest.raises(IsoglossError, match="20 and 19 rows"):
        compare(X, Y[:-1])
    with pytest.raises(IsoglossError, match="at least 4 rows, not 3"):
        compare(X[:3], Y[:3])
    with pytest.raises(IsoglossError, match="no measure 'cca'; choose one of debiased_cka"):
        compare(X, Y, "cca")
    with pytest.raises(IsoglossError, match=r"shape \(rows, features\), not \(20,\)"):
        compare(X[:, 0], Y)
    with pytest.raises(IsoglossError, match="NaN or infinite"):
        compare(np.where(X > 8, np.nan, X), Y)
    with pytest.raises(IsoglossError, match="without layers"):
        compare_layers([], [Y])
    with pytest.raises(IsoglossError, match="Only cka and debiased_cka"):
        stream_layers(lambda: [([X], [Y])], "procrustes")
    with pytest.raises(IsoglossError, match="20 and 18 rows"):
        stream_layers(lambda: [([X], [Y[:-2]])])
    with pytest.raises(IsoglossError, match="at least 4 rows"):
        stream_layers(lambda: [])
    with pytest.raises(IsoglossError, match="NaN or infinite"):
        stream_layers(lambda: [([np.where(X > 8, np.nan, X)], [Y])])


@pytest.mark.parametrize("size", [1e-30, 1e30])
def test_how_large_the_numbers_are_does_not_matter(size: float) -> None:
    X = np.random.default_rng(0).normal(2, 1, (40, 6)).astype(np.float32)
    usual, other = centre(X), centre((X * np.float32(size)).astype(np.float32))
    assert other.flaw is None
    np.testing.assert_allclose(other.features, usual.features, atol=1e-5)
