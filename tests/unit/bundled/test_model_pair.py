"""Two models of one language each: what ships of them is whole, and its recipe makes it."""

import numpy as np
import pytest

from docs.making.demo import EVERYDAY, NEWS, demo_text
from docs.making.model_pair import MODELS, build
from isogloss.models.presets import is_monolingual
from isogloss.store import Store
from isogloss.studies.extraction import extract
from isogloss.studies.mapping import PAIR_SCORES, model_pair_facts, shipped_mapping
from isogloss.studies.similarity import (
    PAPER_COORDINATES,
    PAPER_MEASURE,
    LayerComparison,
    shipped_monolingual,
)
from isogloss.studies.study import Study, list_studies


def test_what_ships_was_measured_between_two_models_of_one_language_each():
    facts = model_pair_facts()
    names = [model["name"] for model in facts["models"]]
    assert tuple(names) == MODELS
    assert [is_monolingual(*each) for each in zip(names, ("en", "zh"), strict=True)] == [True] * 2
    assert len(facts["text"]["sha256"]) == 64


@pytest.mark.parametrize("level", PAIR_SCORES)
def test_translations_find_each_other_far_above_chance(level):
    found = shipped_mapping(level)
    assert found.before is None  # without a map the two spaces have nothing in common
    assert found.after.score == PAIR_SCORES[level]
    assert found.after.values.shape == (7, 2, 4)
    assert found.after.curve("precision@1").max() > 20 * found.after.chance[0]
    assert (found.after.low <= found.after.values).all()


@pytest.mark.parametrize("text", [EVERYDAY, NEWS])
def test_the_papers_measure_ships_for_the_texts_of_the_demo(text, tmp_path):
    (study, *_) = [
        study
        for study in list_studies(Store(tmp_path))
        if study.entry.record["corpus"] == demo_text(text).content_hash
    ]
    column, found = shipped_monolingual(study)
    assert (column.kind, column.models) == ("monolingual", MODELS)
    assert found.similarity.measure == PAPER_MEASURE
    assert found.similarity.values.shape == (7, 7)
    assert found.similarity.rows == len(study.bitext)


def test_the_recipe_keeps_what_the_questions_answer(
    encoder_directory, encoder, bitext, store, tmp_path, monkeypatch
):
    monkeypatch.setenv("ISOGLOSS_CACHE", str(tmp_path / "cache"))
    place = tmp_path / "pair"
    build((str(encoder_directory), str(encoder_directory)), bitext, [bitext], place)
    study = Study(extract(encoder, bitext, store))
    column, found = shipped_monolingual(study, place)
    expected = LayerComparison(
        study.key, 0, "", 1, PAPER_MEASURE, coordinates=PAPER_COORDINATES
    ).answer(store)
    np.testing.assert_allclose(found.similarity.values, expected.similarity.values, atol=1e-6)
    assert column.models == (str(encoder_directory),) * 2
    sentences = shipped_mapping("sentence", place)
    assert (sentences.learned_from, sentences.tested_on) == (5, 5)
    assert model_pair_facts(place)["text"]["sha256"] == bitext.content_hash
