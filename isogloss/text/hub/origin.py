"""Where a text was fetched from, so that it can be found again and its makers be named."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Origin:
    """A data set at one commit, and the SHA-256 of each of its files that was read.

    `citation` names its paper for people, `key` that paper in `isogloss/references.bib`, if it is
    there.
    """

    name: str
    repository: str
    revision: str
    files: tuple[tuple[str, str], ...]
    licence: str
    citation: str
    key: str = ""

    def describe(self) -> str:
        """All of it in a line, digests cut short."""
        files = ", ".join(f"{path} (SHA-256 {digest[:16]})" for path, digest in self.files)
        return f"{self.name}: {self.place()}, {files}; {self.credit()}"

    def place(self) -> str:
        """The data set, and its commit cut short."""
        return f"{self.repository} at {self.revision[:12]}"

    def credit(self) -> str:
        """What whoever uses it has to say."""
        return f"licence {self.licence}; {self.citation}"

    def record(self) -> dict[str, Any]:
        """Itself as JSON takes it."""
        return asdict(self) | {"files": [list(file) for file in self.files]}

    @classmethod
    def of_record(cls, record: Mapping[str, Any]) -> Origin:
        """What `record` gave, also after it went through JSON."""
        files = tuple((str(path), str(digest)) for path, digest in record["files"])
        return cls(**{**record, "files": files})
