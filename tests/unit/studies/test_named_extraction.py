"""What is found in the store by a model's name, and what is not: studies of another definition."""

from pathlib import Path

import pytest

from isogloss.models.loading import LoadedModel
from isogloss.models.states import LayerStates
from isogloss.models.tokens import TOKENS, write_tokens
from isogloss.store import STATES, Store, create_states_file
from isogloss.studies import named_extraction
from isogloss.studies.extraction import activation_record
from isogloss.studies.named_extraction import extract_by_name
from isogloss.studies.study import TEXT, Study, write_stored_text


def study_of_before(model: LoadedModel, bitext, store: Store) -> Study:
    """A study as 0.3.0 stored it: nothing is noted of a norm, the top is what transformers gave."""

    def build(workspace: Path) -> dict:
        rows = int(sum(map(len, write_tokens(model, bitext, workspace / TOKENS).ids)))
        states = create_states_file(
            workspace / STATES,
            n_states=model.n_layers + 1,
            rows=rows,
            width=model.width,
            dtype="float16",
        )
        states[:] = 1
        states.flush()
        write_stored_text(bitext, workspace / TEXT)
        return {"tokens": rows}

    facts = {
        "model": model.name,
        "corpus": bitext.name,
        "languages": list(bitext.languages),
        "pairs": len(bitext),
        "n_layers": model.n_layers,
        "width": model.width,
        "is_decoder": model.is_decoder,
        "scale": 16 if model.is_decoder else 1,
    }
    record = activation_record(model.files, bitext, precision="float32")
    return Study(store.get_or_create(record, build, description="old", facts=facts))


@pytest.fixture
def no_weights(monkeypatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("the weights were loaded")

    monkeypatch.setattr(named_extraction, "load_model", refuse)


@pytest.mark.usefixtures("no_weights")
def test_an_encoders_study_of_before_is_found_without_its_weights(encoder, bitext, store):
    old = study_of_before(encoder, bitext, store)
    found = extract_by_name(encoder.name, bitext, store, device="cpu")
    assert (found.entry.key, found.how) == (old.key, "found in the store")
    assert Study(found.entry).states == LayerStates(3)


def test_a_decoders_study_of_before_is_not_taken_for_one_of_now(decoder, bitext, store):
    old = study_of_before(decoder, bitext, store)
    found = extract_by_name(decoder.name, bitext, store, device="cpu")
    assert found.entry.key != old.key
    assert found.entry.record["states"] == "blocks"
    assert Study(found.entry).states == LayerStates(4, "apart")
    again = extract_by_name(decoder.name, bitext, store, device="cpu")
    assert (again.entry.key, again.how) == (found.entry.key, "found in the store")


def test_a_decoders_study_of_before_stays_readable_and_says_what_its_top_is(decoder, bitext, store):
    old = study_of_before(decoder, bitext, store)
    assert old.n_states == old.entry.n_states == 5
    assert old.states.name(4) == "4, after the final norm"
    assert [old.states.name(layer) for layer in range(4)] == ["0", "1", "2", "3"]
