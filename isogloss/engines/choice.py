"""The choice of an engine, in plain values that a run can write down."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec

from isogloss.errors import EngineError
from isogloss.settings import RAY

ENGINES: Mapping[str, str] = {
    "local": "this process, on this machine",
    "ray": "workers on the nodes of a Ray cluster",
}


@dataclass(frozen=True)
class Engine:
    """`local`, or `ray` with the `address` of a running cluster; empty: Ray is started here."""

    name: str = "local"
    address: str = ""

    def __post_init__(self) -> None:
        if self.name not in ENGINES:
            raise EngineError(f"There is no engine {self.name!r}: choose among {list(ENGINES)}.")
        if self.address and not self.is_ray:
            raise EngineError("An address is for the engine ray: add --engine ray.")

    @property
    def is_ray(self) -> bool:
        return self.name == "ray"

    def check(self) -> None:
        """Refuse, before anything is begun, an engine that is not installed."""
        if self.is_ray and find_spec("ray") is None:
            raise EngineError(
                "Ray is not installed: `pip install -r requirements-cluster.txt` installs it, and "
                "the engine local needs none."
            )

    def words(self) -> list[str]:
        """The words of the command line that ask for it."""
        words = ["--engine", self.name] if self.is_ray else []
        return [*words, "--address", self.address] if self.address else words


LOCAL = Engine()


def configured_cluster() -> Engine | None:
    """The cluster that the environment names: an address, or `here` for Ray on this machine."""
    address = RAY.read()
    return Engine("ray", "" if address == "here" else address) if address else None
