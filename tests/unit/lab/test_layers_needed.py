"""Layers set back to random weights: exactly these, by the model's own rule, and nothing else."""

import numpy as np
import pytest

from isogloss.errors import ModelError, RunError
from isogloss.lab.layers_needed.plan import (
    FULL,
    LAYER_GROUPINGS,
    PROBE,
    LayersNeededPlan,
    SentenceProbe,
    group_name,
    layer_groups,
    reinitialise,
)
from isogloss.lab.runs.queue import Runs
from isogloss.lab.runs.run import Run
from isogloss.lab.runs.worker import work
from isogloss.models.blocks import find_blocks, parameters_by_layer
from isogloss.models.loading import LoadedModel
from isogloss.store import Store
from isogloss.text.reading import load_bundled


@pytest.fixture
def network(model: LoadedModel):
    """The network of each tiny model; what a test does to it is undone."""
    first = {name: value.clone() for name, value in model.network.state_dict().items()}
    yield model.network
    model.network.load_state_dict(first)


def weights(network) -> dict[str, np.ndarray]:
    return {name: value.numpy(force=True).copy() for name, value in network.state_dict().items()}


def test_the_table_of_blocks():
    assert layer_groups("single", 3) == (FULL, (1,), (2,), (3,))
    assert layer_groups("pairs", 4) == (FULL, (1, 2), (3, 4))
    assert layer_groups("pairs", 5) == (FULL, (1, 2), (3, 4), (5,))
    assert layer_groups("thirds", 6) == (FULL, (1, 2), (3, 4), (5, 6))
    assert layer_groups("thirds", 7) == (FULL, (1, 2, 3), (4, 5), (6, 7))
    assert layer_groups("thirds", 2) == (FULL, (1,), (2,))
    assert layer_groups("all", 3) == (FULL, (1,), (2,), (3,), (1, 2))
    for name in LAYER_GROUPINGS:
        layers = {layer for group in layer_groups(name, 12) for layer in group}
        assert layers == set(range(1, 13))
    with pytest.raises(RunError, match="no blocks called quarters"):
        layer_groups("quarters", 6)
    assert [group_name(group) for group in (FULL, (3,), (3, 4, 5))] == [
        "full model",
        "layer 3",
        "layers 3–5",
    ]


@pytest.mark.parametrize("layers", [(2,), (1, 3)])
def test_exactly_these_layers_are_drawn_anew(network, layers):
    before = weights(network)
    reinitialise(network, layers, seed=1)
    after, layer_of = weights(network), parameters_by_layer(network)
    for name, value in after.items():
        if layer_of.get(name) not in layers:
            np.testing.assert_array_equal(value, before[name], err_msg=name)
        elif value.ndim == 2:
            # Independent draws from the same rule: nothing of the old weights is left.
            assert abs(np.corrcoef(value.ravel(), before[name].ravel())[0, 1]) < 0.1, name


def test_the_weights_follow_the_models_own_rule(network):
    for block in find_blocks(network):
        for parameter in block.parameters():
            parameter.data.fill_(7.0)
    reinitialise(network, (2,), seed=0)
    spread = network.config.initializer_range
    matrices = 0
    for name, parameter in find_blocks(network)[1].named_parameters():
        value = parameter.numpy(force=True)
        if value.ndim == 2:
            matrices += 1
            error = spread / np.sqrt(value.size)
            assert abs(value.mean()) < 4 * error, name
            assert abs(value.std() - spread) < 4 * error, name
        elif name.endswith("bias"):
            assert (value == 0).all(), name
        elif network.config.model_type == "bert":
            assert (value == 1).all(), name
        else:  # Gemma multiplies by 1 + weight
            assert (value == 0).all(), name
    assert matrices >= 6
    assert (find_blocks(network)[0].state_dict()[_any_matrix(network)].numpy() == 7).all()


def _any_matrix(network) -> str:
    return next(name for name, each in find_blocks(network)[0].named_parameters() if each.ndim == 2)


def test_a_layers_fresh_weights_depend_on_the_seed_alone(network):
    import torch

    first = weights(network)

    def drawn(layers: tuple[int, ...], seed: int) -> np.ndarray:
        network.load_state_dict({name: torch.from_numpy(value) for name, value in first.items()})
        reinitialise(network, layers, seed)
        return find_blocks(network)[1].state_dict()[_any_matrix(network)].numpy(force=True).copy()

    state = torch.get_rng_state()
    alone, again, together, other = drawn((2,), 0), drawn((2,), 0), drawn((1, 2), 0), drawn((2,), 1)
    np.testing.assert_array_equal(alone, again)
    np.testing.assert_array_equal(alone, together)
    assert not np.array_equal(alone, other)
    assert torch.equal(torch.get_rng_state(), state)


def test_the_full_model_keeps_every_weight_and_a_block_that_is_not_there_is_refused(network):
    before = weights(network)
    reinitialise(network, FULL, seed=0)
    for name, value in weights(network).items():
        np.testing.assert_array_equal(value, before[name])
    with pytest.raises(ModelError, match="no block 9"):
        reinitialise(network, (9,), seed=0)


