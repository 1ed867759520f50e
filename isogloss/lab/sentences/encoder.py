"""A model as sentence-transformers sees it: sentences in, one vector each out.

Any layer can be read, with the library's own pooling. Like it, and unlike
`isogloss.studies.pooling`, mean and max take in special tokens such as [CLS], since that is what
training shapes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from isogloss.errors import ModelError
from isogloss.measures.stacks import Array
from isogloss.models.blocks import run_to_layer
from isogloss.models.loading import LoadedModel
from isogloss.models.pair_examples import padded
from isogloss.models.tokens import tokenise
from isogloss.tasks import OnShare
from isogloss.text.sts import SIMILARITIES, StsCorrelation, StsSet

BATCH = 32
_SENTENCES_AT_A_TIME = 256


@dataclass(frozen=True)
class SentencePooling:
    """A way from token states to one vector; `name` is the library's, too."""

    name: str
    title: str
    explanation: str


ENCODER_POOLINGS: dict[str, SentencePooling] = {
    pooling.name: pooling
    for pooling in (
        SentencePooling("mean", "Mean", "the mean of all tokens"),
        SentencePooling("max", "Max", "the largest value of each feature over all tokens"),
        SentencePooling("cls", "CLS", "the first token, [CLS] in BERT"),
    )
}


def find_pooling(name: str) -> SentencePooling:
    """Return the pooling of that name."""
    if name not in ENCODER_POOLINGS:
        raise ModelError(
            f"There is no pooling {name!r}; choose one of {', '.join(ENCODER_POOLINGS)}."
        )
    return ENCODER_POOLINGS[name]


def find_layer(layer: int, n_layers: int) -> int:
    """The layer, counted from the top where negative: -1 is the last, -2 the second-to-last."""
    found = layer if layer >= 0 else n_layers + 1 + layer
    if not 0 <= found <= n_layers:
        raise ModelError(
            f"There is no layer {layer}: choose 0 to {n_layers}, or -1 (the last) to "
            f"{-n_layers - 1} counted from the top."
        )
    return found


def build_encoder(model: LoadedModel, layer: int, pooling: str, max_tokens: int) -> Any:
    """A SentenceTransformer that pools one layer; blocks above it are not computed.

    It shares the network of `model`, so training one trains the other.
    """
    chosen = find_layer(layer, model.n_layers)

    def read(network: Any, inputs: dict[str, Any]) -> Any:
        # The last layer as extraction has it, with what follows the last block of a decoder.
        if chosen == model.n_layers:
            return network(**inputs).last_hidden_state
        return run_to_layer(network, chosen, **inputs)

    return _assemble(model, read, model.width, (find_pooling(pooling).name,), max_tokens)


def encode_layers(
    model: LoadedModel,
    sentences: Sequence[str],
    max_tokens: int,
    report: OnShare = lambda share: None,
) -> Array:
    """Every pooling of every layer in one pass: (poolings, layers, n, width), float32."""
    n_states = len(model.states.handed_on)

    def read(network: Any, inputs: dict[str, Any]) -> Any:
        import torch

        return torch.cat(network(**inputs, output_hidden_states=True).hidden_states, dim=-1)

    encoder = _assemble(model, read, n_states * model.width, tuple(ENCODER_POOLINGS), max_tokens)
    result = np.empty((len(ENCODER_POOLINGS), n_states, len(sentences), model.width), np.float32)
    for first in range(0, len(sentences), _SENTENCES_AT_A_TIME):
        part = sentences[first : first + _SENTENCES_AT_A_TIME]
        vectors = encoder.encode(list(part), batch_size=BATCH, show_progress_bar=False)
        shaped = vectors.reshape(len(part), len(ENCODER_POOLINGS), n_states, model.width)
        result[:, :, first : first + len(part)] = shaped.transpose(1, 2, 0, 3)
        report((first + len(part)) / len(sentences))
    return result


def correlate_sts(encoder: Any, pairs: StsSet) -> dict[str, StsCorrelation]:
    """The correlation of an encoder's similarities with people's scores, for each similarity.

    Measured by sentence-transformers' own evaluator.
    """
    from sentence_transformers.sentence_transformer.evaluation import EmbeddingSimilarityEvaluator

    evaluate = EmbeddingSimilarityEvaluator(
        list(pairs.first),
        list(pairs.second),
        list(pairs.scores),
        batch_size=BATCH,
        similarity_fn_names=list(SIMILARITIES),
        write_csv=False,
    )
    found = evaluate(encoder)

    def finite(name: str) -> float | None:
        value = float(found[name])
        return value if math.isfinite(value) else None

    return {
        name: StsCorrelation(finite(f"pearson_{name}"), finite(f"spearman_{name}"))
        for name in SIMILARITIES
    }


def _assemble(
    model: LoadedModel,
    read: Callable[[Any, dict[str, Any]], Any],
    width: int,
    poolings: tuple[str, ...],
    max_tokens: int,
) -> Any:
    """A SentenceTransformer of what `read` says of the network, and the library's pooling."""
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling

    limited = replace(model, max_tokens=min(max_tokens, model.max_tokens))
    options = {"use_cache": False} if model.is_decoder else {}

    class States(torch.nn.Module):
        """Sentences to token states, tokenised as everywhere in Isogloss."""

        def __init__(self) -> None:
            super().__init__()
            self.network = model.network
            self.tokenizer = model.tokenizer

        def preprocess(self, inputs: Sequence[str], prompt: str | None = None) -> dict[str, Any]:
            ids = [np.array(sentence.ids) for sentence in tokenise(limited, list(inputs))]
            mask = padded([np.ones(len(row)) for row in ids], 0)
            filled = padded(ids, model.tokenizer.pad_token_id or 0)
            return {
                "input_ids": torch.from_numpy(filled),
                "attention_mask": torch.from_numpy(mask),
            }

        def forward(self, features: dict[str, Any]) -> dict[str, Any]:
            inputs = {name: features[name] for name in ("input_ids", "attention_mask")}
            return {**features, "token_embeddings": read(self.network, {**inputs, **options})}

    pooling = Pooling(width, pooling_mode=poolings)
    return SentenceTransformer(modules=[States(), pooling], device=model.device)
