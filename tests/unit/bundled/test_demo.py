"""The demo cache: whole, small, and showing what docs/evidence.md says it does."""

import numpy as np
import pytest

from docs.making.demo import EVERYDAY, OF_MANY_LANGUAGES, STUDIES, first_maps, first_questions
from isogloss.map.maps import MapOptions, find_map
from isogloss.measures.linked_points import length_of_links
from isogloss.store import DEMO_ROOT, Store
from isogloss.studies.coordinates import RogueReport
from isogloss.studies.languages.questions import EveryPair, LanguageTrees, SentenceCompany
from isogloss.studies.retrieval import SentenceRetrieval
from isogloss.studies.similarity import LayerComparison
from isogloss.studies.study import list_means, list_studies

LIMIT_BYTES = 90_000_000
E5, GEMMA, RANDOM = "multilingual-e5-small", "gemma-3-270m", "random:multilingual-e5-small"


@pytest.fixture
def all_studies(tmp_path):
    """The studies of a machine where nothing was ever computed."""
    return list_studies(Store(tmp_path / "empty"))


@pytest.fixture
def studies(all_studies):
    """Those of the everyday text, by model."""
    return {
        study.model: study
        for study in all_studies
        if study.languages == ("en", "zh") and study.entry.facts["corpus"].startswith("everyday")
    }


def retrieval(study, coordinates="standardised"):
    found = SentenceRetrieval(study.key, coordinates=coordinates).find(study.entry.store)
    return found.curve("precision@1")


def similarity(study):
    return LayerComparison(study.key).find(study.entry.store).similarity


def test_every_study_is_there_whole_and_within_the_limit(all_studies, studies):
    assert len(all_studies) == len(STUDIES)
    assert set(studies) == {model for model, text in STUDIES if text == EVERYDAY}
    assert {study.languages for study in all_studies} == {("en", "zh")}
    for study in all_studies:
        store = study.entry.store
        for entry in (study.entry, *store.derived_entries(study.entry)):
            assert store.verify(entry) == ()
    size = sum(path.stat().st_size for path in DEMO_ROOT.rglob("*") if path.is_file())
    assert size < LIMIT_BYTES


def test_what_pages_show_first_needs_no_computation(all_studies):
    for study in all_studies:
        assert all(find_map(study, options) is not None for options in first_maps())
        for question in first_questions(study):
            assert question.find(study.entry.store) is not None


def test_translations_meet_in_the_encoder_and_in_its_picture(studies):
    token_map = find_map(studies[E5], MapOptions())
    assert token_map.seen[0] <= 0.35
    assert token_map.seen[8] >= 0.55
    lengths = length_of_links(token_map.layout.positions, token_map.scored.pairs)
    assert lengths[8] <= lengths[0] / 5
    assert token_map.scores.nearest_share[8] > token_map.scores.nearest_share[0] + 0.2
    assert token_map.scored.sources == {"gold": 40}


def test_what_gemma_shows_raw_is_one_dimension_shrinking(studies):
    raw, standardised = (retrieval(studies[GEMMA], name) for name in ("centred", "standardised"))
    assert raw[1:4].max() < 0.5
    assert standardised.min() > 0.85
    largest = RogueReport(studies[GEMMA].key).find(studies[GEMMA].entry.store).largest
    assert largest[1:4].min() > 0.4
    assert largest[13] < 0.1
    assert find_map(studies[GEMMA], MapOptions()).seen[7] >= 0.5


def test_the_random_encoder_is_the_floor(studies):
    assert retrieval(studies[RANDOM]).max() < 0.2
    assert find_map(studies[RANDOM], MapOptions()).scores.nearest_share.max() < 0.1


def test_shuffled_pairs_agree_in_nothing(all_studies):
    for study in all_studies:
        assert np.abs(similarity(study).baseline).max() < 0.01


def test_no_model_is_scored_on_its_own_links(all_studies):
    maps = [find_map(study, MapOptions()) for study in all_studies]
    assert all(found.scored.sources.keys() == {"gold"} for found in maps)


def test_the_text_in_sixteen_languages_is_there_by_its_sentences(tmp_path):
    found = list_means(Store(tmp_path / "empty"))
    assert {study.model for study in found} == set(OF_MANY_LANGUAGES)
    for study in found:
        store, key = study.entry.store, study.entry.key
        assert len(study.all_languages) == 16
        assert store.verify(study.entry) == ()
        for question in (SentenceCompany(key), EveryPair(key), LanguageTrees(key)):
            assert question.find(store) is not None