def test_a_layer_is_as_it_was_until_something_below_it_changes(model, network):
    probe = SentenceProbe.of(model, load_bundled(PROBE), ("zh",), "en")
    before = probe.vectors()
    assert list(before) == ["en", "zh"]
    assert before["en"].shape == (model.n_layers + 1, 100, model.width)
    same = probe.compare(before, before)
    for values in same["kept"].values():
        np.testing.assert_allclose(values, 1, atol=1e-5)
    assert same["across"]["zh"]["before"] == same["across"]["zh"]["after"]
    reinitialise(network, (2,), seed=3)
    found = probe.compare(before, probe.vectors())
    np.testing.assert_allclose(found["kept"]["zh"][:2], 1, atol=1e-5)
    assert all(value < 0.999 for value in found["kept"]["zh"][2:])
    assert found["across"]["zh"]["before"][:2] == found["across"]["zh"]["after"][:2]
    assert found["across"]["zh"]["before"][2:] != found["across"]["zh"]["after"][2:]


def test_sentence_vectors_are_means_of_ordinary_tokens(model):
    import torch

    from isogloss.models.tokens import tokenise

    probe = SentenceProbe.of(model, load_bundled(PROBE), ("en",), "en")
    found = probe.vectors()["en"]
    for row in (0, 17):
        (sentence,) = tokenise(model, [probe.texts["en"][row]])
        with torch.no_grad():
            states = model.network(
                input_ids=torch.tensor([sentence.ids]), output_hidden_states=True
            ).hidden_states
        ordinary = ~np.array(sentence.special)
        expected = np.stack([layer[0].numpy()[ordinary].mean(0) for layer in states])
        np.testing.assert_allclose(found[:, row], expected, rtol=1e-4, atol=1e-5)


def test_languages_the_probe_does_not_have_are_left_out(encoder):
    probe = SentenceProbe.of(encoder, load_bundled(PROBE), ("de", "zh"), "fr")
    assert list(probe.texts) == ["zh"]
    assert probe.compare(probe.vectors(), probe.vectors())["across"] == {}
    other = SentenceProbe.of(encoder, load_bundled(PROBE), ("en", "zh"), "de")
    assert other.compare(other.vectors(), other.vectors())["across"] == {}
    none = SentenceProbe.of(encoder, load_bundled(PROBE), ("de",), "de")
    assert none.compare(none.vectors(), none.vectors()) == {"kept": {}, "across": {}}


def plan_for(directory, **changes) -> LayersNeededPlan:
    return LayersNeededPlan(
        **{
            "model": str(directory),
            "n_layers": 3,
            "blocks": "thirds",
            "seeds": (0, 1),
            "train_size": 24,
            "dev_size": 9,
            "test_size": 12,
            "epochs": 1,
            "checks": 2,
            "device": "cpu",
            **changes,
        }
    )


def carried_out(store: Store, run: Run) -> dict:
    Runs(store, shipped=None).enqueue(run, start_worker=False)
    work(store)
    assert run.state == "finished", run.problem
    return {
        unit: {name: value for name, value in result.items() if name != "seconds"}
        for unit, result in run.results().items()
    }


def test_a_run_taken_up_again_ends_as_an_unbroken_one(encoder_directory, store):
    plan = plan_for(encoder_directory)
    runs = Runs(store, shipped=None)
    unbroken = carried_out(store, runs.create(plan))
    assert list(unbroken) == [
        f"{name}, seed {seed}"
        for seed in (0, 1)
        for name in ("full model", "layer 1", "layer 2", "layer 3")
    ]
    broken = runs.create(plan)
    for unit in ("full model, seed 0", "layer 2, seed 0"):
        broken.append(unit, {**unbroken[unit], "seconds": 0})
    assert carried_out(store, broken) == unbroken
    result = unbroken["layer 2, seed 1"]
    assert result["block"] == [2]
    assert result["test"]["zh"]["selected"][1] == 12
    assert len(result["similarity"]["kept"]["en"]) == 4
    assert result["similarity"]["kept"]["en"][0] == 1  # the embeddings are frozen
    assert broken.facts["probe"]["pairs"] == 100


def test_a_decoder_runs_too_and_embeddings_learn_if_asked(decoder_directory, store):
    plan = plan_for(
        decoder_directory, n_layers=4, seeds=(0,), train_embeddings=True, learning_rate=0.01
    )
    found = carried_out(store, Runs(store, shipped=None).create(plan))
    assert list(found) == [
        f"{name}, seed 0" for name in ("full model", "layers 1–2", "layer 3", "layer 4")
    ]
    assert found["full model, seed 0"]["similarity"]["kept"]["en"][0] < 1


def test_the_command_asks_for_the_same_run(encoder_directory):
    from isogloss.command_line import build_parser
    from isogloss.command_line.arguments import plan_values

    plan = plan_for(encoder_directory, train_embeddings=True)
    options = build_parser().parse_args(plan.command())
    values = plan_values(LayersNeededPlan, options)
    assert LayersNeededPlan.suited(3, **values) == plan


def test_a_plan_that_makes_no_sense_is_refused():
    with pytest.raises(RunError, match="no blocks called halves"):
        LayersNeededPlan(blocks="halves")
