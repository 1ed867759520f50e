"""What kinds of training share: how fast to learn, to notice a failure, on how many threads."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

from isogloss.errors import ModelError

TRIES = 3


def share_of_rate(step: int, total: int, warm_up: float) -> float:
    """The share of the learning rate at a step: a short warm-up, then a linear decay to 0."""
    rising = max(1, round(warm_up * total))
    return min((step + 1) / rising, (total - step) / max(total - rising, 1), 1.0)


def finite_loss(loss: Any, step: int) -> float:
    """The loss of a step (a tensor of one number); raises ModelError if it is NaN or infinite."""
    value = float(loss.detach())
    if not math.isfinite(value):
        raise ModelError(f"The loss is no longer a number at step {step}: lower the learning rate.")
    return value


def use_fastest_threads(step: Callable[[], object]) -> int:
    """Try `step` with 1, 2, 4 … threads up to what torch would use, and keep the fastest number.

    More threads than one wait for each other after every small step: on a machine with other work
    to do, one can be faster than two.
    """
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
