"""An entry of the store: a directory that is complete, described, and never written again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from isogloss.store.errors import StoreError
from isogloss.store.files import ignoring_unwritable, size_below
from isogloss.store.manifest import MANIFEST, Manifest
from isogloss.store.packed_states import PACKED_STATES, count_packed, unpack_layer
from isogloss.store.states import count_states, open_tensor, read_header

if TYPE_CHECKING:
    from isogloss.store.store import Store

STATES = "states.safetensors"


@dataclass(frozen=True)
class Entry:
    """One finished result: files, and a manifest that says what they answer.

    `parent` is the entry a derived result was computed from. `demo` entries come with Isogloss:
    they are read-only and never evicted.
    """

    path: Path
    manifest: Manifest = field(compare=False, repr=False)
    store: Store = field(compare=False, repr=False)
    demo: bool = False
    parent: Entry | None = field(default=None, repr=False)

    @property
    def key(self) -> str:
        """The content address of `record`."""
        return self.manifest.key

    @property
    def name(self) -> str:
        """The key, after that of the parent if there is one: unique in the store."""
        return self.key if self.parent is None else f"{self.parent.key}.{self.key}"

    @property
    def unit(self) -> Entry:
        """What is evicted as a whole: a derived result goes with its parent if that can go."""
        return self if self.parent is None or self.parent.demo else self.parent

    @property
    def record(self) -> Mapping[str, Any]:
        """Everything that decides the content."""
        return self.manifest.record

    @property
    def description(self) -> str:
        """What this is, for people."""
        return self.manifest.description

    @property
    def created(self) -> str:
        """When this was finished: UTC, ISO 8601."""
        return self.manifest.created

    @property
    def facts(self) -> Mapping[str, Any]:
        """How this came about (versions, device, …); they do not enter the key."""
        return self.manifest.facts

    @property
    def size_bytes(self) -> int:
        """Bytes on disk, derived results included."""
        return size_below(self.path)

    @property
    def last_used(self) -> int:
        """When this was last used, in nanoseconds since 1970."""
        noted = self.store.marks.last_used(self.unit.name)
        if noted is not None:
            return noted
        try:
            return (self.unit.path / MANIFEST).stat().st_mtime_ns
        except FileNotFoundError:  # evicted meanwhile
            return 0

    def touch(self) -> None:
        """Note that this was used now; in a store that cannot be written, nothing is noted."""
        if not self.unit.demo:
            with ignoring_unwritable():
                self.store.marks.touch(self.unit.name)

    def file(self, name: str) -> Path:
        """The path of one of the files."""
        if name not in self.manifest.files:
            known = ", ".join(self.manifest.files)
            raise StoreError(f"Entry {self.key} has no file {name}, only {known}.")
        return self.path / name

    @property
    def n_states(self) -> int:
        """How many layers' states are stored: the number of blocks + 1."""
        if PACKED_STATES in self.manifest.files:
            return count_packed(self.file(PACKED_STATES))
        return count_states(read_header(self.file(STATES)))

    def layer(self, index: int) -> np.ndarray[Any, Any]:
        """The states of layer `index`, (rows, width), read-only: mapped, unless they are packed."""
        if PACKED_STATES in self.manifest.files:
            return unpack_layer(self.file(PACKED_STATES), index)
        return open_tensor(self.file(STATES), f"layer.{index}")

    def derived(self, record: Mapping[str, Any]) -> Entry | None:
        """The result derived from this entry by `record`, if it is there."""
        return self.store.find_derived(self, record)
