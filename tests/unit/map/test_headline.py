"""What stands above a map: the finding, as wide as its evidence."""

from dataclasses import replace

import numpy as np
import pytest

from isogloss.map.headline import Headline
from isogloss.models.states import LayerStates

STATES = LayerStates(3, "none")


def of(*values: float, random: list[float] | None = None, chance: float = 0.003) -> Headline:
    curve = np.array(values)
    found = Headline(
        "nearest", "by hand", "", curve, curve - 0.05, curve + 0.06, chance, 1_452, "linked words",
        "lie nearest to their translation",
    )  # fmt: skip
    return found if random is None else replace(found, random=np.array(random))


@pytest.mark.parametrize(
    ("found", "says"),
    [
        (
            of(0.354, 0.5, 0.71, 0.7, random=[0.02, 0.034, 0.01, 0]),
            "**35 %** of 1,452 linked words lie nearest to their translation at layer 0, **71 %** "
            "(66 to 77) at layer 2; in a random model at most 3 %.",
        ),
        (
            of(0.7, 0.5, 0.2, 0.1),
            "**70 %** (65 to 76) of 1,452 linked words lie nearest to their translation at layer "
            "0, **10 %** at layer 3; by chance 0.3 %.",
        ),
        (
            of(0.1, 0.9, 0.4, 0.9, chance=0.05),
            "**10 %** of 1,452 linked words lie nearest to their translation at layer 0, **90 %** "
            "(85 to 96) at layer 1 and 1 more; by chance 5 %.",
        ),
        (
            of(0.9, 0.9, 0.9, 0.9, chance=1 / 40),
            "**90 %** (85 to 96) of 1,452 linked words lie nearest to their translation at layer "
            "0 and 3 more; by chance 2.5 %.",
        ),
        (
            of(0.4),
            "**40 %** (35 to 46) of 1,452 linked words lie nearest to their translation at layer "
            "0; by chance 0.3 %.",
        ),
    ],
)
def test_the_finding_names_first_best_interval_and_what_luck_gives(found, says):
    assert found.finding(STATES).replace("\u00a0", " ") == says
