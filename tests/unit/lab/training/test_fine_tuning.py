"""Fine-tuning: exact freezing, frozen work shared without a difference, and it can tell."""

import copy
from contextlib import nullcontext
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import torch
from tokenizers.processors import TemplateProcessing

from isogloss.errors import ModelError
from isogloss.lab.training import fine_tuning
from isogloss.lab.training.fine_tuning import Source, TrainingOptions, fine_tune
from isogloss.lab.training.frozen_states import bytes_needed, discard, frozen_states, model_inputs
from isogloss.models.blocks import parameters_by_layer
from isogloss.models.heads import choose_head, new_head, read_pairs
from isogloss.models.pair_examples import (
    encode_pairs,
    share_of_padding,
    shuffled_batches,
    shuffled_token_batches,
    token_batches,
)
from isogloss.text.nli import NliSet

OPTIONS = TrainingOptions(epochs=2, learning_rate=1e-3, batch_size=4, checks=2, max_tokens=32)
WORDS = ("cat", "tea", "book", "rain", "sun", "house", "station", "garden")


def pairs(count: int = 12, *, language: str = "en", easy: bool = False, seed: int = 0) -> NliSet:
    """Pairs of random words; if easy, the hypothesis alone tells the label."""
    generator = np.random.default_rng(seed)
    labels = tuple(int(label) for label in generator.integers(0, 3, count))
    texts = [" ".join(generator.choice(WORDS, size)) for size in generator.integers(1, 9, count)]
    telling = ("yes yes yes", "Monday or Tuesday", "green green tea")
    hypotheses = [telling[label] if easy else texts[-place] for place, label in enumerate(labels)]
    return NliSet("random words", language, tuple(texts), tuple(hypotheses), labels)


@pytest.mark.parametrize(("marked", "types"), [(True, {0, 1}), (False, {0})])
def test_the_second_text_has_the_token_type_that_the_tokenizer_gives_it(encoder, marked, types):
    """XLM-R's tokenizer gives all tokens the same type, whatever the model has room for."""
    tokenizer = copy.deepcopy(encoder.tokenizer)
    if not marked:
        tokenizer.backend_tokenizer.post_processor = TemplateProcessing(
            "[CLS] $A [SEP]", "[CLS] $A [SEP] [SEP] $B [SEP]", [("[CLS]", 2), ("[SEP]", 3)]
        )
    model = replace(encoder, tokenizer=tokenizer)
    inputs = model_inputs(model, encode_pairs(model, pairs(), 32), np.arange(4))
    assert set(inputs.get("token_type_ids", torch.zeros(1)).flatten().tolist()) == types


@pytest.fixture
def fresh(model):
    """The tiny model, given its weights back afterwards."""
    before = {name: value.clone() for name, value in model.network.state_dict().items()}
    yield model
    model.network.load_state_dict(before)
    model.network.requires_grad_(True).eval()


@pytest.fixture
def steady(monkeypatch):
    """Adam that takes no full step where a gradient is 0 but for rounding, as of key biases.

    Rounding is each machine's own, and so would be the steps.
    """
    monkeypatch.setattr(torch.optim, "AdamW", partial(torch.optim.AdamW, eps=1e-2))


def run(model, *, frozen, states=None, options=OPTIONS, seed=0, train=None, dev=None):
    train = train or pairs()
    sets = {"en": dev or pairs(9, seed=1), "zh": pairs(9, language="zh", seed=2)}
    encoded = {name: encode_pairs(model, each, 32) for name, each in sets.items()}
    examples = encode_pairs(model, train, 32)

    def source(each):
        return Source(each, None if states is None else states(each))

    return fine_tune(
        model,
        source(examples),
        {name: source(each) for name, each in encoded.items()},
        {name: source(each) for name, each in encoded.items()},
        frozen=frozen,
        seed=seed,
        options=options,
    )


@pytest.mark.usefixtures("steady")
@pytest.mark.parametrize("head", ["auto", "pair"])
@pytest.mark.parametrize("frozen", range(5))
def test_training_on_stored_states_is_training_through_frozen_layers(fresh, store, frozen, head):
    if frozen > fresh.n_layers:
        pytest.skip("the encoder has three layers")
    options = replace(OPTIONS, head=head)
    first = {name: value.clone() for name, value in fresh.network.state_dict().items()}
    plain = run(fresh, frozen=frozen, options=options)
    trained = {name: value.clone() for name, value in fresh.network.state_dict().items()}
    fresh.network.load_state_dict(first)
    shared = run(
        fresh,
        frozen=frozen,
        options=options,
        states=lambda each: frozen_states(fresh, each, frozen, store),
    )
    assert len(plain.losses) == 8
    np.testing.assert_allclose(shared.losses, plain.losses, atol=1e-5)
    assert shared.test == plain.test
    for name, value in fresh.network.state_dict().items():
        torch.testing.assert_close(value, trained[name], atol=2e-6, rtol=0)
    moved = [not torch.equal(value, first[name]) for name, value in trained.items()]
    assert any(moved) == (frozen < fresh.n_layers)


