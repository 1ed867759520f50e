"""Masking: the same questions each time, and perplexity as one would compute it by hand."""

import math

import numpy as np
import pytest
import torch

from isogloss.errors import ModelError
from isogloss.models.loading import LoadedModel, load_model
from isogloss.models.masking import (
    MASKED_SHARE,
    Sentence,
    Vocabulary,
    ask,
    fixed_questions,
    make_batch,
    measuring,
    measuring_batches,
    perplexity,
    read_sentences,
)
from tests.conftest import PAIRS

TEXTS = [text for pair in PAIRS for text in pair]


@pytest.fixture
def masked_model(masked_model_directory, store) -> LoadedModel:
    return load_model(str(masked_model_directory), store, device="cpu", language_head=True)


@pytest.fixture
def causal_model(decoder_directory, store) -> LoadedModel:
    return load_model(str(decoder_directory), store, device="cpu", language_head=True)


@pytest.fixture(params=["masked_model", "causal_model"])
def language_model(request) -> LoadedModel:
    return request.getfixturevalue(request.param)


def questions_of(model: LoadedModel, seed: int = 5):
    sentences = read_sentences(model, TEXTS, model.max_tokens)
    return fixed_questions(sentences, Vocabulary.of(model), seed)


def test_perplexity_equals_a_brute_force_computation(language_model):
    """One sentence at a time, unpadded, all logits, the softmax written out."""
    questions = questions_of(language_model)
    total, count = 0.0, 0
    language_model.network.eval()
    for question in questions:
        with torch.no_grad():
            logits = language_model.network(torch.from_numpy(question.ids)[None]).logits[0]
        weights = logits.double().numpy()
        for position, answer in zip(question.positions, question.answers, strict=True):
            row = weights[position]
            total -= row[answer] - (row.max() + math.log(np.exp(row - row.max()).sum()))
            count += 1
    batches = measuring_batches(questions, Vocabulary.of(language_model).padding)
    assert perplexity(language_model.network, batches) == pytest.approx(
        math.exp(total / count), rel=1e-4
    )


def test_a_decoder_is_asked_for_every_token_but_the_first(causal_model):
    sentence = read_sentences(causal_model, ["Good morning!"], 64)[0]
    question = ask(sentence, Vocabulary.of(causal_model), np.random.default_rng(0))
    assert question.ids[0] == causal_model.tokenizer.bos_token_id
    assert question.positions.tolist() == list(range(len(sentence.ids) - 1))
    assert question.answers.tolist() == sentence.ids[1:].tolist()


def test_an_encoder_is_asked_for_some_ordinary_tokens(masked_model):
    vocabulary = Vocabulary.of(masked_model)
    ids = np.concatenate([[2], np.full(2_000, 30), [3]])
    ordinary = np.ones(len(ids), bool)
    ordinary[[0, -1]] = False
    question = ask(Sentence(ids, ordinary), vocabulary, np.random.default_rng(0))
    assert len(question.positions) == round(MASKED_SHARE * 2_000)
    assert ordinary[question.positions].all()
    assert (question.answers == 30).all()
    seen = question.ids[question.positions]
    hidden, left = (seen == vocabulary.mask).mean(), (seen == 30).mean()
    assert 0.7 < hidden < 0.9
    assert 0.04 < left < 0.18
    untouched = np.setdiff1d(np.arange(len(ids)), question.positions)
    assert (question.ids[untouched] == ids[untouched]).all()
    assert not np.isin(seen[seen != vocabulary.mask], masked_model.tokenizer.all_special_ids).any()


def test_even_one_word_is_asked_for(masked_model):
    sentence = read_sentences(masked_model, ["是"], 64)[0]
    question = ask(sentence, Vocabulary.of(masked_model), np.random.default_rng(0))
    assert question.positions.tolist() == [1]


def test_fixed_questions_are_the_same_each_time_and_for_each_company(masked_model):
    first, again = questions_of(masked_model), questions_of(masked_model)
    alone = fixed_questions(
        read_sentences(masked_model, TEXTS[:3], 64), Vocabulary.of(masked_model), 5
    )
    others = questions_of(masked_model, seed=6)
    for one, other in [*zip(first, again, strict=True), *zip(first, alone, strict=False)]:
        assert one.ids.tolist() == other.ids.tolist()
        assert one.positions.tolist() == other.positions.tolist()
    assert any(
        one.positions.tolist() != other.positions.tolist()
        for one, other in zip(first, others, strict=True)
    )


def test_batches_hold_every_question_once(masked_model):
    questions = questions_of(masked_model)
    batches = measuring_batches(questions, padding=0)
    assert sum(len(batch.ids) for batch in batches) == len(questions)
    answers = np.concatenate([batch.answers for batch in batches])
    assert sorted(answers) == sorted(np.concatenate([question.answers for question in questions]))
    batch = make_batch(questions[:2], padding=0)
    assert batch.real.sum() == sum(len(question.ids) for question in questions[:2])


def test_measuring_switches_dropout_off_and_back_on(masked_model):
    network = masked_model.network
    network.bert.encoder.layer[1].train()
    with measuring(network):
        assert not any(module.training for module in network.modules())
        assert not torch.is_grad_enabled()
    assert network.bert.encoder.layer[1].training
    assert not network.bert.encoder.layer[0].training


def test_a_checkpoint_without_the_head_is_told_apart(encoder_directory, store):
    with pytest.raises(ModelError, match="saved without the head that guesses tokens"):
        load_model(str(encoder_directory), store, device="cpu", language_head=True)


def test_an_encoder_without_a_mask_is_told_apart(masked_model):
    masked_model.tokenizer.mask_token = None
    with pytest.raises(ModelError, match="has no mask token"):
        Vocabulary.of(masked_model)
