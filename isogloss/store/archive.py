"""Entries as one file: a GPU box fills its store and exports, a laptop imports and shows.

The archive is a plain tar. Its first member lists all others with their lengths, so that a cut
archive is recognised wherever it was cut; the entries' own manifests hold the checksums.
"""

import io
import json
import os
import shutil
import tarfile
import uuid
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, cast

from isogloss.store.entry import Entry
from isogloss.store.errors import StoreError
from isogloss.store.files import is_safe_name, translate_os_errors
from isogloss.store.keys import is_key
from isogloss.store.manifest import DERIVED, MANIFEST, Manifest
from isogloss.store.store import Store

ARCHIVE_VERSION = 1

_INDEX = "isogloss-archive.json"
_INDEX_LIMIT = 1 << 26
_PLAIN_FILES = (tarfile.REGTYPE, tarfile.AREGTYPE)


@dataclass(frozen=True)
class ImportReport:
    """What became of each entry of an archive, by name; `rejected` says why."""

    imported: tuple[str, ...]
    already_there: tuple[str, ...]
    rejected: tuple[tuple[str, str], ...]


def export_entries(store: Store, keys: Iterable[str], path: Path) -> None:
    """Write the entries with these keys, and all derived from them, as one tar file.

    The same entries give the same bytes. The file appears at `path` whole or not at all.
    """
    unfinished = path.with_name(f"{path.name}.{uuid.uuid4().hex[:8]}.unfinished")
    with ExitStack() as stack:
        members: dict[str, Path] = {}
        for key in sorted(set(keys)):
            entry = store.get(key)
            if entry is None:
                raise StoreError(f"There is no entry {key} in {store.root}.")
            stack.enter_context(store.using(entry))
            members |= _members(entry, f"entries/{key}")
            for result in store.derived_entries(entry):
                stack.enter_context(store.using(result))
                members |= _members(result, f"entries/{key}/{DERIVED}/{result.key}")
        if not path.parent.is_dir():
            raise StoreError(f"{path.parent} is not a directory: choose one for the archive.")
        try:
            with translate_os_errors(path.parent):
                _write_archive(unfinished, members)
                os.replace(unfinished, path)
        finally:
            unfinished.unlink(missing_ok=True)


def import_entries(store: Store, path: Path) -> ImportReport:
    """Bring the entries of an archive into the store.

    Nothing enters before the whole archive is read: a cut or unsafe one is refused as a whole.
    An entry whose files do not match their checksums is rejected alone.
    """
    staging = store.root / "partial" / "import"
    with translate_os_errors(store.root), store.lock(staging.name):
        shutil.rmtree(staging, ignore_errors=True)
        try:
            with _reading(path) as archive:
                members = _checked_members(archive, path)
                _require_space(store.root, sum(member.size for member in members.values()))
                _extract(archive, members, staging)
            return _adopt_all(store, staging)
        finally:
            shutil.rmtree(staging, ignore_errors=True)


def _members(entry: Entry, prefix: str) -> dict[str, Path]:
    return {f"{prefix}/{name}": entry.path / name for name in (MANIFEST, *entry.manifest.files)}


def _write_archive(path: Path, members: dict[str, Path]) -> None:
    sizes = {name: source.stat().st_size for name, source in members.items()}
    index = json.dumps({"archive": ARCHIVE_VERSION, "members": sizes}).encode("ascii")
    with path.open("wb") as stream:
        with tarfile.open(fileobj=stream, mode="w:", format=tarfile.PAX_FORMAT) as archive:
            archive.addfile(_header(_INDEX, len(index)), io.BytesIO(index))
            for name, source in members.items():
                with source.open("rb") as content:
                    archive.addfile(_header(name, sizes[name]), content)
        stream.flush()
        os.fsync(stream.fileno())


def _header(name: str, size: int) -> tarfile.TarInfo:
    header = tarfile.TarInfo(name)
    header.size = size
    return header


@contextmanager
def _reading(path: Path) -> Iterator[tarfile.TarFile]:
    """Open an archive; whatever makes it unreadable, at once or later, is one `StoreError`."""
    try:
        stream = path.open("rb")
    except OSError as error:
        raise StoreError(f"The archive {path} cannot be read: {error.strerror}.") from error
    try:
        with stream, tarfile.open(fileobj=stream, mode="r:") as archive:
            yield archive
    except (tarfile.TarError, EOFError, ValueError, RecursionError) as error:
        raise _broken(path, str(error)) from error
    except (FileExistsError, NotADirectoryError, IsADirectoryError) as error:
        raise _broken(path, "one of its members is in the way of another") from error


