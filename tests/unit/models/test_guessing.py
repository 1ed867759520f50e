"""Reading and changing models that guess: what is read off the top is what the model says."""

import pytest
import torch
from transformers import (
    BertConfig,
    BertForMaskedLM,
    Gemma2Config,
    Gemma2ForCausalLM,
    GPT2Config,
    GPT2LMHeadModel,
    LlamaConfig,
    LlamaForCausalLM,
)

from isogloss.errors import ModelError
from isogloss.models import guessing, memory
from isogloss.models.guessing import Guesser, OneGuesser, Prompt, load_guesser
from isogloss.models.loading import LoadedModel
from isogloss.models.sources.finding import ModelFiles

SIZE = {"vocab_size": 90, "hidden_size": 32, "num_hidden_layers": 3, "num_attention_heads": 4}
MORE = {"intermediate_size": 48, "max_position_embeddings": 40, "initializer_range": 0.3}


def bert():
    return BertForMaskedLM(BertConfig(**SIZE, **MORE))


def gpt2():
    shape = {"vocab_size": 90, "n_embd": 32, "n_layer": 3, "n_head": 4, "n_positions": 40}
    return GPT2LMHeadModel(GPT2Config(**shape, initializer_range=0.3))


def llama():
    return LlamaForCausalLM(LlamaConfig(**SIZE, **MORE))


def gemma():  # the logits pass a soft cap
    config = Gemma2Config(
        **SIZE, **MORE, num_key_value_heads=2, head_dim=8, sliding_window=4,
        final_logit_softcapping=2.0,
    )  # fmt: skip
    return Gemma2ForCausalLM(config)


@pytest.fixture(params=[bert, gpt2, llama, gemma], ids=lambda make: make.__name__)
def guesser(request) -> Guesser:
    torch.manual_seed(3)
    network = request.param().eval()
    with torch.no_grad():  # a norm that does nothing could be applied twice unseen
        for name, values in network.named_parameters():
            if "norm" in name.lower() or "ln_" in name:
                values.add_(torch.rand_like(values))
    return Guesser(
        LoadedModel(
            files=ModelFiles("tiny", None, "tiny"),
            network=network,
            tokenizer=None,
            n_layers=3,
            width=32,
            max_tokens=40,
            is_decoder=request.param is not bert,
            device="cpu",
            precision="float32",
        )
    )


PROMPTS = [Prompt((5, 6, 7, 8, 9), 4), Prompt((11, 12, 13), 1), Prompt((30, 31, 32, 33), 3)]


def own(guesser: Guesser) -> torch.Tensor:
    """The model's logits, each prompt by itself and by the model's own forward pass."""
    with torch.no_grad():
        return torch.stack(
            [guesser.model.network(torch.tensor([p.ids])).logits[0, p.position] for p in PROMPTS]
        )


def joined(parts) -> torch.Tensor:
    return torch.cat([part for _, part in parts])


def test_the_top_layer_is_what_the_model_says(guesser, monkeypatch):
    expected = torch.softmax(own(guesser), -1)
    states = guesser.read(PROMPTS)
    assert states.shape == (4, 3, 32)
    for at_once in (10**9, 2 * 90):
        monkeypatch.setattr(guessing, "GUESSES_AT_ONCE", at_once)
        parts = joined(guesser.probabilities(states[-1]))
        assert (parts - expected).abs().max() < 1e-5
    assert (joined(guesser.probabilities(states[-2])) - expected).abs().max() > 1e-3
    assert torch.allclose(guesser.answer(PROMPTS), own(guesser), atol=1e-4)


def test_layers_are_those_of_transformers(guesser):
    network = guesser.model.network
    for row, prompt in enumerate(PROMPTS):
        with torch.no_grad():
            given = network(torch.tensor([prompt.ids]), output_hidden_states=True).hidden_states
        states = guesser.read(PROMPTS)
        for layer in range(3):  # its last one has passed the final norm
            assert torch.allclose(states[layer, row], given[layer][0, prompt.position], atol=1e-4)
    everywhere = guesser.read(PROMPTS, everywhere=True)
    assert everywhere.shape == (4, 5 + 3 + 4, 32)
    assert torch.equal(everywhere[:, 4], states[:, 0])
    assert torch.equal(everywhere[:, 6], states[:, 1])


