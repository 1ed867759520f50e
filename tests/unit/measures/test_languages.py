"""Many languages at once: whose company sentences keep, every pair, and the tree."""

from itertools import combinations

import numpy as np
import pytest
from scipy.cluster.hierarchy import cophenet, leaves_list, linkage
from scipy.spatial.distance import squareform

from isogloss.errors import IsoglossError
from isogloss.measures.coordinates import layer_statistics
from isogloss.measures.languages.company import (
    choose_rows,
    find_crossing,
    first_above_zero,
    layer_company,
    summarise,
)
from isogloss.measures.languages.pairs import found_first, found_shares, measured_values
from isogloss.measures.languages.sides import Sides, all_there
from isogloss.measures.languages.tree import (
    agreement,
    average_linkage,
    cophenetic_distances,
    distances_of_means,
    leaf_order,
)
from isogloss.measures.nearest_neighbours import SCORES
from isogloss.measures.sentence_retrieval import score_pairs
from isogloss.measures.similarity.comparison import compare

LANGUAGES, ROWS, WIDTH = 5, 24, 16


@pytest.fixture
def generator():
    return np.random.default_rng(5)


def meanings(generator, rows=ROWS, width=WIDTH):
    return generator.normal(size=(rows, width))


def spoken(generator, meaning, offset, noise=0.3, languages=LANGUAGES):
    """Sentences that say the same in every language, each language being somewhere else."""
    offsets = offset * generator.normal(size=(languages, 1, meaning.shape[1]))
    return meaning + offsets + noise * generator.normal(size=(languages, *meaning.shape))


def with_holes(generator, vectors):
    there = generator.random(vectors.shape[:2]) > 0.3
    return Sides(np.where(there[..., None], vectors, np.nan), there)


# --- the company sentences keep ----------------------------------------------------------------


def company_by_loops(sides):
    """The same by plain loops over sentences."""
    cells = [(k, i) for k in range(len(sides.there)) for i in np.flatnonzero(sides.there[k])]
    rows = np.array([sides.vectors[cell] for cell in cells])
    rows = (rows - rows.mean(0)) / rows.std(0)

    def cosine(a, b):
        return a @ b / np.linalg.norm(a) / np.linalg.norm(b)

    translation, own, kinds = [], [], {"meaning": [], "language": [], "neither": []}
    for a, (language, row) in enumerate(cells):
        cosines = [-2 if a == b else cosine(rows[a], rows[b]) for b in range(len(cells))]
        nearest = cells[int(np.argmax(cosines))]
        translation.append(nearest[1] == row)
        own.append(nearest[0] == language)
        for b, (other_language, other_row) in enumerate(cells):
            if a != b:
                same = "meaning" if other_row == row else "neither"
                kinds["language" if other_language == language else same].append(cosines[b])
    return translation, own, {kind: np.mean(values) for kind, values in kinds.items()}


@pytest.mark.parametrize("holes", [False, True])
def test_company_is_what_plain_loops_find(generator, holes):
    vectors = spoken(generator, meanings(generator), offset=1.0)
    sides = with_holes(generator, vectors) if holes else all_there(vectors)
    translation, own, kinds = company_by_loops(sides)
    found = layer_company(sides)
    np.testing.assert_array_equal(found.translation, translation)
    np.testing.assert_array_equal(found.own, own)
    for kind, value in kinds.items():
        assert getattr(found, kind) == pytest.approx(value, abs=1e-5)


def test_meaning_that_grows_overtakes_language_where_it_was_planted(generator):
    meaning = meanings(generator, rows=40)
    layers = [
        layer_company(all_there(spoken(generator, share * meaning, offset=1 - share, noise=0.2)))
        for share in (0.05, 0.2, 0.5, 0.8, 0.95)
    ]
    found = summarise(layers, np.ones((LANGUAGES, 40), bool))
    assert found.own[0] > 0.9
    assert found.translation[-1] > 0.9
    assert found.crossing.low <= found.crossing.layer <= found.crossing.high
    assert found.crossing.for_good
    below, above = int(found.crossing.layer), int(found.crossing.layer) + 1
    assert found.translation[below] <= found.own[below]
    assert found.translation[above] > found.own[above]
    assert (found.translation_low <= found.translation).all()
    assert (found.translation <= found.translation_high).all()


