"""Extraction: the states are those of transformers, whatever the batches, stops and failures."""

import errno
import math
import weakref
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from isogloss.errors import ExtractionError, Stopped
from isogloss.models import forward
from isogloss.models.forward import next_batch, sort_by_length
from isogloss.store import StatesWriter, Store, StoreError
from isogloss.studies import extraction as activations
from isogloss.studies import safe_states
from isogloss.studies.extraction import (
    ExtractionOptions,
    activation_record,
    extract,
    read_here,
)
from isogloss.studies.study import Study
from isogloss.text.parallel import ParallelText

FLOAT32 = ExtractionOptions(stored_as="float32")


def stack_of(entry) -> np.ndarray:
    return np.stack([entry.layer(layer) for layer in range(entry.n_states)])


def rows_of(entry, side: int, sentence: int) -> np.ndarray:
    tokens = Study(entry).tokens
    return np.flatnonzero((tokens.side == side) & (tokens.sentence == sentence))


@pytest.fixture
def launches(monkeypatch) -> list[int]:
    """How many sentences each forward pass had."""
    sizes: list[int] = []
    launch = forward.ForwardPasses.launch

    def counted(self, sentences):
        sizes.append(len(sentences))
        return launch(self, sentences)

    monkeypatch.setattr(forward.ForwardPasses, "launch", counted)
    return sizes


class Failing(torch.nn.Module):
    """A network that raises `error` for batches of more padded tokens than some number."""

    def __init__(self, network: torch.nn.Module, error: Exception, above: int) -> None:
        super().__init__()
        self.network, self.error, self.above = network, error, above

    def forward(self, input_ids: torch.Tensor, **options):
        if input_ids.numel() > self.above:
            raise self.error
        return self.network(input_ids=input_ids, **options)


class Spoiling(torch.nn.Module):
    """A network one of whose states is `value`, from some launch on."""

    def __init__(self, network: torch.nn.Module, value: float, from_launch: int = 1) -> None:
        super().__init__()
        self.network, self.value, self.left = network, value, from_launch

    def forward(self, **options):
        output = self.network(**options)
        self.left -= 1
        if self.left <= 0:
            output.hidden_states[1][0, 0, 0] = self.value
        return output


@pytest.mark.parametrize("side", [0, 1])
def test_states_of_an_encoder_are_those_of_a_direct_call(
    encoder, encoder_directory, bitext, store, side
):
    from transformers import AutoModel, AutoTokenizer

    entry = extract(encoder, bitext, store, FLOAT32)
    tokenizer = AutoTokenizer.from_pretrained(encoder_directory)
    network = AutoModel.from_pretrained(encoder_directory).eval()
    for number, text in enumerate(bitext.side(side)):
        with torch.no_grad():
            output = network(**tokenizer(text, return_tensors="pt"), output_hidden_states=True)
        expected = torch.stack(output.hidden_states)[:, 0].numpy()
        found = stack_of(entry)[:, rows_of(entry, side, number)]
        np.testing.assert_allclose(found, expected, atol=1e-5, rtol=0)


@pytest.mark.parametrize("side", [0, 1])
def test_states_of_a_decoder_are_those_of_a_direct_call_with_bos(
    decoder, decoder_directory, bitext, store, side
):
    from transformers import AutoModel, AutoTokenizer

    entry = extract(decoder, bitext, store, FLOAT32)
    tokenizer = AutoTokenizer.from_pretrained(decoder_directory)
    network = AutoModel.from_pretrained(decoder_directory).eval()
    for number, text in enumerate(bitext.side(side)):
        ids = torch.tensor([[tokenizer.bos_token_id, *tokenizer(text)["input_ids"]]])
        with torch.no_grad():
            output = network(input_ids=ids, output_hidden_states=True)
        expected = torch.stack(output.hidden_states)[:, 0].numpy()
        found = stack_of(entry)[:, rows_of(entry, side, number)]
        np.testing.assert_allclose(found[:-2], expected[:-1], atol=1e-5, rtol=0)
        np.testing.assert_allclose(found[-1], expected[-1], atol=1e-5, rtol=0)
        with torch.no_grad():
            normed = network.norm(torch.from_numpy(found[-2])).numpy()
        np.testing.assert_allclose(normed, expected[-1], atol=1e-4, rtol=0)