def test_a_change_of_nothing_changes_nothing_bit_for_bit(guesser):
    plain = guesser.answer(PROMPTS)
    for layer in range(4):
        with guesser.changed(layer, lambda states: states + 0.0 * torch.ones(32)):
            assert torch.equal(guesser.answer(PROMPTS), plain)
        with guesser.changed(layer, lambda states: states + torch.arange(32.0)):
            assert not torch.allclose(guesser.answer(PROMPTS), plain, atol=1e-3)
    assert torch.equal(guesser.answer(PROMPTS), plain)


def test_going_on_from_a_layer_is_a_change_there(guesser):
    whole = guesser.read_whole(PROMPTS)
    step = torch.linspace(-1, 1, 32)
    for layer in range(4):
        with guesser.changed(layer, lambda states: states + step):
            expected = guesser.answer(PROMPTS)
        assert torch.allclose(
            guesser.answer_from(layer, whole[layer] + step, PROMPTS), expected, atol=1e-4
        )


def test_a_shared_beginning_is_read_once_and_changes_nothing(guesser):
    shared = tuple(range(20, 29))
    prompts = [Prompt((*shared, *p.ids), 9 + p.position) for p in PROMPTS]
    together = guesser.read(prompts)
    for row, prompt in enumerate(prompts):
        assert torch.allclose(together[:, row], guesser.read([prompt])[:, 0], atol=1e-4)


def test_states_of_one_prompt_in_another(guesser):
    """At the top, a state put in says what it says where it comes from."""
    states = guesser.read(PROMPTS)

    def put_in(given):
        given = given.clone()
        given[0, PROMPTS[0].position] = states[-1, 2]
        return given

    with guesser.changed(3, put_in):
        swapped = guesser.answer(PROMPTS)
    assert torch.allclose(swapped[0], own(guesser)[2], atol=1e-4)
    assert torch.allclose(swapped[1], own(guesser)[1], atol=1e-4)


def test_a_head_that_reads_otherwise_is_refused(masked_model_directory, store, monkeypatch):
    assert load_guesser(str(masked_model_directory), store).n_layers == 3
    read = Guesser.read
    monkeypatch.setattr(Guesser, "read", lambda self, prompts: 1.1 * read(self, prompts))
    with pytest.raises(ModelError, match="differs from what the model itself says"):
        load_guesser(str(masked_model_directory), store)


def test_prompts_of_a_masked_model_have_a_gap(masked_model_directory, store):
    guesser = load_guesser(str(masked_model_directory), store)
    mask = guesser.model.tokenizer.mask_token_id
    first = guesser.prompt("I like [MASK] tea.")
    assert first.ids[first.position] == mask
    last = guesser.prompt("I like green")
    assert last.ids[-2] == mask
    assert last.position == len(last.ids) - 2
    with pytest.raises(ModelError, match="longer than the"):
        guesser.prompt("tea " * 200)
    assert len(list(guesser.speak(first, 5))) == 1


def test_one_model_is_kept(masked_model_directory, store, monkeypatch):
    loaded = []
    real = guessing.load_guesser
    monkeypatch.setattr(
        guessing, "load_guesser", lambda *given: loaded.append(given[0]) or real(*given)
    )
    one, name = OneGuesser(), str(masked_model_directory)
    for each in (name, name, f"random:{name}", name):
        with one.using(each, store) as guesser:
            assert guesser.name == each
    assert loaded == [name, f"random:{name}", name]


def test_a_model_that_does_not_fit_is_refused_before_it_is_looked_for(store, monkeypatch):
    monkeypatch.setattr(memory, "memory_available", lambda: 2_000_000_000)
    with pytest.raises(ModelError, match=r"needs 7.5 GB of memory and 2.0 GB are free"):
        load_guesser("qwen2.5-coder-1.5b", store)


def test_greedy_decoding_is_that_of_transformers(guesser):
    if guesser.masked:
        pytest.skip("it fills one gap")
    guesser.model.__dict__["tokenizer"] = type("None", (), {"eos_token_id": None})
    prompt = torch.tensor([PROMPTS[0].ids])
    whole = guesser.model.network.generate(
        prompt, do_sample=False, max_new_tokens=6, eos_token_id=None, pad_token_id=0
    )
    assert list(guesser.speak(PROMPTS[0], 6)) == whole[0, prompt.shape[1] :].tolist()
