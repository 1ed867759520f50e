"""Files as bytes, from a path or an upload alike: size limits, gzip, and nothing unbounded."""

import gzip
import io
import stat
import zlib
from dataclasses import dataclass
from io import BufferedReader
from os import PathLike
from pathlib import Path

from isogloss.errors import IsoglossError, TextError

GZIP_MAGIC = b"\x1f\x8b"

# What is no text but often given for one, by its first bytes, with what to do instead.
_TABLE = "copy the pairs into a spreadsheet, two columns, and save that as CSV"
_AS_CSV = "open it there and save the sheet as CSV (UTF-8)"
_BEGINNINGS = (
    (b"%PDF", "a PDF", _TABLE),
    (b"{\\rtf", "a rich text document", "save it as plain text, one pair a line"),
    (b"\xd0\xcf\x11\xe0", "an old Word or Excel file", "save it as CSV or plain text"),
    (b"\x89PNG", "a picture", _TABLE),
    (b"\xff\xd8\xff", "a picture", _TABLE),
)
_IN_ARCHIVES = (
    (b"word/", "a Word document", _TABLE),
    (b"xl/", "an Excel workbook", _AS_CSV),
    (b"ppt/", "a PowerPoint file", _TABLE),
    (b"opendocument.text", "an OpenDocument text", _TABLE),
    (b"opendocument.spreadsheet", "an OpenDocument spreadsheet", _AS_CSV),
    (b"", "a ZIP archive", "unpack it and give the files that are in it"),
)
_ARCHIVE = b"PK\x03\x04"


@dataclass(frozen=True)
class GivenFile:
    """A file's name and bytes; an upload is one already, a path becomes one."""

    name: str
    data: bytes


def load_file(source: GivenFile | str | PathLike[str], limit_bytes: int) -> GivenFile:
    """The file with its content read and unpacked, at most `limit_bytes` of it either way."""
    file = source if isinstance(source, GivenFile) else _read_path(Path(source), limit_bytes)
    if len(file.data) > limit_bytes:
        raise _too_large(file.name, limit_bytes)
    if not file.data.startswith(GZIP_MAGIC):
        _refuse_documents(file)
        return file
    return GivenFile(file.name, _unpack(file, limit_bytes))


def plain_name(name: str) -> str:
    """The file's own name without its directory and a trailing `.gz`."""
    own = name.replace("\\", "/").rsplit("/", 1)[-1]
    return own[:-3] if own.lower().endswith(".gz") else own


def open_file(path: Path, error: type[IsoglossError]) -> BufferedReader:
    """A file opened for reading; devices and pipes, which may never end, are no files."""
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            raise error(f"{path} is a directory; name a file in it.")
        if not stat.S_ISREG(mode):
            raise error(f"{path} is no ordinary file but a device or a pipe; name a file.")
        return path.open("rb")
    except FileNotFoundError:
        raise error(f"There is no file {path}; check the path.") from None
    except (OSError, ValueError) as problem:
        why = getattr(problem, "strerror", None) or "its name is not valid"
        raise error(f"{path} cannot be opened ({why}); check the path.") from None


def _read_path(path: Path, limit_bytes: int) -> GivenFile:
    with open_file(path, TextError) as stream:
        try:
            return GivenFile(path.name, stream.read(limit_bytes + 1))
        except OSError as problem:
            raise TextError(
                f"{path} cannot be read ({problem.strerror}); check the path."
            ) from None


def _unpack(file: GivenFile, limit_bytes: int) -> bytes:
    # Reading one byte past the limit tells a bomb from a file without unpacking the bomb.
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(file.data)) as stream:
            data = stream.read(limit_bytes + 1)
    except (OSError, EOFError, zlib.error):
        message = f"{file.name} is a damaged or cut-off gzip file; fetch or compress it again."
        raise TextError(message) from None
    if len(data) > limit_bytes:
        raise _too_large(f"{file.name}, unpacked,", limit_bytes)
    return data


def _too_large(name: str, limit_bytes: int) -> TextError:
    return TextError(
        f"{name} is larger than the limit of {format_bytes(limit_bytes)}; "
        "split it or take a part of it."
    )


def format_bytes(count: int) -> str:
    """A size for people: 50,000,000 reads as "50 MB"."""
    for unit, size in (("MB", 1_000_000), ("kB", 1_000)):
        if count >= size:
            return f"{count / size:g} {unit}"
    return f"{count} bytes"


def _refuse_documents(file: GivenFile) -> None:
    """Say of a document what it is, rather than that its bytes are no text."""
    for beginning, what, instead in _BEGINNINGS:
        if file.data.startswith(beginning):
            raise TextError(f"{file.name} is {what}, not a text: {instead}.")
    if not file.data.startswith(_ARCHIVE):
        return
    # Names stand plainly at the beginning of each member, and all of them at the end.
    seen = file.data[:4096] + file.data[-65536:]
    what, instead = next((what, instead) for mark, what, instead in _IN_ARCHIVES if mark in seen)
    raise TextError(f"{file.name} is {what}, not a text: {instead}.")