@pytest.mark.parametrize("budget", [1, 17, 64, 300, 10_000])
def test_batch_size_and_padding_change_no_vector(model, bitext, tmp_path, budget, launches):
    alone = extract(
        model, bitext, Store(tmp_path / "alone", demo=None), replace(FLOAT32, token_budget=1)
    )
    assert launches == [1] * 2 * len(bitext)
    batched = extract(
        model, bitext, Store(tmp_path / "batched", demo=None), replace(FLOAT32, token_budget=budget)
    )
    assert (max(launches) > 1) == (budget > 1)
    np.testing.assert_allclose(stack_of(batched), stack_of(alone), atol=1e-5, rtol=0)


def test_order_of_the_text_changes_no_vector(model, bitext, store):
    order = np.random.default_rng(0).permutation(len(bitext))
    straight = extract(model, bitext, store, FLOAT32)
    mixed = extract(model, bitext.select(order), store, FLOAT32)
    assert straight.key != mixed.key
    for side in (0, 1):
        for place, number in enumerate(order):
            np.testing.assert_allclose(
                stack_of(mixed)[:, rows_of(mixed, side, place)],
                stack_of(straight)[:, rows_of(straight, side, int(number))],
                atol=1e-5,
                rtol=0,
            )


def test_half_precision_is_stored_unless_told_otherwise(encoder, bitext, store):
    half, full = extract(encoder, bitext, store), extract(encoder, bitext, store, FLOAT32)
    assert half.layer(0).dtype == np.float16
    assert full.layer(0).dtype == np.float32
    np.testing.assert_array_equal(stack_of(half), stack_of(full).astype(np.float16))


@pytest.mark.parametrize(("value", "scale"), [(6e4, 1), (1e5, 2), (1e6, 16), (2e8, 4_096)])
def test_states_beyond_half_precision_are_divided_by_what_they_need(
    model, bitext, tmp_path, value, scale
):
    growing = replace(model, network=Spoiling(model.network, value))
    for budget in (1, 300):  # in whatever company the largest comes
        store = Store(tmp_path / str(budget), demo=None)
        half = extract(growing, bitext, store, ExtractionOptions(token_budget=budget))
        full = extract(growing, bitext, store, replace(FLOAT32, token_budget=budget))
        assert (Study(half).scale, Study(full).scale) == (scale, 1)
        expected = (stack_of(full) / scale).astype(np.float16)
        np.testing.assert_array_equal(stack_of(half), expected)
        assert scale * half.layer(1).astype(np.float32).max() == pytest.approx(value, rel=1e-3)


def test_a_scale_that_the_last_sentences_need_is_that_of_all(encoder, bitext, store, launches):
    """The one that is too large comes after states were stored and noted: all begin anew."""
    large = replace(encoder, network=Spoiling(encoder.network, 3e5, from_launch=4))
    entry = extract(large, bitext, store, ExtractionOptions(token_budget=1))
    assert len(launches) > 2 * len(bitext)
    assert Study(entry).scale == 8
    untouched = extract(encoder, bitext, store, FLOAT32)
    found = 8 * entry.layer(0).astype(np.float32)
    np.testing.assert_allclose(found, untouched.layer(0), rtol=2e-3, atol=1e-5)


def test_a_killed_extraction_keeps_the_scale_it_found(encoder, bitext, store, launches):
    large = replace(encoder, network=Spoiling(encoder.network, 3e5))
    stopping = ExtractionOptions(token_budget=1, should_stop=lambda: len(launches) == 6)
    with pytest.raises(Stopped):
        extract(large, bitext, store, stopping)
    launches.clear()
    entry = extract(large, bitext, store, ExtractionOptions(token_budget=1))
    assert len(launches) < 2 * len(bitext)
    assert Study(entry).scale == 8
    assert 8 * entry.layer(1).astype(np.float32).max() == pytest.approx(3e5, rel=1e-3)