def test_rows_out_of_order_read_chance(generator):
    vectors = generator.normal(size=(8, 60, WIDTH))
    found = summarise([layer_company(all_there(vectors))], np.ones((8, 60), bool))
    assert found.chance_translation == pytest.approx(7 / 479)
    assert found.chance_own == pytest.approx(59 / 479)
    assert found.translation_low[0] <= found.chance_translation <= found.translation_high[0]
    assert found.own_low[0] <= found.chance_own <= found.own_high[0]


def test_vectors_that_are_all_alike_read_exactly_chance():
    sides = all_there(np.ones((4, 6, 3)))
    found = summarise([layer_company(sides, "raw")], sides.there)
    assert found.translation[0] == pytest.approx(found.chance_translation)
    assert found.own[0] == pytest.approx(found.chance_own)


def test_a_crossing_lies_where_the_straight_line_is_zero():
    curves = np.array([[-1.0, -1.0, 3.0], [1.0, -1.0, 1.0], [-1.0, -1.0, -1.0], [-1.0, 0.0, 1.0]])
    np.testing.assert_allclose(first_above_zero(curves), [1.25, 0, np.inf, 1])


def test_sentences_that_never_cross_have_no_crossing(generator):
    leads = generator.normal(-5, 1, size=(40, 6))
    found = find_crossing(leads, np.arange(40) % 10)
    assert np.isnan(found.layer)
    assert found.high == np.inf
    assert not found.for_good
    assert np.isnan(find_crossing(leads, np.arange(40) % 4).low)


def test_of_a_long_text_rows_are_taken_evenly():
    there = np.ones((10, 1_000), bool)
    assert len(choose_rows(there, most=2_000)) == 200
    there[:, 0] = False
    assert choose_rows(there, most=100_000)[0] == 1


# --- every pair --------------------------------------------------------------------------------


def standardised(X, Y):
    statistics = layer_statistics(X, Y)
    return statistics.apply(X, 0, "standardised"), statistics.apply(Y, 1, "standardised")


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("holes", [False, True])
def test_each_pair_is_searched_as_two_languages_alone_are(generator, score, holes):
    vectors = spoken(generator, meanings(generator), offset=1.0, noise=1.2)
    sides = with_holes(generator, vectors) if holes else all_there(vectors)
    shares = found_shares(sides, score)
    for one, other in combinations(range(LANGUAGES), 2):
        common = sides.there[one] & sides.there[other]
        assert sides.counts()[one, other] == common.sum()
        pair = standardised(vectors[one, common], vectors[other, common])
        forth, back = score_pairs(*pair, score)
        assert shares[one, other] == pytest.approx(forth.within(1).mean())
        assert shares[other, one] == pytest.approx(back.within(1).mean())


def test_ties_are_shared_as_ranks_share_them(generator):
    X = np.repeat(generator.normal(size=(4, 3)), 3, axis=0).astype(np.float32)
    for score in SCORES:
        for found, ranks in zip(found_first(X, X, score), score_pairs(X, X, score), strict=True):
            np.testing.assert_allclose(found, ranks.within(1))


def test_a_measure_of_a_pair_is_that_of_the_two_alone(generator):
    vectors = spoken(generator, meanings(generator), offset=1.0, noise=1.0)
    values = measured_values(all_there(vectors), "debiased_cka")
    pair = standardised(vectors[1], vectors[3])
    assert values[1, 3] == pytest.approx(compare(*pair, "debiased_cka").value, abs=1e-5)
    np.testing.assert_array_equal(values, values.T)


def test_one_language_with_its_rows_shuffled_stands_out_at_chance(generator):
    vectors = spoken(generator, meanings(generator, rows=60), offset=1.0)
    vectors[2] = vectors[2, generator.permutation(60)]
    shares = found_shares(all_there(vectors))
    assert np.nanmax(np.concatenate([shares[2], shares[:, 2]])) < 0.15
    others = [0, 1, 3, 4]
    assert np.nanmin(shares[np.ix_(others, others)]) > 0.8


