"""Best layers of real studies: the numbers are those of the other pages, and the sentence fits."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from isogloss.measures.best_layer import LayerDifferences
from isogloss.models.loading import LoadedModel
from isogloss.models.states import LayerStates
from isogloss.store import Store
from isogloss.studies.best_layer.question import BestLayer, BestOfDiagonal
from isogloss.studies.best_layer.scores import LayerScores
from isogloss.studies.best_layer.wording import (
    SCORES,
    ScoreName,
    compare_with,
    list_layers,
    verdict,
    within_chance,
)
from isogloss.studies.extraction import extract
from isogloss.studies.retrieval import SentenceRetrieval
from isogloss.studies.similarity import LayerComparison, random_twin
from isogloss.studies.study import Study, list_studies
from isogloss.studies.word_alignment import AlignmentQuality
from isogloss.text.parallel import ParallelText
from isogloss.text.reading import load_bundled

E5 = "multilingual-e5-small"


@pytest.fixture(scope="module")
def store() -> Store:
    return Store()


@pytest.fixture(scope="module")
def studies(store: Store) -> tuple[Study, ...]:
    return tuple(study for study in list_studies(store) if study.entry.demo)


@pytest.fixture(scope="module")
def study(studies: tuple[Study, ...]) -> Study:
    return next(s for s in studies if s.model == E5 and s.text_title.startswith("everyday-48"))


def of(study: Study, score: ScoreName) -> LayerScores:
    return BestLayer(study.key, score).answer(study.entry.store)


def test_sentences_are_those_of_retrieval(study: Study, store: Store) -> None:
    known = SentenceRetrieval(study.key).answer(store)
    found = of(study, "sentences")
    np.testing.assert_allclose(found.values, known.curve("precision@1"))
    np.testing.assert_allclose(found.chance, known.chance[0])


def test_alignment_is_that_of_the_retrieval_panel(study: Study, store: Store) -> None:
    known = AlignmentQuality(study.key).answer(store)
    found = of(study, "alignment")
    np.testing.assert_allclose(found.values, known.error_rate)
    np.testing.assert_allclose(found.low, known.low)
    assert found.badge == "links by hand"


def test_similarity_is_the_diagonal_of_the_heat_map(study: Study, store: Store) -> None:
    known = LayerComparison(study.key).answer(store).similarity
    found = of(study, "similarity")
    np.testing.assert_allclose(found.values, known.values.diagonal(), atol=1e-5)
    np.testing.assert_allclose(found.low, known.low.diagonal(), atol=0.02)  # other resamples
    same = BestOfDiagonal(study.key, LayerComparison(study.key)).answer(store)
    np.testing.assert_allclose(same.values, found.values)


def test_middle_layers_of_the_demo_align_better_than_the_top(study: Study) -> None:
    found = of(study, "alignment")
    assert 4 <= found.differences.best <= 9
    assert found.differences.worse[[0, 12]].all()


def test_nothing_stands_out_in_a_random_model(study: Study, studies: tuple[Study, ...]) -> None:
    twin = random_twin(study, studies)
    assert twin is not None
    assert random_twin(twin, studies) is None
    for score in SCORES:
        assert not of(twin, score).differences.worse.any()


def test_what_cannot_be_scored_says_so(
    encoder: LoadedModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("isogloss.studies.links.words.is_packaged_here", lambda: False)
    text = load_bundled("everyday.en-nl").select(range(10))
    dutch = Study(extract(encoder, text, Store(tmp_path)))
    words, links = of(dutch, "words"), of(dutch, "alignment")
    assert not words.is_there
    assert verdict(words, SCORES["words"], dutch.states).startswith("Words are not scored")
    assert "nothing to compare" in verdict(links, SCORES["alignment"], dutch.states)
    assert compare_with(words, SCORES["words"], 3, dutch.states) == ""


def test_a_measure_that_jumps_is_not_tested(study: Study, store: Store) -> None:
    comparison = LayerComparison(study.key, measure="svcca")
    found = BestOfDiagonal(study.key, comparison).answer(store)
    assert "SVCCA" in verdict(found, SCORES["similarity"], study.states)


def planted(values: list[float], error: float, units: int = 50) -> LayerScores:
    """Scores whose differences all have one error."""
    scores = np.array(values)
    apart = scores[:, None] - scores
    reach = np.where(np.eye(len(scores)) > 0, 0, error)
    differences = LayerDifferences(
        apart, apart - reach, apart + reach, int(scores.argmax()), 3.0, 0.95, units
    )
    nothing = np.zeros(len(scores))
    reasons = np.full(len(scores), "")
    return LayerScores(scores, scores, scores, nothing, reasons, differences, 50, "sentence pairs")


FIVE = LayerStates(4)


@pytest.mark.parametrize(
    ("values", "error", "said"),
    [
        (
            [0.2, 0.5, 0.71, 0.68, 0.4],
            0.05,
            "Best: layer 2 (71 %). Better than layer 4 by 31 points (26 to 36), cannot be told "
            "from 3.",
        ),
        (
            [0.2, 0.5, 0.71, 0.3, 0.70],
            0.05,
            "Best: layer 2 (71 %). Better than layer 0 by 51 points (46 to 56), cannot be told "
            "from 4.",
        ),
        (
            [0.2, 0.5, 0.9, 0.3, 0.4],
            0.05,
            "Best: layer 2 (90 %). Better than layer 4 by 50 points (45 to 55), and better than "
            "every other layer.",
        ),
        (
            [0.2, 0.5, 0.5, 0.3, 0.4],
            0.5,
            "Best: layers 1 and 2 (both 50 %). They cannot be told from any other layer.",
        ),
        ([1.0] * 5, 0.1, "Best: layers 0 to 4 (all 100 %). They cannot be told apart."),
    ],
)
def test_the_sentence(values: list[float], error: float, said: str) -> None:
    assert verdict(planted(values, error), SCORES["words"], FIVE).replace("\u00a0", " ") == said


def test_few_pairs_are_said_to_be_few() -> None:
    said = verdict(planted([0.1, 0.4, 0.3, 0.2, 0.1], 0.1, units=5), SCORES["words"], FIVE)
    assert said.replace("\u00a0", " ") == (
        "Best: layer 1 (40 %). No test: of 5 sentence pairs layers differ by luck; bring 8 or more."
    )


@pytest.mark.parametrize(
    ("name", "best", "near", "chance", "within"),
    [
        ("words", 0.1, 0.05, 0.025, False),
        ("words", 0.1, 0.04, 0.025, True),  # its own interval is above, that of the best of 5 not
        ("words", 0.1, np.nan, 0.025, False),  # too few for an interval, which is said elsewhere
        ("alignment", 0.5, 0.7, 0.8, False),
        ("alignment", 0.5, 0.75, 0.8, True),
    ],
)
def test_a_best_that_chance_reaches_is_said_to_be_one(
    name: ScoreName, best: float, near: float, chance: float, within: bool
) -> None:
    score = SCORES[name]
    others = [0.9] * 4 if score.lower_is_better else [0.0] * 4
    scores = planted([best, *others], 0.01)
    differences = replace(scores.differences, best=0)
    ends = np.full(5, near)
    found = replace(scores, low=ends, high=ends, chance=np.full(5, chance), differences=differences)
    assert within_chance(found, score) == within
    assert ("not clearly better than chance" in verdict(found, score, FIVE)) == within


def test_nothing_claims_alignment_where_pairs_are_shuffled(
    encoder: LoadedModel, bitext: ParallelText, tmp_path: Path
) -> None:
    shuffled = replace(
        bitext, target=(*bitext.target[3:], *bitext.target[:3]), gold=None, words=None
    )
    study = Study(extract(encoder, shuffled, Store(tmp_path)))
    found = of(study, "sentences")  # whose chance is a number, and does not hang on luck
    assert "not clearly better than chance" in verdict(found, SCORES["sentences"], study.states)


def test_a_normed_top_is_a_stop_of_its_own() -> None:
    states = LayerStates(3, "apart")
    scores = planted([0.2, 0.5, 0.9, 0.3, 0.4], 0.05)
    assert "Better than the state after the final norm by 50" in verdict(
        scores, SCORES["words"], states
    )
    assert list_layers(np.array([1, 2, 3, 4]), states) == "1 to 3 and after the final norm"
    assert compare_with(scores, SCORES["words"], 4, states) == (
        "The state after the final norm is worse than the best by 50 points (45 to 55)."
    )


def test_a_layer_on_show_is_compared_with_the_best() -> None:
    scores = planted([0.2, 0.5, 0.71, 0.68, 0.4], 0.05)
    assert compare_with(scores, SCORES["words"], 3, FIVE) == (
        "Layer 3 cannot be told from the best: the difference is 3 points (−2 to 8)."
    )
    assert compare_with(scores, SCORES["words"], 2, FIVE) == ""
    near = planted([0.2, 0.5, 0.71, 0.7, 0.4], 0.05)
    assert "the difference is 1 point (−4 to 6)" in compare_with(near, SCORES["words"], 3, FIVE)


def test_small_differences_are_said_finely() -> None:
    scores = planted([0.2, 0.5, 0.71, 0.68, 0.407], 0.3)
    assert "by 30.3 points (0.3 to 60.3)" in verdict(scores, SCORES["words"], FIVE)
