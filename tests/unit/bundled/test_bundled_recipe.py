"""The recipe of the bundled model, part by part."""

import gzip
from itertools import islice

import numpy as np
import pytest

from docs.making.export import with_traditional
from docs.making.recipe.batches import (
    BATCH_TOKENS,
    MASKED_SHARE,
    SpecialTokens,
    evaluation_batches,
    masked_batches,
)
from docs.making.recipe.embedding_transfer import (
    averaging_matrix,
    fit_to_translations,
    translation_table,
    weighted_mean_embeddings,
)
from docs.making.recipe.training_text import (
    HELD_OUT_FILE,
    TRAINING_FILES,
    read_training_text,
)
from docs.making.train import DECAY_SHARE, WARM_UP_STEPS, is_chinese, rate_factor
from isogloss.errors import TextError

SPECIAL = SpecialTokens(pad=0, cls=1, sep=2, mask=3)


def test_translation_table_finds_the_planted_dictionary():
    rng = np.random.default_rng(0)
    chinese = [rng.choice(20, size=5, replace=False) for _ in range(400)]
    english = [(sentence + 100)[rng.permutation(5)] for sentence in chinese]
    table = translation_table(english, chinese, iterations=10)
    rows = table.toarray()
    assert (rows.argmax(axis=1) == np.arange(20) + 100).all()
    assert rows.max(axis=1).min() > 0.9
    np.testing.assert_allclose(rows.sum(axis=1), 1.0)


def test_one_iteration_of_the_table_by_hand():
    # "a b" / "x" and "a" / "y": from uniform t, each English token divides its one vote.
    table = translation_table([[0, 1], [0]], [[0], [1]], iterations=1).toarray()
    np.testing.assert_allclose(table, [[0.5, 0.5], [1.0, 0.0]])


def test_small_translation_probabilities_are_dropped():
    from scipy import sparse

    table = sparse.csr_matrix([[0.98, 0.02], [0.0, 0.0]])
    embeddings = np.array([[1.0, 0.0], [0.0, 1.0]])
    np.testing.assert_allclose(
        weighted_mean_embeddings(table, embeddings), [[1.0, 0.0], [0.0, 0.0]]
    )


def test_the_regression_recovers_planted_embeddings_up_to_an_offset():
    rng = np.random.default_rng(1)
    truth = rng.normal(size=(12, 4))
    rows = [rng.integers(12, size=6) for _ in range(600)]
    A = averaging_matrix(rows, 12)
    fitted = fit_to_translations(np.zeros((12, 4)), A, A @ truth + 5.0, strength=1e-10)
    np.testing.assert_allclose(fitted - fitted.mean(0), truth - truth.mean(0), atol=1e-4)
    unmoved = fit_to_translations(truth, A, A @ truth, strength=1e-10)
    np.testing.assert_allclose(unmoved, truth, atol=1e-8)


@pytest.fixture
def pairs():
    rng = np.random.default_rng(2)
    english = [rng.integers(10, 500, size=rng.integers(1, 60)).tolist() for _ in range(300)]
    chinese = [rng.integers(500, 900, size=rng.integers(1, 80)).tolist() for _ in range(300)]
    return english, chinese


def test_batches_repeat_and_stay_within_their_budget(pairs):
    first, again = (
        list(islice(masked_batches(*pairs, SPECIAL, 1000, seed=7), 40)) for _ in range(2)
    )
    for a, b in zip(first, again, strict=True):
        np.testing.assert_array_equal(a.input_ids, b.input_ids)
        np.testing.assert_array_equal(a.labels, b.labels)
    assert max(batch.input_ids.size for batch in first) <= BATCH_TOKENS
    other = next(masked_batches(*pairs, SPECIAL, 1000, seed=8))
    assert (
        other.input_ids.shape != first[0].input_ids.shape
        or (other.input_ids != first[0].input_ids).any()
    )


