"""Where texts come from: any file or upload of parallel text, and the ones bundled here."""

import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import cast

from isogloss.errors import TextError
from isogloss.text.parallel import GoldAlignment, ParallelText, TextStatistics
from isogloss.text.readers.checking import Pair, check_row, with_alignments
from isogloss.text.readers.decoding import decode_file
from isogloss.text.readers.files import GivenFile, load_file, plain_name
from isogloss.text.readers.jsonlines import PARQUET, parquet_as_json_lines
from isogloss.text.readers.languages import (
    language_by_script,
    language_code,
    language_codes,
    languages_in_name,
)
from isogloss.text.readers.rows import EMPTY, Reading, Row, SkippedRow, TextFile, Wanted
from isogloss.text.readers.sniffing import FORMATS, find_alignments, find_format, read_rows

__all__ = [
    "FORMATS",
    "LIMITS",
    "BundledText",
    "GivenFile",
    "GoldAlignment",
    "Limits",
    "ParallelText",
    "ReadResult",
    "SkippedRow",
    "TextStatistics",
    "bundled_texts",
    "load_bundled",
    "read_files",
]

AnyFile = GivenFile | str | PathLike[str]

BUNDLED_DIRECTORY = Path(__file__).parents[1] / "bundled" / "texts"

# How many sentences per side the guess of a language looks at.
SCRIPT_SAMPLE = 200

MOST_FILES = 200
MOST_FILES_FULL = 4
"""Files of one text may together be as large as so many of the largest."""


@dataclass(frozen=True)
class Limits:
    """How large a text may be: bytes a file, unpacked; pairs; characters a sentence.

    Of more languages than two there are fewer rows, so that there are no more sentences.
    """

    bytes: int
    pairs: int
    characters: int


LIMITS = Limits(bytes=50_000_000, pairs=100_000, characters=10_000)


@dataclass(frozen=True)
class BundledText:
    """A text that comes with Isogloss, as bundled/texts/texts.toml lists it."""

    name: str
    title: str
    languages: tuple[str, ...]
    description: str
    file: str = ""

    @property
    def path(self) -> Path:
        """Where its file is; two of many languages are read from the file of all."""
        return BUNDLED_DIRECTORY / f"{self.file or self.name}.tsv"


@dataclass(frozen=True)
class ReadResult:
    """A text, and how it was found in its files.

    `columns` are the names or numbers of the sides' columns, keys or language tags, None for
    formats without; `languages_guessed` says that a language was guessed by its script alone;
    `not_languages` are columns that were not read, though their names look like codes.
    """

    text: ParallelText
    format: str
    encoding: str
    skipped: tuple[SkippedRow, ...]
    columns: tuple[str, ...] | None
    languages_guessed: bool
    not_languages: tuple[str, ...] = ()

    @property
    def says_not_languages(self) -> str:
        """Which columns were not read for want of a language; nothing where there is none."""
        if not self.not_languages:
            return ""
        names = ", ".join(self.not_languages)
        if len(self.not_languages) > 1:
            said = f"{names} are no languages known here, and those columns were not read"
        else:
            said = f"{names} is no language known here, and that column was not read"
        return f"{said}: use a code such as de, or name the columns to read"


