"""What a row must be to count as a sentence pair, in one place for every format."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import zip_longest

from isogloss.errors import TextError
from isogloss.text.parallel import Link, Words
from isogloss.text.readers.decoding import UNDECODABLE
from isogloss.text.readers.pharaoh import parse_links
from isogloss.text.readers.rows import EMPTY, SIDES, Reading, Row, SkippedRow, TextFile, split_lines
from isogloss.text.words import locate

_SURROGATE = re.compile("[\ud800-\udfff]")
# Aligners count words between plain spaces and tabs; other spaces are part of a word to them.
_ALIGNER_SPACE = re.compile("[ \t]+")


@dataclass(frozen=True)
class Pair:
    """A checked row of sentences; `links` are the sure and the possible ones between `words`."""

    source: str
    target: str
    topic: str
    words: Words | None
    links: tuple[frozenset[Link], frozenset[Link]] | None
    more: tuple[str, ...] = ()


def with_alignments(reading: Reading, alignments: TextFile) -> Iterator[Row | SkippedRow]:
    """The rows, each with its line of a Pharaoh file, which must have as many lines."""
    lines = split_lines(alignments.text)
    number = 0
    for number, (row, line) in enumerate(zip_longest(reading.rows, lines), start=1):
        if row is None and line.strip() == "":
            continue
        if row is None or line is None:
            missing = reading.files[0] if row is None else alignments.name
            raise TextError(
                f"{reading.files[0]} and {alignments.name} are not equally long: {missing} ends "
                f"before pair {number}; give one line of alignments per pair."
            )
        place = f"{alignments.name}, line {number}"
        yield replace(row, alignment=line, alignment_place=place) if isinstance(row, Row) else row


def check_row(
    row: Row | SkippedRow, files: tuple[str, ...], limit_characters: int
) -> Pair | SkippedRow:
    """The row as sentences that say the same, or why it is none.

    Of two sides both must be there; of more, one at least.
    """
    if isinstance(row, SkippedRow):
        return row
    texts = (row.source.strip(), row.target.strip())
    more = tuple(text.strip() for text in row.more)
    if not any((*texts, *more)):
        return SkippedRow(files[0], row.line, EMPTY)
    for number, (file, text) in enumerate(zip(files, (*texts, *more), strict=True)):
        if (text or not more) and (problem := _problem(text, limit_characters)):
            side = f"the {SIDES[number]} side" if not more else f"sentence {number + 1}"
            return SkippedRow(file, row.line, f"{side} {problem}")
    other = "".join((row.topic, *row.source_words, *row.target_words))
    if problem := other and _problem(other, 3 * limit_characters):
        return SkippedRow(
            files[0], row.line, f"the fields beside the sentences, together, {problem}"
        )
    try:
        words = _words(row, texts)
        links = _links(row, words or (_split(texts[0]), _split(texts[1])))
    except ValueError as error:
        return SkippedRow(files[0], row.line, str(error))
    if links and not words:
        words = (_split(texts[0]), _split(texts[1]))
    if more and words:
        words = (*words, *(() for _ in more))
    return Pair(texts[0], texts[1], row.topic.strip(), words, links, more)


def is_broken(text: str) -> bool:
    """Whether a text holds a NUL or half of a character written as two, and so is none."""
    return "\0" in text or _SURROGATE.search(text) is not None


def _problem(text: str, limit_characters: int) -> str | None:
    if not text:
        return "is empty"
    if UNDECODABLE in text:
        return "has bytes that are not valid in the file's encoding"
    if is_broken(text):
        return "holds a NUL or half a character, which is no text"
    if len(text) > limit_characters:
        return f"has {len(text):,} characters, over the limit of {limit_characters:,}"
    return None


def _words(row: Row, texts: tuple[str, str]) -> Words | None:
    words = (row.source_words, row.target_words)
    if not any(words):
        return None
    for side, tokens, text in zip(SIDES, words, texts, strict=True):
        try:
            locate(tokens, text)
        except TextError as error:
            raise ValueError(f"the {side} words do not spell the sentence: {error}") from None
    return words


def _links(row: Row, words: Words) -> tuple[frozenset[Link], frozenset[Link]] | None:
    if not row.alignment.strip():
        return None
    origin = f" ({row.alignment_place})" if row.alignment_place else ""
    try:
        sure, possible = parse_links(row.alignment)
    except ValueError as error:
        raise ValueError(f"its alignment{origin} {error}") from None
    for link in sorted(possible):
        for side, index, side_words in zip(SIDES, link, words, strict=True):
            if index >= len(side_words):
                raise ValueError(
                    f"its alignment{origin} points at {side} word {index}, counted from 0, "
                    f"but there are {len(side_words)}"
                )
    return sure, possible


def _split(text: str) -> tuple[str, ...]:
    return tuple(_ALIGNER_SPACE.split(text))
