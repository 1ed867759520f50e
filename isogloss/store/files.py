"""Files on disk: digests, durability, names that are safe, and errors a user understands."""

import errno
import hashlib
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from safetensors import SafetensorError

from isogloss.store.errors import StoreError

_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_FORBIDDEN = {errno.EROFS, errno.EACCES, errno.EPERM}


@contextmanager
def translate_os_errors(place: Path) -> Iterator[None]:
    """Raise a full or unwritable disk below `place` as a `StoreError`; let other errors pass."""
    try:
        yield
    except (OSError, SafetensorError) as raised:
        error = os_error(raised)
        if error is None:
            raise
        if is_full(error) and (error.filename is None or _is_below(error.filename, place)):
            raise StoreError(full_disk(place)) from raised
        if is_forbidden(error) and _is_below(error.filename, place):
            raise StoreError(
                f"{place} cannot be written ({error.strerror}): make it writable, or set "
                "ISOGLOSS_CACHE to a directory that is."
            ) from raised
        raise


def full_disk(place: object) -> str:
    """What to tell where the disk of the store or of a part of it is full."""
    where = f" at {place}" if place else ""
    return (
        f"The disk is full{where}: free some space (`python -m isogloss studies prune 5GB` "
        "removes old entries beyond 5 GB) and ask again; finished entries are untouched, and an "
        "interrupted computation continues where it stopped."
    )


def say_if_full(error: Exception, place: object = "") -> str | None:
    """What to tell of an error if it is a full disk's; the error may know the place better."""
    found = os_error(error)
    return full_disk(found.filename or place) if found and is_full(found) else None


def os_error(error: Exception) -> OSError | None:
    """What the system said; safetensors gives it as the end of a sentence of its own."""
    if isinstance(error, OSError):
        return error
    found = re.search(r"\(os error (\d+)\)", str(error))
    return OSError(int(found[1]), os.strerror(int(found[1]))) if found else None


@contextmanager
def ignoring_unwritable() -> Iterator[None]:
    """Do without a mark that is only a courtesy where the disk is full or may not be written."""
    try:
        yield
    except OSError as error:
        if not (is_full(error) or is_forbidden(error)):
            raise


def is_full(error: OSError) -> bool:
    """Whether `error` says that the disk, the quota or the permitted file size is exhausted."""
    return error.errno in _FULL


def is_forbidden(error: OSError) -> bool:
    """Whether `error` says that the place may not be written."""
    return error.errno in _FORBIDDEN


def _is_below(filename: object, place: Path) -> bool:
    if not isinstance(filename, str | os.PathLike):
        return False
    return Path(filename).absolute().is_relative_to(place.absolute())


def is_safe_name(name: str) -> bool:
    """Whether `name` is a relative POSIX path that stays inside its directory on any system."""
    path = PurePosixPath(name)
    return (
        bool(path.parts)
        and name == str(path)
        and not path.is_absolute()
        and ".." not in path.parts
        and name.isprintable()
        and not set(name) & set('\\:*?"<>|')
        and len(name.encode()) <= 255
    )


def files_below(directory: Path) -> Iterator[Path]:
    """Every file below `directory`, links included and never followed, in a fixed order."""
    for parent, directories, names in os.walk(directory):
        directories.sort()
        links = [name for name in directories if Path(parent, name).is_symlink()]
        for name in sorted(names + links):
            yield Path(parent, name)


def size_below(directory: Path) -> int:
    """Bytes in the files below `directory`; a file that vanishes meanwhile counts nothing."""
    total = 0
    for path in files_below(directory):
        try:
            total += path.lstat().st_size
        except FileNotFoundError:
            continue
    return total


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file's content, read piece by piece."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def write_durably(path: Path, content: bytes) -> None:
    """Write a small file so that it survives a power cut."""
    with path.open("wb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())


def sync_tree(directory: Path) -> None:
    """Bring everything below `directory` to the disk."""
    for parent, _, names in os.walk(directory):
        for name in names:
            sync_file(Path(parent, name))
        sync_directory(Path(parent))


def sync_file(path: Path) -> None:
    """Bring a file's content to the disk."""
    _sync(path, os.O_RDONLY if os.name == "posix" else os.O_RDWR)


def sync_directory(directory: Path) -> None:
    """Bring a directory's list of names to the disk, on the systems where one can ask for it."""
    if os.name == "posix":
        _sync(directory, os.O_RDONLY)


def _sync(path: Path, flags: int) -> None:
    descriptor = os.open(path, flags)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
