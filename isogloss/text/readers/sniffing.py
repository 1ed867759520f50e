"""What a file is, by its content; its name counts only where the content leaves two readings."""

import re
from collections.abc import Callable, Sequence
from itertools import islice

from isogloss.errors import TextError
from isogloss.text.readers.files import plain_name
from isogloss.text.readers.jsonlines import parse_object, read_json_lines
from isogloss.text.readers.language_files import are_tables, read_language_files, read_plain
from isogloss.text.readers.pharaoh import looks_like_alignments
from isogloss.text.readers.rows import Reading, TextFile, Wanted, split_lines
from isogloss.text.readers.tables import (
    SEPARATOR,
    find_delimiter,
    read_csv,
    read_fast_align,
    read_tsv,
)
from isogloss.text.readers.tmx import read_tmx

# Each format, what people call it, and the endings that hint at it.
FORMATS: dict[str, tuple[str, tuple[str, ...]]] = {
    "tsv": ("tab-separated values", (".tsv", ".tab")),
    "csv": ("comma-separated values", (".csv",)),
    "plain": ("one text file a language", ()),
    "fast_align": ("fast_align's a ||| b", (".fast_align", ".fastalign")),
    "tmx": ("TMX translation memory", (".tmx",)),
    "jsonl": ("JSON lines", (".jsonl", ".ndjson", ".json")),
    "parquet": ("Parquet", (".parquet",)),
}

ALIGNMENT_ENDINGS = (".pharaoh", ".align", ".alignment", ".alignments", ".gdfa", ".links")
SAMPLE_LINES = 200
SAMPLE_CHARACTERS = 1 << 20

_READERS: dict[str, Callable[[TextFile, Wanted], Reading]] = {
    "tsv": read_tsv,
    "csv": read_csv,
    "fast_align": read_fast_align,
    "tmx": read_tmx,
    "jsonl": read_json_lines,
    "parquet": read_json_lines,  # by then it is text
}


def read_rows(texts: Sequence[TextFile], format: str, wanted: Wanted) -> Reading:
    """The rows of one file, or of one file a language, in the format named."""
    if format == "plain" and len(texts) > 1:
        if len(texts) == 2 and not are_tables(texts):
            return read_plain(texts[0], texts[1], wanted)
        return read_language_files(texts, wanted)
    if format == "plain" or len(texts) != 1:
        expected = "two files or more" if format == "plain" else "1 file"
        raise TextError(
            f"The format {FORMATS[format][0]!r} takes {expected}, but {len(texts)} were given."
        )
    return _READERS[format](texts[0], wanted)


def find_alignments(texts: Sequence[TextFile]) -> int | None:
    """Which of two or three files holds Pharaoh alignments, None if all are text."""
    found = [i for i, text in enumerate(texts) if looks_like_alignments(_sample(text))]
    if len(texts) == 2 and len(found) == 1:
        # A file of numbers beside plain text could be its translation; beside a table it is not.
        named = plain_name(texts[found[0]].name).lower().endswith(ALIGNMENT_ENDINGS)
        return found[0] if named or _single_format(texts[1 - found[0]]) else None
    return found[0] if len(texts) == 3 and len(found) == 1 else None


def find_format(texts: Sequence[TextFile]) -> str:
    """The format of one file, or of one a language."""
    if len(texts) >= 2:
        return "plain"
    if not texts:
        raise TextError(
            "Give one file with all languages or one text file for each, and a file of alignments "
            "if you have one."
        )
    if texts[0].encoding == "Parquet":
        return "parquet"
    format = _single_format(texts[0])
    if format is None:
        raise TextError(
            f"{texts[0].name} shows no two sides: no tabs, commas or |||, no JSON and no TMX; "
            "separate the sides by a tab, or give the other side as a second file."
        )
    return format


def _single_format(file: TextFile) -> str | None:
    if re.match(r"\s*<", file.text) and re.search(r"<tmx[\s>]", file.text[:SAMPLE_CHARACTERS]):
        return "tmx"
    lines = [line for line in _sample(file) if line.strip()]
    if lines and isinstance(parse_object(lines[0]), dict):
        return "jsonl"
    with_tab = sum("\t" in line for line in lines)
    with_bars = sum(SEPARATOR in line for line in lines)
    with_commas = find_delimiter(file.text[:SAMPLE_CHARACTERS]) is not None
    hinted = _hinted_format(file.name)
    if max(with_tab, with_bars) * 2 >= max(1, len(lines)):
        if with_tab == with_bars and hinted in ("tsv", "fast_align"):
            return hinted
        # Tables called .csv are often separated by tabs; commas in all rows alike settle it.
        if hinted != "csv" or not with_commas:
            return "tsv" if with_tab >= with_bars else "fast_align"
    return hinted or ("csv" if with_commas else None)


def _hinted_format(name: str) -> str | None:
    own = plain_name(name).lower()
    return next((f for f, (_, endings) in FORMATS.items() if own.endswith(endings)), None)


def _sample(file: TextFile) -> list[str]:
    return list(islice(split_lines(file.text), SAMPLE_LINES))
