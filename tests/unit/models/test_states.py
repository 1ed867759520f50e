"""Every layer is its block's output, and what a final norm gives is a state of its own."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from docs.making.demo import demo_text
from isogloss.models.forward import ForwardPasses
from isogloss.models.loading import LoadedModel, expect_norm, load_model
from isogloss.models.packaged.e5 import is_packaged_here
from isogloss.models.sources.finding import find_model
from isogloss.models.states import LayerStates, has_final_norm
from isogloss.store import Store
from isogloss.store.keys import cache_key
from isogloss.studies.extraction import activation_record

SIZES = {
    "hidden_size": 32,
    "num_hidden_layers": 3,
    "num_attention_heads": 2,
    "intermediate_size": 48,
    "initializer_range": 0.3,
    "pad_token_id": 0,
}


def configuration(kind: str):
    import transformers as t

    if kind == "bert":
        return t.BertConfig(vocab_size=220, **SIZES)
    if kind == "albert":  # one block that all layers share
        return t.AlbertConfig(vocab_size=220, embedding_size=16, **SIZES)
    if kind == "gpt2":
        return t.GPT2Config(vocab_size=220, n_embd=32, n_layer=3, n_head=2, initializer_range=0.3)
    if kind == "llama":
        return t.LlamaConfig(vocab_size=220, num_key_value_heads=1, **SIZES)
    if kind == "gemma3":
        return t.Gemma3TextConfig(
            vocab_size=220,
            num_key_value_heads=1,
            head_dim=16,
            sliding_window=4,
            layer_types=["sliding_attention", "full_attention", "sliding_attention"],
            **SIZES,
        )
    return t.ModernBertConfig(
        vocab_size=220, global_attn_every_n_layers=2, cls_token_id=2, sep_token_id=3, **SIZES
    )


# Where each has its blocks, written out by hand and not found by the code under test.
BLOCKS = {
    "bert": lambda network: network.encoder.layer,
    "gpt2": lambda network: network.h,
    "llama": lambda network: network.layers,
    "gemma3": lambda network: network.layers,
    "modernbert": lambda network: network.layers,
}
NORMED = ("gpt2", "llama", "gemma3", "modernbert")
DECODERS = ("gpt2", "llama", "gemma3")


def build(kind: str):
    from transformers import AutoModel

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(3)
        return AutoModel.from_config(configuration(kind), dtype=torch.float32).eval()


def loaded(encoder: LoadedModel, kind: str) -> LoadedModel:
    network = build(kind)
    return replace(
        encoder,
        network=network,
        is_decoder=kind in DECODERS,
        final_norm=has_final_norm(network, 3),
    )


def watched(network, blocks, ids) -> tuple[list[np.ndarray], np.ndarray]:
    """What goes into the first block, what each hands on, and the last hidden state."""
    seen = []
    hooks = [
        blocks[0].register_forward_pre_hook(
            lambda module, args, kwargs: seen.append(args[0] if args else kwargs["hidden_states"]),
            with_kwargs=True,
        )
    ]
    for block in blocks:
        hooks.append(
            block.register_forward_hook(
                lambda module, args, output: seen.append(
                    output[0] if isinstance(output, tuple) else output
                )
            )
        )
    with torch.inference_mode():
        top = network(input_ids=torch.tensor([ids])).last_hidden_state
    for hook in hooks:
        hook.remove()
    return [states[0].numpy() for states in seen], top[0].numpy()


@pytest.mark.parametrize("kind", BLOCKS)
def test_states_are_what_the_blocks_hand_on(encoder, kind):
    model = loaded(encoder, kind)
    sentences = [np.array([2, 9, 14, 60, 71, 3]), np.array([2, 31, 32, 3])]
    found = ForwardPasses(model, "float32").launch(sentences).collect()
    assert len(found) == len(model.states) == (5 if kind in NORMED else 4)
    ends = np.cumsum([len(ids) for ids in sentences])
    for ids, end in zip(sentences, ends, strict=True):
        blocks, top = watched(model.network, BLOCKS[kind](model.network), ids.tolist())
        mine = found[:, end - len(ids) : end]
        np.testing.assert_allclose(mine[:4], np.stack(blocks), atol=2e-5, rtol=1e-5)
        np.testing.assert_allclose(mine[-1], top, atol=2e-5, rtol=1e-5)
        assert np.allclose(mine[3], top, atol=1e-3) == (kind not in NORMED)


@pytest.mark.parametrize("kind", [*BLOCKS, "albert"])
def test_a_final_norm_is_found_by_what_it_does(kind):
    assert has_final_norm(build(kind), 3) == (kind in NORMED)


@pytest.mark.parametrize("kind", [*BLOCKS, "albert"])
def test_a_configuration_tells_what_the_model_will(kind, tmp_path: Path, encoder_directory, store):
    for file in encoder_directory.glob("tokenizer*"):
        (tmp_path / file.name).write_bytes(file.read_bytes())
    build(kind).save_pretrained(tmp_path)
    for name in (str(tmp_path), f"random:{tmp_path}"):
        model = load_model(name, store, device="cpu")
        assert model.final_norm == expect_norm(model.files, store) == (kind in NORMED)
        assert load_model(name, store, device="cpu", weights=False).final_norm == model.final_norm


@pytest.fixture
def same_sums(monkeypatch) -> None:
    """A direct call multiplies as forward passes do: see `_bounded_memory` there."""
    monkeypatch.setattr(torch.backends.mkldnn, "enabled", False)


@pytest.mark.usefixtures("same_sums")
def test_what_transformers_hands_on_is_had_as_before(encoder):
    model = loaded(encoder, "llama")
    ids = np.array([2, 9, 14, 60, 71, 3])
    passes = ForwardPasses(model, "float32", states=model.states.handed_on)
    with torch.inference_mode():
        given = model.network(input_ids=torch.tensor(ids[None]), output_hidden_states=True)
    expected = torch.stack(given.hidden_states)[:, 0].numpy()
    np.testing.assert_array_equal(passes.launch([ids]).collect(), expected)


@pytest.mark.usefixtures("same_sums")
def test_states_of_an_encoder_are_transformers_own_to_the_last_bit(encoder):
    ids = np.array([2, 9, 14, 60, 71, 3])
    with torch.inference_mode():
        given = encoder.network(input_ids=torch.tensor(ids[None]), output_hidden_states=True)
    expected = torch.stack(given.hidden_states)[:, 0].numpy().astype(np.float16)
    found = ForwardPasses(encoder, "float16").launch([ids]).collect()
    np.testing.assert_array_equal(found, expected)


def test_numbers_and_names_of_states():
    plain, apart, old = (LayerStates(12, norm) for norm in ("none", "apart", "on top"))
    assert (len(plain), len(apart), len(old)) == (13, 14, 13)
    assert (plain.normed, apart.normed, old.normed) == (None, 13, 12)
    assert [plain.name(12), apart.name(12), apart.name(13), old.name(12)] == [
        "12",
        "12",
        "after the final norm",
        "12, after the final norm",
    ]
    assert [plain.place(12), apart.place(13), old.place(12)] == [
        "at layer 12",
        "after the final norm",
        "at layer 12, after the final norm",
    ]
    assert [plain.title(0), apart.title(13), old.title(12)] == [
        "Layer 0",
        "After the final norm",
        "Layer 12, after the final norm",
    ]
    assert (apart.handed_on, plain.handed_on) == (old, plain)
    assert apart.handed_on_numbers == [*range(12), 13]
    assert plain.handed_on_numbers == old.handed_on_numbers == [*range(13)]


def test_layers_of_two_models_meet_at_their_share_of_depth_and_tops_meet_tops():
    small, normed = LayerStates(6), LayerStates(18, "apart")
    assert [small.counterpart(layer, normed) for layer in range(7)] == [0, 3, 6, 9, 12, 15, 18]
    assert [normed.counterpart(layer, small) for layer in (0, 9, 18, 19)] == [0, 3, 6, 6]
    assert normed.counterpart(19, LayerStates(4, "apart")) == 5


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("mini-en-zh", "bebf24641080f7c5e656b206d28c5cb7"),
        ("multilingual-e5-small", "eada101341fa673b9b8c0db8a557d51f"),
        ("random:multilingual-e5-small", "7f5e4516f64225f152e3c6ab39b6256f"),
    ],
)
def test_keys_of_encoders_stay_what_they_were(name, key, store):
    if "e5" in name and not is_packaged_here():
        pytest.skip("the package is not built for this system")
    record = activation_record(find_model(name, Store()), demo_text(), precision="float32")
    assert cache_key(record) == key