def test_an_entry_holds_states_tokens_text_and_facts(model, bitext, store):
    entry = extract(model, bitext, store)
    assert set(entry.manifest.files) == {"states.safetensors", "tokens.parquet", "corpus.json"}
    assert entry.n_states == model.n_layers + 1 + model.is_decoder
    assert Study(entry).states == model.states
    assert entry.layer(0).shape == (entry.facts["tokens"], model.width)
    assert entry.facts["truncated_sentences"] == 0
    assert entry.facts["device"] == "cpu"
    assert set(entry.facts["versions"]) == {"isogloss", "python", "torch", "transformers", "numpy"}
    assert store.verify(entry) == ()


def test_what_is_in_the_store_is_not_computed_again(encoder, bitext, store, launches):
    first = extract(encoder, bitext, store)
    launches.clear()
    assert extract(encoder, replace(bitext, name="another name"), store) == first
    assert launches == []


def test_the_record_tells_apart_all_that_changes_the_states(encoder, bitext):
    def record(files=encoder.files, text=bitext, **options):
        return activation_record(files, text, **{"precision": "float32", **options})

    others = [
        record(files=replace(encoder.files, fingerprint="another")),
        record(text=bitext.select([0])),
        record(precision="float16"),
        record(stored_as="float32"),
        record(final_norm=True),
    ]
    assert record() not in others
    assert record(files=replace(encoder.files, name="renamed")) == record()


def test_sentences_cut_to_what_the_model_takes_are_reported(encoder, bitext, store, tmp_path):
    entry = extract(replace(encoder, max_tokens=12), bitext, store)
    lengths = [len(rows_of(entry, side, n)) for side in (0, 1) for n in range(len(bitext))]
    assert max(lengths) == 12
    cut = entry.facts["truncated_sentences"]
    assert 0 < cut <= lengths.count(12)
    assert Study(entry).says_cut.startswith(f"{cut} of 20 sentences were longer than the model")
    whole = extract(encoder, bitext, Store(tmp_path / "whole", demo=None))
    assert Study(whole).says_cut == ""


@pytest.mark.parametrize("error", [torch.OutOfMemoryError("full"), MemoryError()])
def test_batches_are_halved_until_they_fit(encoder, bitext, tmp_path, error, launches):
    narrow = replace(encoder, network=Failing(encoder.network, error, above=60))
    expected = extract(encoder, bitext, Store(tmp_path / "a", demo=None), FLOAT32)
    launches.clear()
    options = replace(FLOAT32, token_budget=2_048)
    found = extract(narrow, bitext, Store(tmp_path / "b", demo=None), options)
    np.testing.assert_allclose(stack_of(found), stack_of(expected), atol=1e-5, rtol=0)
    assert launches[:6] == [20, 10, 5, 2, 1, 1], "what was too large is not tried again"
    assert sum(launches[4:]) == 2 * len(bitext)


def test_one_sentence_too_large_is_told(encoder, bitext, store):
    network = Failing(encoder.network, torch.OutOfMemoryError("full"), above=0)
    with pytest.raises(ExtractionError, match=r"too little memory for one sentence of \d+ tokens"):
        extract(replace(encoder, network=network), bitext, store)


def test_other_errors_are_not_taken_for_want_of_memory(encoder, bitext, store, launches):
    network = Failing(encoder.network, RuntimeError("a bug"), above=0)
    with pytest.raises(RuntimeError, match="a bug"):
        extract(replace(encoder, network=network), bitext, store)
    assert len(launches) == 1


@pytest.mark.parametrize(
    ("value", "stored_as", "way_out"),
    [
        (float("nan"), "float32", "compute in float32"),
        (float("nan"), "float16", "compute in float32"),
        (float("inf"), "float16", "compute in float32"),
        (1e9, "float16", "store them as float32"),
    ],
)
def test_states_must_be_finite_and_fit(encoder, bitext, store, value, stored_as, way_out):
    spoiled = replace(encoder, network=Spoiling(encoder.network, value))
    with pytest.raises(ExtractionError, match=f"(not finite numbers|too large .*): {way_out}"):
        extract(spoiled, bitext, store, ExtractionOptions(stored_as=stored_as))
    assert store.entries() == ()