def read_files(
    files: AnyFile | Sequence[AnyFile],
    *,
    name: str | None = None,
    languages: Sequence[str] | None = None,
    columns: Sequence[str | int] | None = None,
    alignments: AnyFile | None = None,
    format: str | None = None,
    encoding: str | None = None,
    skip_bad_rows: bool = False,
    limit_bytes: int = LIMITS.bytes,
    limit_pairs: int = LIMITS.pairs,
) -> ReadResult:
    """The text in one file, in one file a language, or with Pharaoh alignments beside them.

    Files are paths or names with bytes, plain or gzipped; a directory stands for its files. Format
    and encoding are found by looking at the content unless they are given. `columns` names the
    sides of a table or of JSON objects, by header or by number from 1, or the one column of tables
    in one language each; `languages` labels the sides, or chooses among the languages that a
    header, a TMX file or the file names tell. All of them are read where none is chosen. A bad row
    raises TextError with its file and line, or is skipped and reported.
    """
    one = isinstance(files, GivenFile | str | PathLike)
    given = _files_of(cast(list[AnyFile], [files] if one else list(cast(Sequence[AnyFile], files))))
    if format is not None and format not in FORMATS:
        raise TextError(f"The format {format!r} is not known; choose among {', '.join(FORMATS)}.")
    wanted = Wanted(
        language_codes(languages) if languages else None, tuple(columns) if columns else None
    )
    room = limit_bytes * MOST_FILES_FULL

    def load(file: AnyFile) -> TextFile:
        nonlocal room
        loaded = load_file(file, min(limit_bytes, room))
        room -= len(loaded.data)
        if loaded.data.startswith(PARQUET):
            return parquet_as_json_lines(loaded, limit_bytes)
        return decode_file(loaded, encoding, keep_undecodable=skip_bad_rows)

    texts = [load(file) for file in given]
    for text in texts:
        if not text.text.strip():
            raise TextError(f"{text.name} is empty; give it at least one sentence pair.")
    beside = load(alignments) if alignments is not None else None
    both_are_text = format == "plain" and len(texts) == 2
    if beside is None and not both_are_text and (found := find_alignments(texts)) is not None:
        beside = texts.pop(found)
    format = format or find_format(texts)
    reading = read_rows(texts, format, wanted)
    rows = with_alignments(reading, beside) if beside else reading.rows
    pairs, skipped = _check_rows(rows, reading.files, skip_bad_rows, limit_pairs)
    codes, guessed = _find_languages(wanted, reading, pairs)
    whole = _as_text(name or _folder_name(files) or _default_name(texts[0]), codes, pairs)
    whole.require_sentences()
    return ReadResult(
        text=whole,
        format=format,
        encoding=", ".join(dict.fromkeys(text.encoding for text in texts)),
        skipped=skipped,
        columns=reading.columns,
        languages_guessed=guessed,
        not_languages=reading.not_languages,
    )


@cache
def bundled_texts() -> tuple[BundledText, ...]:
    """The texts that come with Isogloss."""
    table = tomllib.loads((BUNDLED_DIRECTORY / "texts.toml").read_text(encoding="utf-8"))
    return tuple(
        BundledText(**each | {"languages": tuple(each["languages"].split())})
        for each in table["text"]
    )


LONGEST_CODE = 20
"""What is longer in a first row is a sentence and no code."""

BUNDLED_NAMES = tuple(bundled.name for bundled in bundled_texts())


def load_bundled(name: str) -> ParallelText:
    """A bundled text by its name, read as any other file."""
    known = {bundled.name: bundled for bundled in bundled_texts()}
    if name not in known:
        raise TextError(f"There is no bundled text {name!r}; choose among {', '.join(known)}.")
    return read_files(known[name].path, name=name, languages=known[name].languages).text


def _files_of(given: Sequence[AnyFile]) -> list[AnyFile]:
    """The files, with those of a directory in its place, in the order of their names."""
    found: list[AnyFile] = []
    for file in given:
        if isinstance(file, GivenFile) or not Path(file).is_dir():
            found.append(file)
            continue
        inside = sorted(Path(file).iterdir())
        within = [path for path in inside if path.is_file() and not path.name.startswith(".")]
        if not within:
            raise TextError(f"{file} is a directory without files; name one that has some.")
        found += within
    if len(found) > MOST_FILES:
        raise TextError(
            f"These are {len(found)} files, over the limit of {MOST_FILES}; name those of one text."
        )
    return found


