"""Waiting in tests: patient, so that a busy machine fails none."""

import time

PATIENCE = 600
"""Seconds after which something hangs, however busy the machine is."""


def wait_until(condition, seconds: float = PATIENCE) -> None:
    ends = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < ends, "waited in vain"
        time.sleep(0.02)