def test_large_states_fit_into_float32(encoder, bitext, store):
    spoiled = replace(encoder, network=Spoiling(encoder.network, 1e6))
    assert extract(spoiled, bitext, store, FLOAT32).layer(1).max() == 1e6


def test_a_model_with_other_layers_than_promised_is_refused(encoder, bitext, store):
    with pytest.raises(ExtractionError, match=r"gave 4 layers of states where .* promises 8"):
        extract(replace(encoder, n_layers=7), bitext, store)


def test_a_text_without_text_is_refused(encoder, store):
    with pytest.raises(ExtractionError, match="nothing to read"):
        extract(encoder, ParallelText("empty", ("en", "zh"), (), ()), store)


def test_progress_rises_to_one_and_counts_tokens(encoder, bitext, store):
    reports: list[tuple[float, str]] = []
    options = ExtractionOptions(token_budget=40, on_progress=lambda *told: reports.append(told))
    entry = extract(encoder, bitext, store, options)
    shares = [share for share, _ in reports]
    assert shares[0] == 0.0
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    assert len(set(shares)) == len(shares) > 5
    tokens = entry.facts["tokens"]
    assert reports == [(share, f"{share * tokens:.0f} of {tokens} tokens") for share in shares]


def test_a_stopped_extraction_continues_with_the_rest(model, bitext, tmp_path, launches):
    whole = extract(
        model, bitext, Store(tmp_path / "whole", demo=None), replace(FLOAT32, token_budget=1)
    )
    store = Store(tmp_path / "stopped", demo=None)
    launches.clear()
    stopping = replace(FLOAT32, token_budget=1, should_stop=lambda: len(launches) == 7)
    with pytest.raises(Stopped, match="continues"):
        extract(model, bitext, store, stopping)
    assert store.entries() == ()
    assert len(launches) == 7

    launches.clear()
    reports: list[float] = []
    options = replace(
        FLOAT32, token_budget=1, on_progress=lambda share, message: reports.append(share)
    )
    entry = extract(model, bitext, store, options)
    assert len(launches) == 2 * len(bitext) - 7
    assert 0 < reports[0] < reports[-1] == 1.0
    np.testing.assert_array_equal(stack_of(entry), stack_of(whole))
    assert set(entry.manifest.files) == {"states.safetensors", "tokens.parquet", "corpus.json"}


def test_a_note_cut_by_a_kill_counts_for_nothing(encoder, bitext, store, launches, monkeypatch):
    # However slow the machine, the note has one line: what was finished when the work stopped.
    monkeypatch.setattr(safe_states, "_SECONDS_AT_RISK", math.inf)
    key = _stopped_after(encoder, bitext, store, launches, 7)
    note = store.root / "partial" / key / "finished.txt"
    lines = note.read_text().split("\n")
    note.write_text("\n".join(lines)[:-2])
    _stopped_after(encoder, bitext, store, launches, 3)
    launches.clear()
    extract(encoder, bitext, store, ExtractionOptions(token_budget=1))
    assert len(launches) == 2 * len(bitext) - 3


def test_damaged_work_in_progress_is_begun_anew(encoder, bitext, store, launches):
    key = _stopped_after(encoder, bitext, store, launches, 7)
    states = store.root / "partial" / key / "states.safetensors"
    states.write_bytes(b"\0" * states.stat().st_size)
    launches.clear()
    entry = extract(encoder, bitext, store, ExtractionOptions(token_budget=1))
    assert len(launches) == 2 * len(bitext)
    assert store.verify(entry) == ()


