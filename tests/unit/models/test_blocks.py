"""Freezing is exact, and a pass that starts in the middle ends where a whole one does."""

import pytest
import torch
from transformers import AutoConfig, AutoModel

from isogloss.errors import ModelError
from isogloss.models.blocks import (
    find_blocks,
    freeze,
    parameters_by_layer,
    run_to_layer,
    set_training,
    starting_above,
)


def inputs(model) -> dict[str, torch.Tensor]:
    ids = torch.tensor([[5, 6, 7, 8, 9, 10], [11, 12, 13, 0, 0, 0]])
    mask = torch.tensor([[1] * 6, [1, 1, 1, 0, 0, 0]])
    more = {"use_cache": False} if model.is_decoder else {}
    return {"input_ids": ids, "attention_mask": mask, **more}


def test_every_layer_is_what_the_model_itself_says(model):
    given = inputs(model)
    with torch.no_grad():
        whole = model.network(**given, output_hidden_states=True)
        for layer in range(model.n_layers):  # the model's last one has passed a final norm
            states = run_to_layer(model.network, layer, **given)
            assert torch.equal(states, whole.hidden_states[layer])


def test_a_pass_from_the_middle_ends_where_a_whole_one_does(model):
    given = inputs(model)
    real = given["attention_mask"].bool()
    with torch.no_grad():
        whole = model.network(**given).last_hidden_state
        for layer in range(model.n_layers + 1):
            states = run_to_layer(model.network, layer, **given)
            with starting_above(model.network, layer) as give:
                give(states)
                other_ids = {**given, "input_ids": torch.zeros_like(given["input_ids"])}
                again = model.network(**other_ids).last_hidden_state
            torch.testing.assert_close(again[real], whole[real], rtol=0, atol=1e-6)
        torch.testing.assert_close(model.network(**given).last_hidden_state, whole)


def test_every_parameter_belongs_to_a_layer(model):
    layers = parameters_by_layer(model.network)
    assert set(layers) == {name for name, _ in model.network.named_parameters()}
    assert {layer for name, layer in layers.items() if "embed" in name} == {0}
    for number, block in enumerate(find_blocks(model.network), start=1):
        mine = {id(parameter) for parameter in block.parameters()}
        named = {
            id(parameter)
            for name, parameter in model.network.named_parameters()
            if layers[name] == number
        }
        assert mine == named


@pytest.mark.parametrize("frozen", range(-1, 5))
def test_freezing_leaves_just_the_upper_layers_to_learn(model, frozen):
    if frozen > model.n_layers:
        pytest.skip("the encoder has three layers")
    learning = {id(parameter) for parameter in freeze(model.network, frozen)}
    layers = parameters_by_layer(model.network)
    for name, parameter in model.network.named_parameters():
        expected = layers[name] > frozen and frozen < model.n_layers and "pooler" not in name
        assert parameter.requires_grad == expected, name
        assert (id(parameter) in learning) == expected, name


def test_more_layers_than_there_are_cannot_be_frozen(model):
    with pytest.raises(ModelError, match=f"Between -1 and {model.n_layers} layers"):
        freeze(model.network, model.n_layers + 1)
    with pytest.raises(ModelError, match="not -2"):
        freeze(model.network, -2)


def test_dropout_is_only_where_something_learns(encoder):
    network = encoder.network
    set_training(network, 1, dropout=True)
    blocks = find_blocks(network)
    assert [block.training for block in blocks] == [False, True, True]
    assert not network.embeddings.training
    set_training(network, -1, dropout=True)
    assert network.embeddings.training
    set_training(network, -1, dropout=False)
    assert not any(module.training for module in network.modules())


def test_a_model_without_blocks_is_refused():
    class Flat(torch.nn.Module):
        class Config:
            num_hidden_layers = 3

            def get_text_config(self):
                return self

        config = Config()

    with pytest.raises(ModelError, match="The 3 blocks of Flat"):
        find_blocks(Flat())


@pytest.mark.parametrize("kind", ["deberta-v2", "mpnet"])
def test_models_whose_blocks_share_weights_are_refused(kind):
    sizes = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2}
    more = {"intermediate_size": 16, "vocab_size": 30, "relative_attention": True}
    config = AutoConfig.for_model(kind, **sizes, **more)
    network = AutoModel.from_config(config)
    with pytest.raises(ModelError, match="share weights for positions"):
        freeze(network, 1)
