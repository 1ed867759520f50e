"""The connection to a Ray cluster, and what a worker on it may take."""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from isogloss.engines.choice import Engine
from isogloss.errors import EngineError
from isogloss.store import Store

CPUS_A_WORKER = 4
"""On CPUs, more threads than these win a forward pass little; more workers win more."""
NODE_LIMIT_BYTES = 20 * 10**9
"""Disk that work leaves on a node, the least recently used going first."""

_lock = threading.Lock()
_users = 0


@contextmanager
def connected(engine: Engine) -> Iterator[None]:
    """Within, this process is connected to the cluster; whoever asks meanwhile shares that."""
    global _users
    engine.check()
    with _lock:
        if not _users:
            _connect(engine)
        _users += 1
    try:
        yield
    finally:
        with _lock:
            _users -= 1
            if not _users:
                import ray

                ray.shutdown()


def _connect(engine: Engine) -> None:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing is told to anyone
    import ray

    options: dict[str, Any] = {"log_to_driver": False, "logging_level": "error"}
    if engine.address:
        options["address"] = engine.address
    else:
        # One CPU is left to this process, which writes what the workers send.
        options |= {
            "address": "local",
            "num_cpus": max((os.cpu_count() or 2) - 1, 1),
            "include_dashboard": False,
        }
    try:
        ray.init(**options)
    except Exception as error:  # what Ray raises here has many names
        reason = (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".:")
        where = f"at {engine.address}" if engine.address else "on this machine"
        raise EngineError(
            f"There is no connection to Ray {where} ({reason}): check that it runs, with the "
            "versions of Python and Ray and the token (RAY_AUTH_TOKEN) that this process has."
        ) from error


@dataclass(frozen=True)
class Share:
    """What one worker takes of a node, and how many such workers the cluster has room for."""

    device: str
    cpus: int
    gpus: int
    workers: int


def find_share(device: str) -> Share:
    """A GPU for each worker where the cluster has any, else a few CPUs; or as `device` says."""
    import ray

    nodes = [node["Resources"] for node in ray.nodes() if node["Alive"]]
    gpus = sum(int(node.get("GPU", 0)) for node in nodes)
    if device not in ("auto", "cuda", "cpu"):
        raise EngineError(f"Ray gives out no {device}: choose auto, cuda or cpu.")
    if device == "cuda" and not gpus:
        raise EngineError("The Ray cluster has no GPU: choose auto or cpu.")
    if gpus and device != "cpu":
        return Share("cuda", 1, 1, gpus)
    cpus = [int(node["CPU"]) for node in nodes if node.get("CPU", 0) >= 1]
    if not cpus:
        raise EngineError("The Ray cluster has no CPUs to work with: add a node.")
    each = min(CPUS_A_WORKER, *cpus)
    return Share("cpu", each, 0, sum(count // each for count in cpus))


def node_store() -> Store:
    """The store of the node that this process runs on: models unpacked, states that units share.

    It is in the node's temporary directory, so that nothing has to be mounted or configured.
    """
    user = os.getuid() if hasattr(os, "getuid") else 0
    place = Path(tempfile.gettempdir()) / f"isogloss-node-{user}"
    place.mkdir(mode=0o700, exist_ok=True)
    if hasattr(os, "getuid") and place.stat().st_uid != user:
        raise EngineError(f"{place} belongs to somebody else: remove it, or set TMPDIR.")
    return Store(place, limit_bytes=NODE_LIMIT_BYTES)
