"""The benchmark states every measure against its own limit."""

import numpy as np

from benchmarks.limits import LIMITS
from isogloss.measures.similarity.table import SIMILARITY_MEASURES


def test_every_measure_has_a_limit_that_runs():
    assert list(LIMITS) == list(SIMILARITY_MEASURES)
    stack = np.random.default_rng(0).normal(size=(2, 9, 4)).astype(np.float32)
    for limit in LIMITS.values():
        limit.run(stack, stack)
