"""Models of a few thousand random parameters, one of each kind, saved in every way that we read.

For `docs/models.md` and its test: what is read there are files as transformers saves them, a cache
as the hub leaves it, and GGUF files as llama.cpp's converter lays them out, in F32.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

SENTENCES = ("The door is open.", "门开着。", "She reads a book in the garden.", "她在花园里看书。")
SPECIAL = ("<pad>", "<unk>", "<s>", "</s>", "<mask>")
WIDTH, HEADS, INNER, LAYERS, POSITIONS = 16, 2, 32, 2, 64

_USUAL = {
    "hidden_size": WIDTH,
    "num_hidden_layers": LAYERS,
    "num_attention_heads": HEADS,
    "intermediate_size": INNER,
    "max_position_embeddings": POSITIONS,
}
_GROUPED = _USUAL | {"num_key_value_heads": HEADS, "head_dim": WIDTH // HEADS}


@dataclass(frozen=True)
class Kind:
    """An architecture: the class of its configuration, what makes it small, its name in GGUF.

    `network` is its class where transformers has a choice.
    """

    name: str
    config: str
    settings: dict[str, Any]
    gguf: str = ""
    network: str = ""

    @property
    def file_name(self) -> str:
        return self.name.partition(" ")[0]

    def class_in(self, transformers: Any) -> Any:
        return getattr(transformers, self.network or "AutoModel")


KINDS = (
    Kind("bert", "BertConfig", _USUAL),
    Kind("roberta", "RobertaConfig", _USUAL | {"max_position_embeddings": POSITIONS + 2}),
    Kind("xlm-roberta", "XLMRobertaConfig", _USUAL | {"max_position_embeddings": POSITIONS + 2}),
    Kind("camembert", "CamembertConfig", _USUAL | {"max_position_embeddings": POSITIONS + 2}),
    Kind(
        "distilbert",
        "DistilBertConfig",
        {
            "dim": WIDTH,
            "n_layers": LAYERS,
            "n_heads": HEADS,
            "hidden_dim": INNER,
            "max_position_embeddings": POSITIONS,
        },
    ),
    Kind("electra", "ElectraConfig", _USUAL | {"embedding_size": WIDTH}),
    Kind("deberta-v2", "DebertaV2Config", _USUAL),
    Kind("modernbert", "ModernBertConfig", _USUAL),
    Kind(
        "gpt2",
        "GPT2Config",
        {"n_embd": WIDTH, "n_layer": LAYERS, "n_head": HEADS, "n_positions": POSITIONS},
        "gpt2",
    ),
    Kind("llama", "LlamaConfig", _GROUPED, "llama"),
    Kind("mistral", "MistralConfig", _GROUPED | {"sliding_window": None}, "llama"),
    Kind("qwen2", "Qwen2Config", _GROUPED, "qwen2"),
    # Its GGUF says nothing of the width of a head, which is 128 in all that were published.
    Kind("qwen3", "Qwen3Config", _GROUPED | {"head_dim": 128}, "qwen3"),
    Kind("gemma3", "Gemma3TextConfig", _GROUPED | {"sliding_window": 32}, "gemma3"),
    Kind(
        "bloom", "BloomConfig", {"hidden_size": WIDTH, "n_layer": LAYERS, "n_head": HEADS}, "bloom"
    ),
    Kind(
        "xglm",
        "XGLMConfig",
        {
            "d_model": WIDTH,
            "num_layers": LAYERS,
            "attention_heads": HEADS,
            "ffn_dim": INNER,
            "max_position_embeddings": POSITIONS,
        },
    ),
    Kind(
        "mt5 (encoder)",
        "MT5Config",
        {
            "d_model": WIDTH,
            "num_layers": LAYERS,
            "num_heads": HEADS,
            "d_kv": WIDTH // HEADS,
            "d_ff": INNER,
        },
        network="MT5EncoderModel",
    ),
)


def save_tiny(kind: Kind, directory: Path) -> int:
    """Save a random model of this kind with a tokenizer; returns how many parameters it has."""
    import torch
    import transformers

    tokenizer = _tokenizer()
    tokenizer.save_pretrained(directory)
    ids = {f"{name}_token_id": SPECIAL.index(f"<{name}>") for name in ("pad",)}
    ids |= {"bos_token_id": 2, "eos_token_id": 3, "vocab_size": len(tokenizer)}
    if kind.name == "modernbert":
        ids |= {"cls_token_id": 2, "sep_token_id": 3}
    config = getattr(transformers, kind.config)(**kind.settings, **ids)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(len(kind.name))
        network = (
            kind.class_in(transformers)(config)
            if kind.network
            else transformers.AutoModel.from_config(config, dtype=torch.float32)
        )
        # Biases and norms begin at 0 and 1, where one taken for another would not show.
        for parameter in network.parameters():
            parameter.data += 0.1 * torch.randn_like(parameter)
    network.save_pretrained(directory)
    return sum(parameter.numel() for parameter in network.parameters())


def save_in_hub_cache(directory: Path, cache: Path, hub_id: str) -> None:
    """Lay a directory out as the hub's cache has a model that was fetched before."""
    commit = hashlib.sha1(hub_id.encode()).hexdigest()
    home = cache / f"models--{hub_id.replace('/', '--')}"
    (home / "refs").mkdir(parents=True)
    (home / "refs" / "main").write_text(commit)
    (home / "snapshots").mkdir()
    (home / "snapshots" / commit).symlink_to(directory.resolve(), target_is_directory=True)


