"""How much of a text's language each layer still carries: can a linear classifier tell?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from isogloss.errors import IsoglossError
from isogloss.measures.stacks import (
    Array,
    Stack,
    read_layer,
    require_finite,
    require_layer_pairs,
    require_pairs,
)
from isogloss.measures.uncertainty import LEVEL, share_interval

FOLDS = 5
CHANCE = 0.5
# Features are standardised, so this shrinks a direction only where it barely varies.
RIDGE = 1.0


@dataclass(frozen=True)
class LanguageProbe:
    """Cross-validated accuracy of telling the two sides apart, per layer, (L,) each.

    `chance` is 0.5: 1 means the language is written on every vector, 0.5 that it is lost.
    """

    accuracy: Array
    low: Array
    high: Array
    level: float
    rows: int
    folds: int
    chance: float = CHANCE


def probe_layers(
    stack_a: Stack,
    stack_b: Stack,
    *,
    folds: int = FOLDS,
) -> LanguageProbe:
    """Train a ridge classifier, layer by layer, to say which side a vector comes from.

    A text and its translation always lie in the same fold, so the classifier cannot lean on a text
    it has seen in the other language. Both sides need the same width. Intervals are over pairs.
    """
    require_layer_pairs(stack_a, stack_b)
    correct = [
        _probe(read_layer(X), read_layer(Y), folds) for X, Y in zip(stack_a, stack_b, strict=True)
    ]
    intervals = [share_interval(layer) for layer in correct]
    return LanguageProbe(
        accuracy=np.array([layer.mean() for layer in correct]),
        low=np.array([low for low, _ in intervals]),
        high=np.array([high for _, high in intervals]),
        level=LEVEL,
        rows=len(correct[0]),
        folds=folds,
    )


def _probe(X: Array, Y: Array, folds: int) -> Array:
    """Return, for each pair, the share of its two vectors assigned to the right side, (n,)."""
    from sklearn.linear_model import RidgeClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    require_pairs(len(X), len(Y))
    if X.shape[1] != Y.shape[1]:
        raise IsoglossError(
            f"A probe needs the same width on both sides, not {X.shape[1]} and {Y.shape[1]}."
        )
    if not 2 <= folds <= len(X):
        raise IsoglossError(
            f"{len(X)} pairs cannot be cut into {folds} folds; use at least 2 folds "
            "and no more than there are pairs."
        )
    require_finite(X.sum(dtype=np.float64) + Y.sum(dtype=np.float64))
    n = len(X)
    vectors, sides = np.concatenate([X, Y]).astype(np.float64), np.repeat([0, 1], n)
    fold_of_pair = np.random.default_rng(0).permutation(n) % folds
    fold = np.tile(fold_of_pair, 2)
    correct = np.zeros(2 * n)
    for held_out in range(folds):
        test = fold == held_out
        probe = make_pipeline(StandardScaler(), RidgeClassifier(alpha=RIDGE))
        probe.fit(vectors[~test], sides[~test])
        correct[test] = probe.predict(vectors[test]) == sides[test]
    return correct.reshape(2, n).mean(0)