def test_two_languages_without_a_row_in_common_have_no_value(generator):
    there = np.ones((3, 8), bool)
    there[0, :4] = there[1, 4:] = False
    sides = Sides(generator.normal(size=(3, 8, 4)), there)
    for values in (found_shares(sides), measured_values(sides, "cka")):
        assert np.isnan(values[0, 1])
        assert np.isfinite(values[0, 2])


# --- the tree ----------------------------------------------------------------------------------


def random_distances(generator, count=12):
    return squareform(generator.random(count * (count - 1) // 2))


def test_the_tree_is_scipys(generator):
    for _ in range(20):
        distances = random_distances(generator)
        ours, theirs = average_linkage(distances), linkage(squareform(distances), "average")
        np.testing.assert_allclose(ours, theirs)
        np.testing.assert_allclose(cophenetic_distances(ours), squareform(cophenet(theirs)))
        assert sorted(leaf_order(ours)) == sorted(leaves_list(theirs))


def test_languages_in_families_give_the_tree_that_was_planted(generator):
    family = np.repeat([0, 1, 2], 3)
    centres = 3 * generator.normal(size=(3, 1, WIDTH))
    means = (centres[family] + generator.normal(size=(9, 1, WIDTH)))[:, 0]
    distances = np.linalg.norm(means[:, None] - means, axis=2)
    known = (family[:, None] != family).astype(float)
    found = agreement(cophenetic_distances(average_linkage(distances)), known)
    assert found.correlation > 0.9
    assert found.p_value < 0.01
    order = family[leaf_order(average_linkage(distances))]
    assert np.count_nonzero(np.diff(order)) == 2  # families stand together


def test_agreement_is_the_cophenetic_correlation_and_chance_is_evenly_spread(generator):
    p_values = []
    for seed in range(60):
        distances, known = random_distances(generator, 8), random_distances(generator, 8)
        tree = cophenetic_distances(average_linkage(distances))
        found = agreement(tree, known, permutations=99, seed=seed)
        heights = cophenet(linkage(squareform(distances), "average"))
        expected = np.corrcoef(heights, squareform(known))[0, 1]
        assert found.correlation == pytest.approx(expected)
        p_values.append(found.p_value)
    assert 0.3 < np.mean(p_values) < 0.7


def test_a_tree_asks_for_all_distances():
    with pytest.raises(IsoglossError, match="every two"):
        average_linkage(np.array([[0, np.nan], [np.nan, 0]]))
    with pytest.raises(IsoglossError, match="two languages"):
        average_linkage(np.zeros((1, 1)))


def test_means_are_as_far_apart_as_plain_means_of_shared_rows_are(generator):
    vectors = generator.normal(size=(4, 30, 6)) + 3 * generator.normal(size=(4, 1, 6))
    whole = (vectors - vectors.mean((0, 1))) / vectors.std((0, 1))
    apart = np.linalg.norm(whole[1].mean(0) - whole[3].mean(0)) / np.sqrt(6)
    assert distances_of_means(all_there(vectors))[1, 3] == pytest.approx(apart)
    sides = with_holes(generator, vectors)
    rows = sides.in_common_coordinates("standardised")
    placed = np.full(vectors.shape, np.nan)
    placed[sides.there] = rows
    common = sides.there[0] & sides.there[2]
    apart = np.linalg.norm(placed[0, common].mean(0) - placed[2, common].mean(0)) / np.sqrt(6)
    assert distances_of_means(sides)[0, 2] == pytest.approx(apart)


def test_shuffled_rows_leave_means_where_they_are_and_no_tree_of_meanings(generator):
    """Where languages lie is no matter of which rows translate which; what they say to each is."""
    vectors = spoken(generator, meanings(generator, rows=60), offset=1.0)
    shuffled = np.stack([language[generator.permutation(60)] for language in vectors])
    for measure in (distances_of_means, lambda sides: 1 - measured_values(sides, "debiased_cka")):
        before, after = measure(all_there(vectors)), measure(all_there(shuffled))
        if measure is distances_of_means:
            np.testing.assert_allclose(after, before)
        else:
            assert np.nanmin(after) > 0.8 > 0.3 > np.nanmax(before)
