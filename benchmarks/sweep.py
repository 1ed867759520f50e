"""A whole sweep with frozen work shared, against the plain way: `python -m benchmarks.sweep`.

Every N from -1 to L, three epochs, two seeds, `mini-en-zh` on a part of the bundled NLI set, both
ways in one run, with processor time so that other work on the machine counts little. Accuracies
are asserted equal and losses to 1e-4.

**What can be won.** Let a pass of one batch through a block cost 1 forwards and 2 backwards. With
N of L blocks frozen the plain way trains at L + 2 (L - N), shared at 3 (L - N): backward passes
stop at the frozen layers either way, so only a forward pass is saved. Summed over N = -1, 0, …, L,
that is 2 L (L + 1) + 3 L against 3 L (L + 1) / 2 + 3 L: a ratio of 1.26 for six layers, and 4/3 at
most. Evaluation saves more: L (L + 2) against L (L + 1) / 2 + L, 1.8 for six layers and 2 at most.
The last line prints the bound for the mix of training and evaluation that was run.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from cache import Store
from isogloss.jobs import Runs
from isogloss.transfer import SweepPlan


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--train-size", type=int, default=96)
    parser.add_argument("--test-size", type=int, default=96)
    parser.add_argument("--dev-size", type=int, default=48)
    arguments = parser.parse_args()
    plan = SweepPlan(
        seeds=(0, 1),
        epochs=3,
        checks=3,
        head="pair",
        learning_rate=2e-4,
        train_size=arguments.train_size,
        dev_size=arguments.dev_size,
        test_size=arguments.test_size,
        device="cpu",
    )
    shared, shared_seconds = measure(plan)
    plain, plain_seconds = measure(replace(plan, share_frozen=False))
    for unit, result in plain.items():
        assert result["test"] == shared[unit]["test"], unit
        for one, other in zip(result["checks"], shared[unit]["checks"], strict=True):
            assert abs(one["loss"] - other["loss"]) < 1e-4, unit
    made, all_passes = (
        sum(result["passes"][which] for result in shared.values()) for which in ("made", "plain")
    )
    print("| way | processor seconds | ratio |")
    print("|---|---|---|")
    print(f"| frozen work shared | {shared_seconds:.0f} | 1 |")
    print(f"| plain | {plain_seconds:.0f} | {plain_seconds / shared_seconds:.2f} |")
    print(f"\n{len(plain)} fine-tunings, the same accuracies both ways.")
    print(f"By counting passes through blocks, at most {all_passes / made:.2f} could be won.")


def measure(plan: SweepPlan) -> tuple[dict[str, dict[str, Any]], float]:
    """The results of a sweep, and the processor seconds that it took."""
    with tempfile.TemporaryDirectory() as directory:
        store = Store(Path(directory), demo=None)
        run = Runs(store, shipped=None).create(plan)
        began = time.process_time()
        run.carry_out(store)
        return run.results(), time.process_time() - began


if __name__ == "__main__":
    main()