def test_masks_hide_the_share_they_promise_and_no_special_token(pairs):
    batches = list(islice(masked_batches(*pairs, SPECIAL, 1000, seed=0), 60))
    asked = np.concatenate([batch.labels[batch.attention_mask == 1] != -100 for batch in batches])
    assert asked.mean() == pytest.approx(MASKED_SHARE, abs=0.02)
    for batch in batches:
        labels = batch.labels[batch.labels != -100]
        assert not np.isin(labels, [SPECIAL.pad, SPECIAL.cls, SPECIAL.sep]).any()
        hidden = batch.input_ids[batch.labels != -100] == SPECIAL.mask
        assert 0.6 < hidden.mean() < 0.95 or hidden.size < 20


def test_halves_of_an_apart_batch_are_translations(pairs):
    english, chinese = pairs
    known = {(tuple(e[:60]), tuple(c[:60])) for e, c in zip(english, chinese, strict=True)}
    for batch in islice(masked_batches(*pairs, SPECIAL, 1000, seed=0, masked_share=0.0), 60):
        if not batch.apart:
            continue
        rows = [
            tuple(ids[(mask == 1) & ~np.isin(ids, [1, 2])][:60])
            for ids, mask in zip(batch.input_ids, batch.attention_mask, strict=True)
        ]
        half = len(rows) // 2
        assert {(a, b) for a, b in zip(rows[:half], rows[half:], strict=True)} <= known


def test_positions_restart_at_the_second_sentence():
    batches = evaluation_batches([[10, 11]], [[500, 501, 502]], SPECIAL, 1000, 0, 0.15)
    pair = batches["translation pairs"][0]
    assert pair.position_ids.tolist() == [[0, 1, 2, 3, 1, 2, 3, 4]]


def test_traditional_forms_copy_their_simplified_ones():
    vocabulary, twins = with_traditional(("a", "们", "会", "國", "国"))
    assert vocabulary[:5] == ("a", "们", "会", "國", "国")
    copies = {vocabulary[twin]: vocabulary[original] for twin, original in twins.items()}
    assert copies["們"] == "们"
    assert copies["會"] == "会"
    assert copies["國"] == "国"


def test_the_rate_warms_up_stays_and_falls_to_zero():
    assert rate_factor(0, 0.0) == 1 / WARM_UP_STEPS
    assert rate_factor(10_000, 1 - DECAY_SHARE) == pytest.approx(1.0)
    assert rate_factor(10_000, 1 - DECAY_SHARE / 2) == pytest.approx(0.5)
    assert rate_factor(10_000, 1.0) == 0.0


def test_what_counts_as_chinese():
    assert is_chinese("国")
    assert is_chinese("，")
    assert not is_chinese("a")
    assert not is_chinese("##国")


def write(path, pairs):
    with gzip.open(path, "wt", encoding="utf-8") as stream:
        stream.writelines(f"{a}\t{b}\n" for a, b in pairs)


def test_training_text_is_cleaned_split_and_free_of_the_test(tmp_path, monkeypatch):
    monkeypatch.setattr("docs.making.recipe.training_text.HELD_OUT_PAIRS", 1)
    write(tmp_path / HELD_OUT_FILE, [("Yes, of course.", "当然可以。")])
    for name in TRAINING_FILES:
        write(
            tmp_path / name,
            [
                ("See :func:`open` and ``read``.", "參見 :func:`open` 和 ``read``。"),
                ("Yes, of course.", "当然可以。"),
                ("No Chinese here", "none"),
                (f"Only in {name[:4]}.", f"只在{name[:4]}中。"),
            ],
        )
    text = read_training_text(tmp_path, seed=0)
    everything = {*text.train, *text.held_out}
    assert ("See open and read.", "参见 open 和 read。") in everything
    assert not any(pair[0] == "Yes, of course." for pair in everything)
    assert len(everything) == 1 + len(TRAINING_FILES)
    assert len(text.held_out) == 1
    with pytest.raises(TextError, match="model card"):
        read_training_text(tmp_path / "nowhere", seed=0)
