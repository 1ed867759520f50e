"""The manifest of an entry: what it is the answer to, how it came about, and what its files are."""

import hashlib
import json
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from isogloss.store.errors import CorruptEntryError, StoreError
from isogloss.store.files import files_below, is_safe_name, sha256_of, write_durably
from isogloss.store.keys import FORMAT_VERSION, cache_key, canonical_json
from isogloss.store.states import read_header

MANIFEST = "manifest.json"
DERIVED = "derived"
NEWEST_FORMAT = 2
"""Of entries: the second has packed states. Keys are of the first, so that they stay."""


@dataclass(frozen=True)
class FileFacts:
    """Length and digest of one file."""

    bytes: int
    sha256: str


@dataclass(frozen=True)
class Manifest:
    """All that is known about an entry; `facts` (versions, device, …) do not enter the key."""

    key: str
    description: str
    created: str
    record: Mapping[str, Any]
    facts: Mapping[str, Any]
    files: Mapping[str, FileFacts]
    format: int = FORMAT_VERSION

    @classmethod
    def describe(
        cls, directory: Path, record: Mapping[str, Any], description: str, facts: Mapping[str, Any]
    ) -> "Manifest":
        """The manifest for the files now below `directory`, each read once for its digest."""
        files = {}
        for path in files_below(directory):
            name = path.relative_to(directory).as_posix()
            if path.is_symlink() or not path.is_file() or not _is_file_name(name):
                raise StoreError(
                    f"{path} cannot be part of an entry: write plain files, plainly named."
                )
            files[name] = FileFacts(path.stat().st_size, sha256_of(path))
        if not files:
            raise StoreError(
                f"Nothing was written to {directory}: an entry needs at least one file."
            )
        created = datetime.now(UTC).isoformat(timespec="seconds")
        manifest = cls(
            cache_key(record),
            description,
            created,
            json.loads(canonical_json(record)),
            json.loads(canonical_json(facts)),
            files,
        )
        if problems := manifest.problems(directory, quick=True):
            raise StoreError(f"What was built cannot be stored: {problems[0]}.")
        return manifest

    @classmethod
    def read(cls, directory: Path, key: str) -> "Manifest":
        """The manifest in `directory`, which must be whole, untouched, and that of `key`."""
        path = directory / MANIFEST
        try:
            body = json.loads(path.read_bytes())
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            raise CorruptEntryError(f"{path} is missing") from None
        except OSError as error:
            raise StoreError(f"{path} cannot be read: {error.strerror}.") from error
        except (ValueError, RecursionError):
            raise CorruptEntryError(f"{path} is not readable JSON") from None
        if not isinstance(body, dict) or not isinstance(body.get("format"), int):
            raise CorruptEntryError(f"{path} is not a manifest")
        if body["format"] > NEWEST_FORMAT:
            raise StoreError(
                f"{directory} was written by a newer Isogloss (format {body['format']}, this is "
                f"{NEWEST_FORMAT}); update Isogloss or choose another ISOGLOSS_CACHE."
            )
        try:
            seal = body.pop("seal")
            manifest = cls(**{**body, "files": _parse_files(body["files"])})
            texts = (manifest.key, manifest.description, manifest.created)
            if not all(isinstance(text, str) for text in texts):
                raise TypeError("a text is not a string")
            intact = seal == _seal(body) and key == manifest.key == cache_key(manifest.record)
        except (KeyError, TypeError, ValueError, AttributeError, StoreError):
            raise CorruptEntryError(f"{path} is not a whole manifest") from None
        if not intact:
            raise CorruptEntryError(f"{path} has been altered")
        return manifest

    def write(self, directory: Path) -> None:
        """Write the manifest, sealed with the digest of its own content."""
        body = asdict(self)
        sealed = {**body, "seal": _seal(body)}
        text = json.dumps(sealed, indent=1, ensure_ascii=True, allow_nan=False)
        write_durably(directory / MANIFEST, text.encode("ascii") + b"\n")

    def problems(
        self, directory: Path, *, quick: bool = False, large: Collection[str] = ()
    ) -> tuple[str, ...]:
        """What is wrong with the files in `directory`: by digest, or if quick, by form.

        Those named in `large` are looked at by form in any case.
        """
        return tuple(
            problem
            for name, facts in self.files.items()
            if (problem := _problem(directory / name, facts, quick or name in large)) is not None
        )


def _problem(path: Path, facts: FileFacts, quick: bool) -> str | None:
    try:
        if path.is_symlink() or not path.is_file():
            return f"{path} is missing"
        if (size := path.stat().st_size) != facts.bytes:
            return f"{path} has {size} bytes instead of {facts.bytes}"
        if quick and path.suffix == ".safetensors":
            read_header(path)
        if not quick and sha256_of(path) != facts.sha256:
            return f"{path} does not match its checksum"
    except FileNotFoundError:
        return f"{path} is missing"
    except CorruptEntryError as error:
        return str(error).removesuffix(".")
    except OSError as error:
        raise StoreError(f"{path} cannot be read: {error.strerror}.") from error
    return None


def _parse_files(files: Any) -> dict[str, FileFacts]:
    parsed = {name: FileFacts(**facts) for name, facts in files.items()}
    if not parsed or not all(_is_file_name(name) for name in parsed):
        raise ValueError("a file lies outside its entry")
    return parsed


def _is_file_name(name: str) -> bool:
    return is_safe_name(name) and name != MANIFEST and name.split("/")[0] != DERIVED


def _seal(body: Mapping[str, Any]) -> str:
    return hashlib.sha256(canonical_json(body).encode("ascii")).hexdigest()
