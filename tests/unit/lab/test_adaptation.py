"""Adaptation: what learns when, and how far layers move."""

import numpy as np
import pytest
import torch

from isogloss.errors import ModelError, RunError
from isogloss.lab.adaptation.language_training import LanguageTraining, Schedule
from isogloss.lab.adaptation.regimes import REGIMES, find_regime, regimes_for
from isogloss.lab.training.drift import Anchor, Probe, anchor_at, mean_distances, similarities
from isogloss.models.blocks import parameters_by_layer
from isogloss.models.loading import load_model
from isogloss.models.masking import Vocabulary, read_sentences
from tests.conftest import PAIRS

CHINESE = [target for _, target in PAIRS]


@pytest.fixture
def masked_model(masked_model_directory, store):
    return load_model(str(masked_model_directory), store, device="cpu", language_head=True)


def train_on(model, regime: str, **options) -> LanguageTraining:
    schedule = {"epochs": 3, "batch_size": 4, "learning_rate": 1e-2} | options
    return LanguageTraining(
        network=model.network,
        n_layers=model.n_layers,
        sentences=read_sentences(model, CHINESE, 64),
        vocabulary=Vocabulary.of(model),
        regime=find_regime(regime),
        schedule=Schedule(**schedule),
        seed=1,
    )


def test_the_table_of_regimes():
    assert [regime.name for regime in regimes_for(12)] == [
        "all",
        "last-6",
        "last-3",
        "last-1",
        "gradual",
    ]
    assert [regime.name for regime in regimes_for(6)] == ["all", "last-3", "last-1", "gradual"]
    lowest = {name: regime.first_learning(12) for name, regime in REGIMES.items()}
    assert lowest == {
        "all": (1,),
        "last-6": (7,),
        "last-3": (10,),
        "last-1": (12,),
        "gradual": (9, 5, 1),
    }
    assert find_regime("gradual").first_learning(6) == (5, 3, 1)
    assert find_regime("gradual").first_learning(3) == (3, 2, 1)
    assert find_regime("gradual").first_learning(4) == (3, 2, 1)
    assert find_regime("last-2").first_learning(6) == (5,)
    assert find_regime("last-6").first_learning(3) == (1,)
    for wrong in ("last-0", "last", "first-2", ""):
        with pytest.raises(RunError, match="There is no regime"):
            find_regime(wrong)


@pytest.mark.parametrize("kind", ["masked", "causal"])
@pytest.mark.parametrize("embeddings", [False, True])
def test_gradual_unfreezing_moves_exactly_what_its_table_says(
    kind, embeddings, masked_model, decoder_directory, store
):
    """At each boundary every parameter is looked at: what may learn, and what has changed."""
    model = (
        masked_model
        if kind == "masked"
        else load_model(str(decoder_directory), store, device="cpu", language_head=True)
    )
    training = train_on(model, "gradual", train_embeddings=embeddings, dropout=False)
    assert training.steps_an_epoch == 3
    layers = parameters_by_layer(model.network)
    lowest = [0 if embeddings and first == 1 else first for first in (3, 2, 1)]
    before = {name: weight.detach().clone() for name, weight in model.network.named_parameters()}
    for step in training.steps():
        phase = min(step // 3, 2)
        for name, weight in model.network.named_parameters():
            assert weight.requires_grad == (layers[name] >= lowest[phase]), (step, name)
            has_learned = step > 0 and layers[name] >= lowest[min((step - 1) // 3, 2)]
            assert torch.equal(weight, before[name]) != has_learned, (step, name)
    assert [(phase.step, phase.first_learning) for phase in training.phases()] == [
        (0, 3),
        (3, 2),
        (6, 1),
    ]


def test_dropout_is_on_only_in_what_learns(masked_model):
    blocks = masked_model.network.bert.encoder.layer
    steps = train_on(masked_model, "last-1").steps()
    next(steps), next(steps)
    assert [block.training for block in blocks] == [False, False, True]
    assert not masked_model.network.bert.embeddings.training


def test_the_rate_falls_linearly_and_training_helps(masked_model):
    from isogloss.models.masking import fixed_questions, measuring_batches, perplexity

    sentences = read_sentences(masked_model, CHINESE, 64)
    batches = measuring_batches(fixed_questions(sentences, Vocabulary.of(masked_model), 0), 0)
    before = perplexity(masked_model.network, batches)
    for _ in train_on(masked_model, "all", epochs=20, dropout=False).steps():
        pass
    assert perplexity(masked_model.network, batches) < 0.7 * before


def test_a_training_that_diverges_says_so(masked_model):
    with pytest.raises(ModelError, match="lower the learning rate"):
        list(train_on(masked_model, "all", learning_rate=1e30).steps())


def test_distance_to_itself_is_zero_and_a_shift_is_its_length():
    states = np.random.default_rng(0).normal(size=(4, 30, 8)).astype(np.float32)
    assert (mean_distances(states, states) == 0).all()
    assert similarities(states, states) == pytest.approx(np.ones(4), abs=1e-6)
    shift = np.zeros(8, np.float32)
    shift[:2] = 3, 4
    assert mean_distances(states + shift, states) == pytest.approx(np.full(4, 5), rel=1e-5)
    assert similarities(states + shift, states) == pytest.approx(np.ones(4), abs=1e-5)
    assert np.isnan(similarities(states[:, :3], states[:, :3])).all()


def test_frozen_layers_stay_at_exactly_zero_although_dropout_trains_the_others(masked_model):
    probe = Probe.of(read_sentences(masked_model, CHINESE, 64), padding=0)
    before = probe.states(masked_model.network)
    for _ in train_on(masked_model, "last-1").steps():
        distances = mean_distances(probe.states(masked_model.network), before)
        assert distances[:3].tolist() == [0.0, 0.0, 0.0]
    assert distances[3] > 0


def test_a_reference_of_other_tokens_and_depth_is_met_by_sentences(masked_model, decoder):
    own = read_sentences(masked_model, CHINESE, 64)
    probe = Probe.of(own, padding=0)
    states = probe.states(masked_model.network)
    same = anchor_at(masked_model, own, probe, masked_model.n_layers)
    assert not same.by_sentence
    assert same.measure(probe, states)[0].tolist() == [0.0] * 4
    other = anchor_at(decoder, read_sentences(decoder, CHINESE, 64), probe, masked_model.n_layers)
    assert other.by_sentence
    assert other.states.shape == (4, len(CHINESE), 32)
    distance, similarity = other.measure(probe, states)
    assert (distance > 0).all()
    assert (np.abs(similarity) <= 1).all()
    narrow = Anchor(other.states[:, :, :20], by_sentence=True)
    assert np.isnan(narrow.measure(probe, states)[0]).all()
    assert not np.isnan(narrow.measure(probe, states)[1]).any()
