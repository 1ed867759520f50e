"""Two Ray nodes on this machine, one of which a test may take away."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

# A node that is gone is noticed within seconds and not within half a minute.
QUICK_TO_NOTICE = {
    "health_check_initial_delay_ms": 1_000,
    "health_check_period_ms": 500,
    "health_check_failure_threshold": 5,
    "health_check_timeout_ms": 2_000,
}


class TwoNodes:
    """A head that stays, and a second node; each has room for one worker."""

    def __init__(self, cluster: Any) -> None:
        self._cluster = cluster
        self._second: Any = None
        self.address: str = cluster.address

    def have_both(self) -> None:
        if self._second is None:
            self._second = self._cluster.add_node(num_cpus=1)
            self._cluster.wait_for_nodes()

    def remove_second(self) -> None:
        if self._second is not None:
            self._cluster.remove_node(self._second, allow_graceful=False)
            self._second = None


@contextmanager
def two_nodes() -> Iterator[TwoNodes]:
    """Start them, or skip the test where Ray does not start."""
    pytest.importorskip("ray", reason="Ray is not installed (requirements-cluster.txt)")
    from ray.cluster_utils import Cluster

    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    head = {"num_cpus": 1, "include_dashboard": False, "_system_config": QUICK_TO_NOTICE}
    try:
        cluster = Cluster(initialize_head=True, head_node_args=head)
    except Exception as error:  # what Ray raises here has many names
        pytest.skip(f"Ray does not start here: {error}")
    try:
        yield TwoNodes(cluster)
    finally:
        cluster.shutdown()
