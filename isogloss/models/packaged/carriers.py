"""Files that Python packages carry: found in a package's list of files and checked, never run."""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path
from typing import Any

from isogloss.errors import ModelError
from isogloss.store.files import sha256_of


def carried_file(package: str, file: str) -> Path | None:
    """Where a file of a package is, found without importing the package; None if it is missing."""
    try:
        found = [each for each in files(package) or () if each.as_posix() == file]
    except PackageNotFoundError:
        return None
    path = Path(str(found[0].locate())) if found else None
    return path if path is not None and path.is_file() else None


@dataclass(frozen=True)
class Carrier:
    """A package that carries a model; `missing` says what to do where it is not installed.

    `pip` are the words of pip that install it again.
    """

    title: str
    package: str
    version: str
    missing: str
    pip: str

    def checked_file(self, file: str, sha256: str) -> Path:
        """A file of the package; what it holds is as expected."""
        path = carried_file(self.package, file)
        if path is None:
            raise ModelError(
                f"{self.title} is not wholly installed ({file} is missing): {self.missing}."
            )
        if sha256_of(path) != sha256:
            raise ModelError(
                f"The packaged {self.title} is damaged or of another version (the checksum of "
                f"{path} differs): run `{self.pip} --force-reinstall {self.package}=="
                f"{self.version}`."
            )
        return path


def save_json(path: Path, value: dict[str, Any]) -> None:
    """Write a configuration, with the same bytes whenever it is the same: they identify a model."""
    path.write_text(json.dumps(value, indent=2), encoding="utf-8")