@pytest.mark.parametrize("frozen", range(-1, 5))
def test_frozen_parameters_stay_to_the_bit_and_the_others_move(fresh, frozen):
    if frozen > fresh.n_layers:
        pytest.skip("the encoder has three layers")
    before = {name: value.clone() for name, value in fresh.network.named_parameters()}
    run(fresh, frozen=frozen, options=replace(OPTIONS, dropout=True))
    layers = parameters_by_layer(fresh.network)
    for name, after in fresh.network.named_parameters():
        learns = layers[name] > frozen and frozen < fresh.n_layers and "pooler" not in name
        assert torch.equal(after, before[name]) != learns, name


def test_states_of_a_layer_may_be_made_from_those_below(fresh, store):
    examples = encode_pairs(fresh, pairs(), 32)
    below = frozen_states(fresh, examples, 1, store)
    climbed = frozen_states(fresh, examples, 3, store, below)
    discard(climbed, store)
    assert store.get(climbed.entry.key) is None
    direct = frozen_states(fresh, examples, 3, store)
    np.testing.assert_allclose(climbed.states, direct.states, atol=1e-5)
    assert climbed.states.nbytes * 2 == bytes_needed([examples], fresh.width)


def test_a_batch_of_states_holds_each_pair_and_zeros_behind(fresh, store):
    examples = encode_pairs(fresh, pairs(), 32)
    states = frozen_states(fresh, examples, 2, store)
    batch = states.batch([3, 0])
    assert batch.shape == (2, max(examples.lengths[[3, 0]]), fresh.width)
    for place, row in zip(batch, (3, 0), strict=True):
        length = examples.lengths[row]
        start = states.starts[row]
        assert np.array_equal(place[:length].numpy(), states.states[start : start + length])
        assert not place[length:].any()


def test_the_same_seed_gives_the_same_losses_and_another_one_others(fresh):
    before = {name: value.clone() for name, value in fresh.network.state_dict().items()}
    losses = []
    for seed in (3, 3, 4):
        fresh.network.load_state_dict(before)
        losses.append(
            run(fresh, frozen=0, seed=seed, options=replace(OPTIONS, dropout=True)).losses
        )
    assert losses[0] == losses[1] != losses[2]


@pytest.mark.parametrize("head", ["auto", "pair"])
def test_a_planted_easy_task_is_learned(fresh, head):
    options = replace(OPTIONS, epochs=6, batch_size=8, learning_rate=3e-3, head=head)
    easy = pairs(120, easy=True)
    found = run(fresh, frozen=0, options=options, train=easy, dev=pairs(60, easy=True, seed=5))
    assert found.test["en"].selected.accuracy > 0.95


def test_shuffled_labels_give_chance(fresh):
    easy = pairs(120, easy=True)
    order = np.random.default_rng(9).permutation(len(easy))
    shuffled = replace(easy, labels=tuple(easy.labels[i] for i in order))
    options = replace(OPTIONS, epochs=3, batch_size=8)
    found = run(fresh, frozen=0, options=options, train=shuffled, dev=pairs(240, easy=True, seed=5))
    assert found.test["en"].selected.accuracy < 0.6


def test_the_model_is_chosen_by_the_source_and_beside_it_by_the_oracle(fresh):
    found = run(fresh, frozen=1, options=replace(OPTIONS, epochs=4, checks=4))
    steps = [check.step for check in found.checks]
    assert steps == [4, 8, 12, 16]
    for language, outcome in found.test.items():
        by = {"selected": "en", "oracle": language}
        for how, judge in by.items():
            best = max(found.checks, key=lambda c, j=judge: (c.dev[j].accuracy, -c.step))
            assert getattr(outcome, f"{how}_step") == best.step
            # Here the test sets are the dev sets, so the model restored is the one that was chosen.
            assert getattr(outcome, how) == best.dev[language]


def test_pairs_are_cut_and_segments_tell_the_texts_apart(model):
    examples = encode_pairs(model, pairs(6), 9)
    assert examples.lengths.max() <= 9
    for ids, segments in zip(examples.ids, examples.segments, strict=True):
        assert len(ids) == len(segments)
        real = segments[segments >= 0]
        assert set(real.tolist()) == {0, 1}
        assert (np.diff(real) >= 0).all()
    if model.is_decoder:
        assert all(ids[0] == model.tokenizer.bos_token_id for ids in examples.ids)