def _check_rows(
    rows: Iterable[Row | SkippedRow],
    files: tuple[str, ...],
    skip_bad_rows: bool,
    limit_pairs: int,
) -> tuple[list[Pair], tuple[SkippedRow, ...]]:
    limit_pairs = limit_pairs * 2 // len(files)
    pairs: list[Pair] = []
    skipped: list[SkippedRow] = []
    for row in rows:
        if len(pairs) + len(skipped) == limit_pairs:
            raise TextError(
                f"{files[0]} has more rows than the limit of {limit_pairs:,}; take a part of it."
            )
        checked = check_row(row, files, LIMITS.characters)
        if isinstance(checked, Pair):
            pairs.append(checked)
        elif skip_bad_rows or checked.reason == EMPTY:
            skipped.append(checked)
        else:
            raise checked.as_error()
    if not pairs:
        found = (
            f"all {len(skipped):,} of its rows are bad, first {skipped[0]}"
            if skipped
            else ("it holds none")
        )
        raise TextError(f"{files[0]} gives no sentence pair: {found}; check its format.")
    return pairs, tuple(skipped)


def _find_languages(
    wanted: Wanted, reading: Reading, pairs: list[Pair]
) -> tuple[tuple[str, ...], bool]:
    """The codes, and whether one had to be guessed by script."""
    if wanted.languages and len(wanted.languages) == len(reading.languages):
        return wanted.languages, False
    named = reading.languages
    if wanted.languages:
        raise TextError(
            f"{reading.files[0]} has {len(named)} sides, but {len(wanted.languages)} languages are "
            "named; name one for each."
        )
    if len(named) > 2:
        known = tuple(code for code in named if code)
        if len(known) < len(named):
            raise TextError(
                f"{reading.files[0]} does not tell the languages of its {len(named)} sides; name "
                "them in their order."
            )
        return known, False
    in_name = tuple(dict.fromkeys(languages_in_name(reading.files[0])))
    if named == (None, None) and reading.files[0] == reading.files[1] and len(in_name) == 2:
        named = (in_name[0], in_name[1])
    source = named[0] or language_by_script(p.source for p in islice(pairs, SCRIPT_SAMPLE))
    target = named[1] or language_by_script(p.target for p in islice(pairs, SCRIPT_SAMPLE))
    if source is None or target is None or source == target:
        raise TextError(
            f"{reading.files[0]} does not tell which two languages it is in{_header(pairs[0])}; "
            "name them, such as en and zh."
        )
    return (source, target), None in named


def _header(first: Pair) -> str:
    """What is wrong with a first row that names one language and something else."""
    cells = (first.source, first.target)
    unknown = [cell for cell in cells if language_code(cell) is None and len(cell) <= LONGEST_CODE]
    if len(unknown) != 1 or not any(map(language_code, cells)):
        return ""
    return f" ({unknown[0]} in its first row is no language known here)"


def _as_text(name: str, languages: tuple[str, ...], pairs: list[Pair]) -> ParallelText:
    gold = tuple(GoldAlignment(*pair.links) if pair.links else None for pair in pairs)
    words = tuple(pair.words for pair in pairs)
    topics = tuple(pair.topic for pair in pairs)
    return ParallelText(
        name=name,
        languages=languages,
        source=tuple(pair.source for pair in pairs),
        target=tuple(pair.target for pair in pairs),
        topics=topics if any(topics) else None,
        gold=gold if any(gold) else None,
        words=words if any(words) else None,
        more=tuple(zip(*(pair.more for pair in pairs), strict=True)),
    )


def _folder_name(files: AnyFile | Sequence[AnyFile]) -> str | None:
    """The name of the one directory that was given."""
    given = [files] if isinstance(files, GivenFile | str | PathLike) else list(files)
    if len(given) != 1 or isinstance(given[0], GivenFile) or not Path(given[0]).is_dir():
        return None
    return Path(given[0]).resolve().name or None


def _default_name(file: TextFile) -> str:
    """The file's name without its ending."""
    own = plain_name(file.name)
    return own.rsplit(".", 1)[0] or own