def _broken(path: Path, reason: str) -> StoreError:
    return StoreError(
        f"{path} is not a whole Isogloss archive ({reason}): copy or export it again; "
        "nothing was imported."
    )


def _checked_members(archive: tarfile.TarFile, path: Path) -> dict[str, tarfile.TarInfo]:
    """The members by name, if they are what the index lists and all are safe to extract."""
    length = path.stat().st_size
    members: dict[str, tarfile.TarInfo] = {}
    for member in archive:
        if member.type not in _PLAIN_FILES or member.issparse():
            raise _broken(path, f"its member {member.name!r} is not a plain file")
        if member.name != _INDEX and not _is_member_name(member.name):
            raise _broken(path, f"its member {member.name!r} does not belong into a store")
        if member.name in members:
            raise _broken(path, f"its member {member.name!r} is there twice")
        if member.size < 0 or member.offset_data + member.size > length:
            raise _broken(path, f"its member {member.name!r} is cut")
        members[member.name] = member
    index = members.pop(_INDEX, None)
    if index is None or index.size > _INDEX_LIMIT:
        raise _broken(path, "it has no index")
    listed = json.loads(_content(archive, index).read())
    version = listed.get("archive") if isinstance(listed, dict) else None
    if not isinstance(version, int):
        raise _broken(path, "its index is unreadable")
    if version > ARCHIVE_VERSION:
        raise StoreError(
            f"{path} was written by a newer Isogloss (archive format {version}, this is "
            f"{ARCHIVE_VERSION}): update Isogloss."
        )
    if listed.get("members") != {name: member.size for name, member in members.items()}:
        raise _broken(path, "its members are not those its index lists")
    return members


def _is_member_name(name: str) -> bool:
    """Whether `name` is `entries/<key>/<file>` or `entries/<key>/derived/<key>/<file>`."""
    return is_safe_name(name) and name.startswith("entries/") and _place(name) is not None


def _place(name: str) -> tuple[str, str] | None:
    """The entry a member belongs to, `<key>` or `<key>.<key>`, and its file within that entry."""
    _, key, *rest = name.split("/")
    if is_key(key) and len(rest) > 2 and rest[0] == DERIVED and is_key(rest[1]):
        return f"{key}.{rest[1]}", "/".join(rest[2:])
    if is_key(key) and rest and rest[0] != DERIVED:
        return key, "/".join(rest)
    return None


def _require_space(root: Path, needed: int) -> None:
    free = shutil.disk_usage(root).free
    if needed > free:
        raise StoreError(
            f"The import needs {needed} bytes but {root} has {free} left: free some space; "
            "nothing was imported."
        )


def _content(archive: tarfile.TarFile, member: tarfile.TarInfo) -> IO[bytes]:
    return cast(IO[bytes], archive.extractfile(member))  # None only for what is not a plain file


def _extract(archive: tarfile.TarFile, members: dict[str, tarfile.TarInfo], staging: Path) -> None:
    staging.mkdir(parents=True)
    for name, member in members.items():
        entry, file = cast(tuple[str, str], _place(name))
        target = staging / entry / file
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("xb") as stream:
            shutil.copyfileobj(_content(archive, member), stream, 1 << 20)


def _adopt_all(store: Store, staging: Path) -> ImportReport:
    """Move entries that match their checksums into the store, an entry before its derived ones."""
    verdicts: dict[str, str | bool] = {}
    sound: dict[str, Manifest] = {}
    names = sorted((path.name for path in staging.iterdir()), key=lambda name: (len(name), name))
    for name in names:
        try:
            sound[name] = _verified(staging / name, name.rpartition(".")[2])
        except StoreError as error:
            verdicts[name] = str(error).replace(f"{staging}{os.sep}", "").removesuffix(".")
    for name, manifest in sound.items():
        parent_key = name.rpartition(".")[0]
        parent = store.get(parent_key) if parent_key else None
        if parent_key and parent is None:
            verdicts[name] = f"the entry {parent_key} it was derived from is not there"
        else:
            verdicts[name] = store.adopt(staging / name, manifest, parent)
    return ImportReport(
        imported=tuple(name for name in names if verdicts[name] is True),
        already_there=tuple(name for name in names if verdicts[name] is False),
        rejected=tuple(
            (name, verdict) for name in names if isinstance(verdict := verdicts[name], str)
        ),
    )


def _verified(directory: Path, key: str) -> Manifest:
    manifest = Manifest.read(directory, key)
    if problems := manifest.problems(directory):
        raise StoreError(problems[0])
    present = {
        path.relative_to(directory).as_posix() for path in directory.rglob("*") if path.is_file()
    }
    if unknown := present - {MANIFEST, *manifest.files}:
        raise StoreError(f"{min(unknown)} is not in the manifest")
    return manifest
