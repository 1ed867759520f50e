"""What all kinds of training here do in a step: how fast to learn, and to notice that it failed."""

from __future__ import annotations

import math
from typing import Any

from isogloss.errors import ModelError


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
