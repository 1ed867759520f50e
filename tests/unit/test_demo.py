"""The demo cache: whole, small, and showing what the literature says it should."""

import numpy as np
import pytest

from cache import DEMO_ROOT, Store
from isogloss.bundled.demo import MODELS, first_maps, first_questions
from isogloss.studies import list_studies
from isogloss.study_retrieval import SentenceRetrieval
from isogloss.study_similarity import LayerComparison
from isogloss.token_maps import find_map

LIMIT_BYTES = 60_000_000


@pytest.fixture
def studies(tmp_path):
    """The studies of a machine where nothing was ever computed."""
    return {study.model: study for study in list_studies(Store(tmp_path / "empty"))}


def retrieval(study):
    found = SentenceRetrieval(study.key).find(study.entry.store)
    return found.values[:, :, 0].mean(axis=1)


def similarity(study):
    return LayerComparison(study.key).find(study.entry.store).similarity


def test_every_study_is_there_whole_and_within_the_limit(studies):
    assert set(studies) == set(MODELS)
    for study in studies.values():
        store = study.entry.store
        for entry in (study.entry, *store.derived_entries(study.entry)):
            assert store.verify(entry) == ()
    size = sum(path.stat().st_size for path in DEMO_ROOT.rglob("*") if path.is_file())
    assert size < LIMIT_BYTES


def test_what_pages_show_first_needs_no_computation(studies):
    for study in studies.values():
        assert all(find_map(study, options) is not None for options in first_maps(study))
        for question in first_questions(study.key):
            assert question.find(study.entry.store) is not None


def test_gemma_loses_alignment_finds_it_again_and_lets_it_go(studies):
    scores = retrieval(studies["gemma-3-270m"])
    assert scores[1:4].max() < 0.3
    assert 10 <= scores[1:].argmax() + 1 <= 16
    assert scores.max() > 0.9
    assert scores[18] < scores.max() - 0.05
    agreement = np.diag(similarity(studies["gemma-3-270m"]).values)
    assert agreement[3] < 0.1
    assert agreement[12:18].min() > 0.5
    assert agreement[18] < 0.4


def test_the_random_encoder_is_the_floor(studies):
    assert retrieval(studies["random:mini-en-zh"]).max() < 0.1
    floor = np.diag(similarity(studies["random:mini-en-zh"]).values)
    assert (np.diag(similarity(studies["mini-en-zh"]).values) > floor + 0.2).all()


def test_shuffled_pairs_agree_in_nothing(studies):
    for study in studies.values():
        assert np.abs(similarity(study).baseline).max() < 0.01
