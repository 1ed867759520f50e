"""Which sentences find their translation, at every layer and pooling; how a run keeps that."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from isogloss.lab.sentences.encoder import encode_layers
from isogloss.measures.sentence_retrieval import score_pairs
from isogloss.measures.stacks import Array
from isogloss.models.loading import LoadedModel
from isogloss.tasks import OnShare
from isogloss.text.parallel import ParallelText

SCORE = "cosine"


def find_translations(
    model: LoadedModel,
    text: ParallelText,
    max_tokens: int,
    report: OnShare = lambda share: None,
) -> Array:
    """How likely each sentence's nearest by cosine is its translation: (poolings, layers, 2, n).

    It is 0 or 1 but for ties, which are in random order: 1/(t + 1) among t equals.
    """
    count = len(text)
    vectors = encode_layers(model, (*text.source, *text.target), max_tokens, report)
    return np.array(
        [
            [
                [ranks.within(1) for ranks in score_pairs(layer[:count], layer[count:], SCORE)]
                for layer in pooled
            ]
            for pooled in vectors
        ]
    )


def packed_hits(hits: Array) -> dict[str, Array]:
    """Hits (..., n) as a run keeps them: a bit each, and how many others are tied."""
    found = hits > 0
    tied = np.where(found, np.round(1 / np.where(found, hits, 1)) - 1, 0)
    return {"found": np.packbits(found, axis=-1), "tied": tied.astype(np.uint16)}


def unpacked_hits(kept: Mapping[str, Array], rows: int) -> Array:
    """Hits (..., n) of what a run kept; early runs took a tie for a miss and kept no number."""
    found = np.unpackbits(kept["found"], axis=-1, count=rows).astype(np.float64)
    return found / (1 + kept.get("tied", np.zeros_like(found)))
