"""The bundled model: it fills masks, finds translations, and its card tells what was measured."""

import json
import re

import numpy as np
import pytest

from isogloss.bundled import BUNDLED_MODEL
from isogloss.models.loading import load_model
from isogloss.models.tokens import tokenise
from isogloss.store import Store
from isogloss.studies.extraction import extract
from isogloss.studies.pooling import sentence_vectors
from isogloss.studies.study import Study
from isogloss.studies.training_surface import read_trajectory
from isogloss.text.reading import load_bundled

LIMIT_BYTES = 60_000_000


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    store = Store(tmp_path_factory.mktemp("store"), demo=None)
    news = load_bundled("news.en-zh")
    return Study(extract(load_model("mini-en-zh", store, device="cpu"), news, store))


def test_it_is_small_enough_for_the_repository():
    assert sum(path.stat().st_size for path in BUNDLED_MODEL.iterdir()) < LIMIT_BYTES


@pytest.mark.parametrize(
    ("sentence", "plausible"),
    [
        ("She drinks a cup of [MASK].", {"coffee", "tea", "water", "wine", "beer", "milk"}),
        ("What is your [MASK]?", {"name", "problem", "plan", "idea", "favorite", "choice"}),
        ("我不[MASK]道。", {"知"}),
        ("你叫什[MASK]名字？", {"么"}),
    ],
)
def test_it_fills_a_mask_sensibly(sentence, plausible):
    import torch
    from transformers import AutoTokenizer, BertForMaskedLM

    tokenizer = AutoTokenizer.from_pretrained(BUNDLED_MODEL)
    model = BertForMaskedLM.from_pretrained(BUNDLED_MODEL, dtype=torch.float32).eval()
    batch = tokenizer(sentence, return_tensors="pt")
    with torch.inference_mode():
        logits = model(**batch).logits[0]
    place = int((batch["input_ids"][0] == tokenizer.mask_token_id).nonzero())
    best = tokenizer.convert_ids_to_tokens(logits[place].topk(5).indices.tolist())
    assert plausible & set(best), best


def test_sentences_it_never_saw_find_their_translations(study):
    """The news sample was written for Isogloss and is in no training text."""
    for layer in (1, 4):
        X, Y = (sentence_vectors(study, layer, side) for side in (0, 1))
        X, Y = X - X.mean(0), Y - Y.mean(0)
        cosine = (X / np.linalg.norm(X, axis=1, keepdims=True)) @ (
            Y / np.linalg.norm(Y, axis=1, keepdims=True)
        ).T
        assert (cosine.argmax(1) == np.arange(len(X))).mean() > 0.9


def test_traditional_characters_read_as_their_simplified_forms(tmp_path):
    import torch

    model = load_model("mini-en-zh", Store(tmp_path, demo=None), device="cpu")
    states = []
    for text in ("他们会去北京大学上课。", "他們會去北京大學上課。"):
        ids = torch.tensor([tokenise(model, [text])[0].ids])
        assert model.tokenizer.unk_token_id not in ids
        with torch.inference_mode():
            states.append(model.network(input_ids=ids).last_hidden_state)
    torch.testing.assert_close(states[0], states[1])


def test_the_card_says_what_was_measured():
    card = (BUNDLED_MODEL / "README.md").read_text(encoding="utf-8")
    figures = json.loads((BUNDLED_MODEL / "figures.json").read_text())
    row = re.search(r"\*\*mini-en-zh\*\* \| (.*) \|", card)
    assert row is not None
    assert [float(cell) for cell in row[1].split(" | ")] == [
        round(score, 3) for score in figures["retrieval"]
    ]
    for loss in figures["masked_loss"].values():
        assert f"{loss:.2f}" in card


def test_the_trajectory_ends_at_the_model(study):
    trajectory = read_trajectory()
    figures = json.loads((BUNDLED_MODEL / "figures.json").read_text())
    moments, layers, points, _ = trajectory.positions.shape
    assert moments >= 8
    assert layers == study.n_states
    assert len(trajectory.texts) == points
    assert list(trajectory.tokens) == sorted(trajectory.tokens)
    np.testing.assert_allclose(trajectory.retrieval[-1], figures["retrieval"], atol=0.03)
