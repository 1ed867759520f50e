"""Whether a sentence encoder's similarities follow people's scores."""

from __future__ import annotations

import math
from typing import Any

from isogloss.lab.sentences.encoder import BATCH
from isogloss.text.sts import SIMILARITIES, StsCorrelation, StsSet


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
