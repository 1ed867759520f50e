"""What a fine-tuning will cost: counted by hand where it can be, and never backwards."""

from dataclasses import replace

import pytest

from isogloss.errors import ModelError
from isogloss.lab.training.costs import (
    REACHED,
    ROWS_BY_TEXT,
    START_SECONDS,
    Speed,
    TokenCounts,
    count_tokens,
    estimate_seconds,
    measure_speed,
)
from isogloss.lab.training.nli_plan import Part
from isogloss.lab.transfer.plan import TransferPlan
from isogloss.models.pair_examples import encode_pairs
from isogloss.models.presets import PRESETS
from isogloss.models.preview import ModelSize, size_of_model
from isogloss.text.nli import load_nli

PLAN = TransferPlan(n_layers=4, epochs=2, checks=3, batch_size=10, seeds=(0, 1))
SIZE = ModelSize(n_layers=4, width=8, block=1_000, embeddings=500)
TOKENS = TokenCounts(train=600, dev=60, test=40, train_pairs=25)
SPEED = Speed(operations=1e6, parameters=1e5)


def seconds(*parts, plan=PLAN):
    return estimate_seconds(plan, parts, SIZE, TOKENS, SPEED)


def test_an_estimate_is_what_one_counts_by_hand():
    # Forward through 4 blocks: 600 · 2 trained, 60 · 3 checked, 40 · 1.5 tested; backward twice
    # through 3 of them; 3 steps an epoch, of 3 blocks' parameters.
    operations = 2_000 * (1_440 * 4 + 2 * 1_200 * 3)
    expected = START_SECONDS + operations / (REACHED * 1e6) + 6 * 3_000 / 1e5
    assert seconds(Part(1, 1)) == pytest.approx(expected)


def test_shared_work_passes_frozen_blocks_once():
    operations = 2_000 * (2 * (1_440 * 3 + 2 * 1_200 * 3) + 700 * 1)
    expected = START_SECONDS + operations / (REACHED * 1e6) + 2 * 6 * 3_000 / 1e5
    assert seconds(Part(1, 2, shared=True)) == pytest.approx(expected)


def test_freezing_more_costs_less_and_sharing_less_still():
    plain = [seconds(Part(n, 1)) for n in range(-1, 5)]
    assert plain == sorted(plain, reverse=True)
    assert len(set(plain)) == 6, "the embeddings have to be optimised, too"
    assert seconds(Part(3, 5, shared=True)) < seconds(Part(3, 5))


def test_only_embeddings_that_occur_are_optimised():
    huge = replace(SIZE, embeddings=1e9)
    speed = Speed(1e30, 1.0)
    all_trained = estimate_seconds(PLAN, [Part(-1, 1)], huge, TOKENS, speed)
    frozen = estimate_seconds(PLAN, [Part(0, 1)], huge, TOKENS, speed)
    steps = -(-TOKENS.train_pairs // PLAN.batch_size) * PLAN.epochs
    rows = (all_trained - frozen) / steps / huge.width
    assert rows == pytest.approx(ROWS_BY_TEXT * TOKENS.all**0.5)


def test_a_run_of_transfer_shares_what_fits_its_budget():
    def fine_tunings(plan):
        return plan.fine_tunings(TOKENS.all, SIZE.width)

    parts = fine_tunings(PLAN)
    assert parts == tuple(Part(n, 2, shared=n > 0) for n in range(-1, 5))
    needed = 8 * 700 * SIZE.width / 1e9
    assert fine_tunings(replace(PLAN, budget_gb=needed))[2].shared
    assert not fine_tunings(replace(PLAN, budget_gb=0.9 * needed))[2].shared
    assert not fine_tunings(replace(PLAN, share_frozen=False))[2].shared


def test_size_is_that_of_the_network(encoder, encoder_directory):
    from isogloss.models.blocks import find_blocks

    size = size_of_model(str(encoder_directory))
    block = find_blocks(encoder.network)[0]
    assert size.n_layers == encoder.n_layers
    assert size.width == encoder.width
    counted = sum(parameter.numel() for parameter in block.parameters())
    assert size.block == pytest.approx(counted, rel=0.05)
    assert size.embeddings == encoder.network.get_input_embeddings().weight.numel()


@pytest.mark.parametrize("preset", [each.name for each in PRESETS])
def test_every_preset_has_a_size_before_it_is_downloaded(preset):
    assert size_of_model(preset).block > 1e5
    assert size_of_model(f"random:{preset}#3") == size_of_model(preset)


def test_what_has_no_size_is_said(tmp_path):
    with pytest.raises(ModelError, match="known once it is downloaded"):
        size_of_model("someone/something")
    (tmp_path / "tokenizer.json").touch()
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(ModelError, match="does not tell"):
        size_of_model(str(tmp_path))


def test_tokens_are_those_the_model_will_see(encoder, encoder_directory):
    data = PLAN.cut(load_nli())
    counted = count_tokens(str(encoder_directory), data, 40)
    exact = encode_pairs(encoder, data.train, 40).lengths.sum()
    assert counted.train == pytest.approx(exact, rel=0.05)
    assert counted.train_pairs == len(data.train)
    assert counted.dev > counted.test * 0.5 > 0


def test_characters_stand_in_for_a_tokenizer_that_is_not_there():
    data = load_nli()
    by_model = count_tokens("mini-en-zh", data, 96)
    by_length = count_tokens("gemma-3-270m", data, 96)
    assert by_length.train == pytest.approx(by_model.train, rel=0.5)
    assert by_length.test == pytest.approx(by_model.test, rel=0.5)


def test_speed_is_measured_and_threads_are_left_as_they_were():
    import torch

    before = torch.get_num_threads()
    found = measure_speed(16)
    assert found.operations > 0
    assert found.parameters > 0
    assert torch.get_num_threads() == before