def test_heads_read_what_they_say(model):
    examples = encode_pairs(model, pairs(4), 32)
    rows = np.arange(4)
    longest = examples.lengths.max()
    states = torch.from_numpy(
        np.random.default_rng(0).normal(size=(4, longest, 5)).astype(np.float32)
    )
    assert torch.equal(read_pairs("first", states, examples, rows), states[:, 0])
    last = read_pairs("last", states, examples, rows)
    found = read_pairs("pair", states, examples, rows)
    for row in rows:
        segments = examples.segments[row]
        assert torch.equal(last[row], states[row, len(segments) - 1])
        u, v = (states[row, : len(segments)][segments == part].mean(0) for part in (0, 1))
        expected = torch.cat([u - v, (u - v).abs(), u * v])
        torch.testing.assert_close(found[row], expected)


def test_a_head_reads_standardised_inputs():
    inputs = torch.randn(50, 4) * torch.tensor([1e-2, 1.0, 10.0, 0.0]) + 5
    standardise, decide = new_head(4, 3)
    seen = standardise(inputs)
    torch.testing.assert_close(seen.mean(0), torch.zeros(4), atol=1e-3, rtol=0)
    torch.testing.assert_close(seen.std(0)[:3], torch.ones(3), atol=0.1, rtol=0)
    assert torch.isfinite(decide(seen)).all()


def test_heads_are_chosen_or_refused():
    assert choose_head("auto", is_decoder=False) == "first"
    assert choose_head("auto", is_decoder=True) == "last"
    with pytest.raises(ModelError, match="no head called second"):
        choose_head("second", is_decoder=False)


def test_batches_hold_every_row_once_and_alike_lengths():
    lengths = np.random.default_rng(1).integers(3, 60, 501)
    for batches in (shuffled_batches(lengths, 8, 0), list(token_batches(lengths, 256))):
        assert sorted(np.concatenate(batches).tolist()) == list(range(501))
    waste = [lengths[rows].max() - lengths[rows].min() for rows in shuffled_batches(lengths, 8, 0)]
    assert np.median(waste) <= 4
    assert min(map(len, shuffled_batches(lengths[:17], 8, 0))) > 1
    assert all(
        len(rows) == 1 or len(rows) * lengths[rows].max() <= 256
        for rows in token_batches(lengths, 256)
    )
    first, second = shuffled_batches(lengths, 8, 0), shuffled_batches(lengths, 8, 1)
    assert any(len(a) != len(b) or (a != b).any() for a, b in zip(first, second, strict=True))


def test_token_batches_keep_to_their_budget_and_are_never_lonely():
    lengths = np.random.default_rng(1).integers(3, 60, 501)
    batches = shuffled_token_batches(lengths, 256, 0)
    assert sorted(np.concatenate(batches).tolist()) == list(range(501))
    assert min(map(len, batches)) > 1
    within = [len(rows) * lengths[rows].max() <= 256 for rows in batches]
    assert sum(within) >= len(batches) - 1  # a last lonely row goes to the batch before it
    assert share_of_padding(lengths, batches) < 0.1
    assert share_of_padding(lengths, [np.arange(501)]) > 0.4
    others = shuffled_token_batches(lengths, 256, 1)
    assert any(not np.array_equal(a, b) for a, b in zip(batches, others, strict=False))
    for few in range(2, 12):
        assert min(map(len, shuffled_token_batches(lengths[:few], 8, 0))) > 1


@pytest.mark.usefixtures("steady")
def test_rows_without_text_leave_the_model_without_a_difference(fresh, monkeypatch):
    def train():
        fresh.network.load_state_dict(first)
        found = run(fresh, frozen=-1)
        return found, {name: value.clone() for name, value in fresh.network.state_dict().items()}

    first = {name: value.clone() for name, value in fresh.network.state_dict().items()}
    trimmed, weights = train()
    monkeypatch.setattr(fine_tuning, "only_rows", lambda network, ids: nullcontext())
    plain, expected = train()
    np.testing.assert_allclose(trimmed.losses, plain.losses, rtol=0, atol=1e-6)
    assert trimmed.test == plain.test
    for name, value in weights.items():
        torch.testing.assert_close(value, expected[name], rtol=0, atol=1e-6)
    words = next(
        name
        for name, value in fresh.network.named_parameters()
        if value is fresh.network.get_input_embeddings().weight
    )
    examples = encode_pairs(fresh, pairs(), 32)
    used = np.unique(np.concatenate(examples.ids))
    absent = np.setdiff1d(np.arange(len(first[words])), used)
    assert len(absent) > 0
    assert torch.equal(weights[words][absent], first[words][absent])
    assert not torch.equal(weights[words][used], first[words][used])


def test_which_pairs_were_right_is_told(fresh):
    for outcome in run(fresh, frozen=1).test.values():
        assert outcome.selected.right.shape == (9,)
        assert outcome.selected.right.sum() == outcome.selected.correct


def test_one_pair_is_too_few(fresh):
    with pytest.raises(ModelError, match="fewer than two pairs"):
        run(fresh, frozen=0, train=pairs(1))


def test_a_training_that_diverges_is_no_result(fresh):
    with pytest.raises(ModelError, match="lower the learning rate"):
        run(fresh, frozen=0, options=replace(OPTIONS, learning_rate=1e30, epochs=4))
