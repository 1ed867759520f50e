"""Plain lines: two files of one sentence per line, or one file of fast_align's `a ||| b`."""

from collections.abc import Iterator
from itertools import zip_longest

from isogloss.errors import CorpusError
from isogloss.text.readers.languages import languages_in_name
from isogloss.text.readers.rows import (
    EMPTY,
    Reading,
    Row,
    SkippedRow,
    TextFile,
    Wanted,
    count_lines,
    split_lines,
    without_blank_end,
)

SEPARATOR = "|||"


def read_plain(first: TextFile, second: TextFile, wanted: Wanted) -> Reading:
    """Two text files whose lines are each other's translations.

    The languages come from the file names, as in `train.en` and `train.zh`, and files that come
    in the other order than the languages asked for change places.
    """
    languages: tuple[str | None, ...] = (_own_language(first, second), _own_language(second, first))
    if wanted.languages and languages == wanted.languages[::-1]:
        first, second, languages = second, first, wanted.languages
    texts = (without_blank_end(first.text), without_blank_end(second.text))
    counts = (count_lines(texts[0]), count_lines(texts[1]))
    # A side whose last sentences are missing may still have their empty lines.
    if counts[0] != counts[1] and count_lines(first.text) != count_lines(second.text):
        longer = first if counts[0] > counts[1] else second
        raise CorpusError(
            f"{first.name} has {counts[0]} lines but {second.name} has {counts[1]}, so line "
            f"{min(counts) + 1} of {longer.name} has no translation; make the files equally long."
        )

    def rows() -> Iterator[Row | SkippedRow]:
        pairs = zip_longest(split_lines(texts[0]), split_lines(texts[1]), fillvalue="")
        for number, (source, target) in enumerate(pairs, start=1):
            yield Row(number, source, target)

    return Reading(rows=rows(), files=(first.name, second.name), languages=languages)


def read_fast_align(file: TextFile, wanted: Wanted) -> Reading:
    """One file with the two sides of each pair on a line, separated by ` ||| `."""

    def rows() -> Iterator[Row | SkippedRow]:
        for number, line in enumerate(split_lines(without_blank_end(file.text)), start=1):
            sides = line.split(SEPARATOR)
            if len(sides) == 2:
                yield Row(number, sides[0], sides[1])
            elif not line.strip():
                yield SkippedRow(file.name, number, EMPTY)
            else:
                reason = f"it has {len(sides) - 1} separators ||| where one is expected"
                yield SkippedRow(file.name, number, reason)

    return Reading(rows=rows(), files=(file.name, file.name))


def _own_language(file: TextFile, other: TextFile) -> str | None:
    """The language in the file's name; of `set.en-zh.zh` and `set.en-zh.en`, what is its own."""
    last = languages_in_name(file.name)[-1:]
    if not last or last == languages_in_name(other.name)[-1:]:
        return None
    return last[0]