def save_gguf(kind: Kind, directory: Path, path: Path) -> None:
    """Write the model in `directory` as one GGUF file, in F32, with its tokenizer."""
    import gguf
    from transformers import AutoModel, PreTrainedTokenizerFast

    network = AutoModel.from_pretrained(directory)
    config = network.config
    writer = gguf.GGUFWriter(path, kind.gguf)
    writer.add_name("tiny")
    writer.add_block_count(LAYERS)
    writer.add_context_length(POSITIONS)
    writer.add_embedding_length(WIDTH)
    writer.add_feed_forward_length(INNER if kind.name not in ("gpt2", "bloom") else 4 * WIDTH)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    if kind.name in ("gpt2", "bloom"):
        writer.add_layer_norm_eps(config.layer_norm_epsilon)
    else:
        writer.add_layer_norm_rms_eps(config.rms_norm_eps)
        width = getattr(config, "head_dim", None) or WIDTH // HEADS
        writer.add_rope_dimension_count(width)
        writer.add_key_length(width)
        writer.add_value_length(width)
        writer.add_rope_freq_base(10_000.0)
    if kind.name == "gemma3":
        writer.add_sliding_window(config.sliding_window)
    _add_tokenizer(writer, PreTrainedTokenizerFast.from_pretrained(directory))
    arch = next(key for key, name in gguf.MODEL_ARCH_NAMES.items() if name == kind.gguf)
    names = gguf.get_tensor_name_map(arch, LAYERS)
    for name, tensor in network.state_dict().items():
        stem, _, suffix = name.rpartition(".")
        called = names.get_name(stem) or names.get_name(f"model.{stem}")
        if called is not None:
            values = _as_llama_cpp(kind, called, suffix, tensor.numpy())
            writer.add_tensor(f"{called}.{suffix}", np.ascontiguousarray(values, np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _as_llama_cpp(kind: Kind, called: str, suffix: str, values: np.ndarray) -> np.ndarray:
    """A tensor as llama.cpp lays it out: rotations interleaved, q, k and v apart, norms from 0."""
    if kind.gguf == "llama" and called.endswith(("attn_q", "attn_k")):
        halves = values.reshape(HEADS, 2, -1, *values.shape[1:])
        return halves.swapaxes(1, 2).reshape(values.shape)
    if kind.name == "gemma3" and called.endswith("norm"):
        return values + 1
    if kind.name == "gpt2" and suffix == "weight" and values.ndim == 2 and "blk" in called:
        return values.T
    if kind.name == "bloom" and called.endswith("attn_qkv"):
        heads = values.reshape(HEADS, 3, WIDTH // HEADS, *values.shape[1:])
        return heads.swapaxes(0, 1).reshape(values.shape)
    return values


def _tokenizer() -> Any:
    """A byte-level tokenizer of the sentences, which the kinds share."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=300,
        special_tokens=list(SPECIAL),
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    tokenizer.train_from_iterator(SENTENCES, trainer)
    pad, unk, bos, eos, mask = SPECIAL
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token=pad,
        unk_token=unk,
        bos_token=bos,
        eos_token=eos,
        mask_token=mask,
        cls_token=bos,
        sep_token=eos,
    )


def _add_tokenizer(writer: Any, tokenizer: Any) -> None:
    import json

    import gguf

    model = json.loads(tokenizer.backend_tokenizer.to_str())["model"]
    tokens = sorted(tokenizer.get_vocab(), key=tokenizer.get_vocab().__getitem__)
    control, normal = gguf.TokenType.CONTROL, gguf.TokenType.NORMAL
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list(tokens)
    writer.add_token_types([control if token in SPECIAL else normal for token in tokens])
    writer.add_token_merges([" ".join(merge) for merge in model["merges"]])
    writer.add_pad_token_id(0)
    writer.add_unk_token_id(1)
    writer.add_bos_token_id(2)
    writer.add_eos_token_id(3)
