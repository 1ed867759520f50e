"""How many threads a training goes fastest with, found by trying.

More threads than one wait for each other after every small step: on a machine with other work to
do, one can be faster than two.
"""

from __future__ import annotations

import time
from collections.abc import Callable

TRIES = 3


def use_fastest_threads(step: Callable[[], object]) -> int:
    """Try `step` with 1, 2, 4 … threads up to what torch would use, and keep the fastest number."""
    import torch

    most = torch.get_num_threads()
    candidates = [2**i for i in range(most.bit_length()) if 2**i < most] + [most]
    seconds = {}
    for threads in candidates:
        torch.set_num_threads(threads)
        seconds[threads] = min(_seconds(step) for _ in range(TRIES))
    fastest = min(candidates, key=lambda threads: seconds[threads])
    torch.set_num_threads(fastest)
    return fastest


def _seconds(step: Callable[[], object]) -> float:
    began = time.perf_counter()
    step()
    return time.perf_counter() - began