def test_a_kill_before_the_manifest_costs_no_forward_pass(
    encoder, bitext, store, launches, monkeypatch
):
    def killed(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("isogloss.store.manifest.Manifest.describe", killed)
        with pytest.raises(KeyboardInterrupt):
            extract(encoder, bitext, store)
    launches.clear()
    entry = extract(encoder, bitext, store)
    assert launches == []
    assert store.verify(entry) == ()


def _stopped_after(model, bitext, store, launches, count: int) -> str:
    """Stop an extraction, one sentence a batch, after `count` batches; returns its key."""
    launches.clear()
    options = ExtractionOptions(token_budget=1, should_stop=lambda: len(launches) == count)
    with pytest.raises(Stopped):
        extract(model, bitext, store, options)
    (workspace,) = (store.root / "partial").iterdir()
    return workspace.name


def full(*_, **__):
    raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize(
    "what", ["create_states_file", "StatesWriter.write", "StatesWriter.sync", "write_stored_text"]
)
@pytest.mark.parametrize("every_batch", [True, False])
def test_a_full_disk_is_told_whenever_it_shows(
    encoder, bitext, store, monkeypatch, what, every_batch
):
    """In the beginning, in the background while computing, at the last saving, or after it."""
    if every_batch:
        monkeypatch.setattr(safe_states, "_BYTES_AT_RISK", 1)
    with monkeypatch.context() as patched:
        module = safe_states if "Writer" in what else activations
        patched.setattr(f"{module.__name__}.{what}", full)
        with pytest.raises(StoreError, match="disk is full"):
            extract(encoder, bitext, store, ExtractionOptions(token_budget=40))
    assert store.entries() == ()
    assert store.verify(extract(encoder, bitext, store)) == ()


def test_states_saved_in_the_background_are_noted_only_then(
    encoder, bitext, store, monkeypatch, launches
):
    monkeypatch.setattr(safe_states, "_BYTES_AT_RISK", 1)
    with monkeypatch.context() as patched:
        patched.setattr(StatesWriter, "sync", full)
        with pytest.raises(StoreError):
            extract(encoder, bitext, store, ExtractionOptions(token_budget=1))
    (workspace,) = (store.root / "partial").iterdir()
    assert not (workspace / "finished.txt").exists()


def test_memory_is_bounded_by_the_batch(encoder, bitext, store, monkeypatch):
    """At most two batches of states are ever held."""
    alive: list[weakref.ref] = []
    most = 0
    launch = forward.ForwardPasses.launch

    def watched(self, sentences):
        nonlocal most
        pending = launch(self, sentences)
        alive.append(weakref.ref(pending))
        most = max(most, sum(each() is not None for each in alive))
        return pending

    monkeypatch.setattr(forward.ForwardPasses, "launch", watched)
    monkeypatch.setattr(safe_states, "_BYTES_AT_RISK", 1)
    extract(encoder, bitext, store, ExtractionOptions(token_budget=1))
    assert len(alive) == 2 * len(bitext)
    assert most <= 2


@given(st.lists(st.integers(1, 60), min_size=1, max_size=40), st.integers(1, 200))
def test_batches_hold_every_sentence_once_within_the_budget(numbers, budget):
    lengths = np.array(numbers)
    order = sort_by_length(lengths, range(len(lengths)))
    batches, first = [], 0
    while first < len(order):
        batches.append(next_batch(order, lengths, first, budget))
        first += len(batches[-1])
    assert sorted(index for batch in batches for index in batch) == list(range(len(lengths)))
    for batch in batches:
        assert len(batch) == 1 or len(batch) * lengths[batch].max() <= budget
    assert [lengths[batch[0]] for batch in batches] == sorted(
        (lengths[batch[0]] for batch in batches), reverse=True
    )


def test_the_size_of_the_states_is_told_before_the_work(encoder, bitext, store):
    told = []

    def read(*words):
        assert told, "nothing is read before"
        return read_here(*words)

    options = ExtractionOptions(on_size=told.append)
    entry = extract(encoder, bitext, store, options, read)
    stored = sum(entry.layer(index).nbytes for index in range(entry.n_states))
    assert told == [stored]
