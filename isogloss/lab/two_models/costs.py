"""How long a run of two models will take, told before it starts: multiplications over speed."""

from __future__ import annotations

from isogloss.lab.training.costs import REACHED, Speed
from isogloss.lab.two_models.data import RunData
from isogloss.lab.two_models.plan import TwoModelsPlan
from isogloss.lab.two_models.tasks import TASKS
from isogloss.models.preview import ModelSize

TOKENS_A_WORD = 1.6
NETWORK_REACHED = 0.15
"""Small networks on short sentences reach so much less of a bare product's speed."""
MAP_SECONDS = 0.25
MAPS = 12
"""About how many maps a unit learns, and how long one takes in a few hundred dimensions."""


def estimate_two_models_seconds(
    plan: TwoModelsPlan, data: RunData, size: ModelSize, speed: Speed
) -> float:
    """The time of all units; `size` is the source model's and stands for all of them."""
    models = 2.0 + (plan.bilingual_model is not None)
    words = sum(
        bank.words for each in data.tasks.values() for bank in vars(each).values() if bank
    ) + int(data.words.source.starts[-1])
    read = 2 * size.block * size.n_layers * TOKENS_A_WORD * words * models
    layer = 12.0 * size.width**2
    trained = 0.0
    for task, each in data.tasks.items():
        head = 6.0 * size.width**2 if TASKS[task].trees else 20.0 * size.width
        passed = each.train.words * (models - 1) + (
            each.target_train.words if each.target_train else 0
        )
        trained += 6 * (plan.depth * layer + head) * passed * plan.epochs
    units = len(plan.measured_layers) * len(plan.seeds)
    slower = REACHED / NETWORK_REACHED
    return speed.seconds(read + slower * units * trained) + len(plan.units()) * MAPS * MAP_SECONDS
