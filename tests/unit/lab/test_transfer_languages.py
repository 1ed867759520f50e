"""Accuracy against closeness over languages: planted, shuffled, kept by a run, added to another."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from components.transfer.closer_languages import not_told, say_over_languages
from docs.making.add_closeness import add_closeness
from isogloss.errors import RunError
from isogloss.lab.runs.queue import Runs
from isogloss.lab.transfer.closeness import (
    CLOSENESS_MEASURES,
    FEWEST_LANGUAGES,
    Closeness,
    measure_closeness,
    parallel_premises,
    read_closeness,
)
from isogloss.lab.transfer.over_languages import other_models, over_languages
from isogloss.lab.transfer.plan import TransferPlan
from isogloss.lab.transfer.results import read_transfer
from isogloss.text.nli import NliSet
from tests.helpers.transfer_run import (
    CLOSER_IS_BETTER_AT,
    FIFTEEN,
    keep,
    planted_run,
    write_fifteen,
)

OTHERS = FIFTEEN[1:]
SENTENCES = (
    "The boat is late .", "We had tea .", "Nobody came .", "It rained all day .",
    "She reads a lot .", "The shop is shut .", "He lost his keys .", "They sold the car .",
)  # fmt: skip


def planted(rise: float, seed: int = 0, seeds: int = 1):
    """A run of which accuracy rises with closeness by `rise`, beside one layer of noise."""
    generator = np.random.default_rng(seed)
    results, _ = planted_run(generator, 0.0, n_seeds=seeds, languages=FIFTEEN)
    close = generator.uniform(0.3, 0.9, len(OTHERS))
    share = 0.5 + rise * (close - close.mean()) + generator.normal(0, 0.02, len(close))
    right = {
        code: [generator.random(400) < share[i] for _ in range(seeds)]
        for i, code in enumerate(OTHERS)
    }
    right["en"] = [generator.random(400) < 0.8 for _ in range(seeds)]
    correct = results.correct.copy()
    for column, code in enumerate(FIFTEEN):
        correct[:, :, column] = [each.sum() for each in right[code]]
    judged = {
        (n, s): {(code, way): right[code][s] for code in FIFTEEN for way in ("selected", "oracle")}
        for n in results.frozen
        for s in range(seeds)
    }
    layers = np.stack([close, generator.permuted(close)])
    noise = generator.uniform(0, 0.1, layers.shape)
    closeness = Closeness(60, {"retrieval": layers}, {"retrieval": noise})
    return replace(results, correct=correct), judged, closeness


def found_in(results, judged, closeness, frozen=-1):
    found = over_languages(results, judged, "selected", frozen, closeness, "retrieval")
    assert found is not None
    return found


def test_a_tie_is_a_finding_only_beside_chance_and_random_weights():
    results, judged, closeness = planted(0.3)
    found = found_in(results, judged, closeness)
    assert not_told(found, 0) == []
    assert "languages closer to English are transferred to better**: Pearson +0." in (
        say_over_languages(found, results, 0)
    )
    falling = found_in(*planted(-0.3, seed=3))
    assert not_told(falling, 0) == []
    assert "transferred to worse" in say_over_languages(falling, results, 0)
    # The coefficient by ranks decides, too.
    low = found.spearman.low.copy()
    low[0] = -0.06
    unranked = replace(found, spearman=replace(found.spearman, low=low))
    assert not_told(unranked, 0) == ["chance"]
    said = say_over_languages(unranked, results, 0)
    assert "rises with closeness to English, but this cannot be told from chance**" in said
    assert "(−0.06 to" in said
    # Random weights that follow as well take the finding away.
    twin = replace(closeness, random=dict(closeness.as_trained))
    alike = found_in(results, judged, twin)
    assert not_told(alike, 0) == ["random weights"]
    said = say_over_languages(alike, results, 0)
    assert "but this cannot be told from random weights**" in said
    unmeasured = found_in(results, judged, replace(closeness, random={}))
    assert not_told(unmeasured, 0) == ["random weights"]
    assert "random weights were not measured" in say_over_languages(unmeasured, results, 0)
    level = {"retrieval": np.full_like(closeness.random["retrieval"], 0.5)}
    assert not_told(found_in(results, judged, replace(closeness, random=level)), 0) == []


@pytest.mark.parametrize("sign", [1, -1])
def test_a_planted_rise_is_found_with_its_sign(sign):
    found = found_in(*planted(0.3 * sign))
    for tie in (found.pearson, found.spearman):
        assert sign * tie.value[0] > 0.7
        assert min(sign * tie.low[0], sign * tie.high[0]) > 0
        assert tie.p_of_all[0] < 0.01
    assert found.random is not None
    assert (found.random.ahead_low[0] > 0) == (sign > 0)
    assert found.source_accuracy == pytest.approx(0.8, abs=0.06)


def test_shuffled_languages_give_none():
    clear = 0
    for seed in range(10):
        results, judged, closeness = planted(0.3, seed)
        found = found_in(results, judged, closeness)
        clear += found.pearson.low[1] > 0 or found.pearson.high[1] < 0
        assert 0 < found.pearson.p_value[1] <= 1
    assert clear <= 3, "nominally one of twenty"


def test_seeds_and_pairs_are_in_the_intervals():
    results, judged, closeness = planted(0.3, seeds=3)
    found = found_in(results, judged, closeness)
    assert found.seeds == 3
    column = FIFTEEN.index(OTHERS[0])
    np.testing.assert_allclose(found.accuracy[0], results.mean("selected")[0, column])
    alone = found_in(results, {}, closeness)
    # One of three seeds has the spread of 400 pairs, and so has their mean of 1,200.
    for each in (found, alone):
        assert ((each.low < each.accuracy) & (each.accuracy < each.high)).all()
        assert 0.03 < (each.high - each.low).mean() < 0.12


def test_an_unfinished_n_has_nothing_to_show():
    results, judged, closeness = planted(0.3)
    units = {at: name for at, name in results.units.items() if at[0] != 2}
    half = replace(results, units=units)
    assert over_languages(half, judged, "selected", 2, closeness, "retrieval") is None


def test_others_accuracies_are_set_against_this_models_closeness():
    found = found_in(*planted(0.3))
    theirs = {code: 0.3 + value / 2 for code, value in zip(OTHERS, found.closeness[0], strict=True)}
    del theirs["sw"]
    by_layer, many = other_models(found, theirs | {"xx": 0.1})
    assert many == len(OTHERS) - 1
    assert by_layer[0] == pytest.approx(1)
    assert abs(by_layer[1]) < 0.9


def test_a_run_keeps_it_by_language(runs):
    run = write_fifteen(runs)
    results = read_transfer(run)
    kept = read_closeness(run, results.others)
    assert kept is not None
    assert results.others == OTHERS
    assert set(kept.as_trained) == set(kept.random) == set(CLOSENESS_MEASURES)
    found = over_languages(results, {}, "selected", -1, kept, "debiased_cka")
    assert found is not None
    assert found.pearson.value.argmax() == CLOSER_IS_BETTER_AT


def test_closeness_of_other_languages_is_refused_in_a_sentence(runs):
    run = write_fifteen(runs)
    kept = run.kept("closeness")
    fewer = {name: value[:, 1:].copy() for name, value in kept.items() if value.ndim > 1}
    keep(run, {"sentences": kept["sentences"]} | fewer)
    with pytest.raises(RunError, match="other languages or layers than its own"):
        read_closeness(run, OTHERS)


def sets(languages, rows=SENTENCES, labels=None):
    labels = labels or tuple(i % 3 for i in range(len(rows)))
    return {
        code: NliSet(f"dev-{code}.tsv", code, tuple(f"{row} {code}" for row in rows), rows, labels)
        for code in languages
    }


def test_premises_count_once_and_only_of_translations():
    five = FIFTEEN[: FEWEST_LANGUAGES + 1]
    twice = SENTENCES + SENTENCES[:3]
    found = parallel_premises(sets(five, twice))
    assert found is not None
    assert list(found) == list(five)
    assert all(len(side) == len(SENTENCES) for side in found.values())
    assert found["ar"][1] == f"{SENTENCES[1]} ar"
    others = sets(five)
    assert parallel_premises(sets(five[:-1])) is None, "too few"
    others["bg"] = replace(others["bg"], labels=tuple(reversed(others["bg"].labels)))
    assert parallel_premises(others) is None, "no translations"


@pytest.fixture
def runs(store) -> Runs:
    return Runs(store, shipped=None)


@pytest.fixture
def xnli_like(tmp_path):
    """A directory of parallel dev and test sets in five languages."""
    for split in ("train", "dev", "test"):
        for code in ("en",) if split == "train" else FIFTEEN[:5]:
            lines = [
                f"{row} {code if code != 'en' else ''}\t{row}\t{('entailment', 'neutral')[i % 2]}"
                for i, row in enumerate(SENTENCES)
            ]
            (tmp_path / f"{split}-{code}.tsv").write_text("\n".join(lines), encoding="utf-8")
    return str(tmp_path)


def test_a_run_measures_it_first_and_an_older_one_gets_the_same(
    runs, store, xnli_like, encoder_directory
):
    plan = TransferPlan(
        model=str(encoder_directory), data=xnli_like, languages=FIFTEEN[:5], n_layers=3,
        frozen=(3,), epochs=1, checks=1, batch_size=4, dev_size=7,
    )  # fmt: skip
    run = runs.create(plan)
    run.carry_out(store)
    kept = run.kept("closeness")
    assert kept["sentences"] == len(SENTENCES), "of all dev pairs, not of those that choose"
    assert kept["as trained retrieval"].shape == (4, 4)
    assert not np.array_equal(kept["as trained retrieval"], kept["random retrieval"])
    assert not [entry for entry in store.entries() if "means" in str(entry.record.get("kind"))]
    (run.path / "kept" / "closeness.safetensors").unlink()
    add_closeness(run, xnli_like, None, store)
    for name, value in run.kept("closeness").items():
        np.testing.assert_array_equal(value, kept[name])
    (run.path / "kept" / "closeness.safetensors").unlink()
    changed = Path(xnli_like) / "dev-ar.tsv"
    changed.write_text(changed.read_text(encoding="utf-8").replace("tea", "coffee"))
    with pytest.raises(RunError, match="is not what run"):
        add_closeness(run, xnli_like, None, store)


def test_copies_lie_closest_and_a_random_model_has_no_twin(encoder, store):
    premises = {
        "en": SENTENCES,
        "de": SENTENCES,
        "fr": tuple(reversed(SENTENCES)),
    }
    found = measure_closeness(encoder, premises, store)
    np.testing.assert_allclose(found.as_trained["retrieval"][:, 0], 1)
    np.testing.assert_allclose(found.as_trained["debiased_cka"][:, 0], 1, atol=1e-3)
    assert (found.as_trained["retrieval"][:, 1] < 0.5).all()
