"""Sentences with something said of each word: CoNLL-U treebanks, and entities in IOB2.

CoNLL-U (https://universaldependencies.org/format.html) has ten columns a word; a word that is
written as part of another (don't = do + n't) stands below the line of the whole, and words that
were left out of the text (empty nodes, 1.1) are read over. IOB2 has a word and its mark a line,
B-X where an entity of kind X begins, I-X where it goes on and O elsewhere, with or without further
columns between them and a number before them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from isogloss.errors import TreebankError
from isogloss.text.readers.rows import TextFile, split_lines
from isogloss.text.words import UNSPACED_LANGUAGES

# fmt: off
UPOS = [
    "ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON", "PROPN",
    "PUNCT", "SCONJ", "SYM", "VERB", "X",
]
# fmt: on
COLUMNS = 10
LIMIT_WORDS = 10_000
"""How long a sentence may be: several times the longest of any treebank, and of any model's."""
_NUMBER, _RANGE = re.compile(r"[1-9]\d{0,5}"), re.compile(r"([1-9]\d{0,5})-([1-9]\d{0,5})")
_EMPTY_NODE = re.compile(r"\d{1,6}\.[1-9]\d{0,3}")
_MARK = re.compile(r"O|[BI]-\S+")


@dataclass(frozen=True)
class TaggedSentence:
    """The words of a sentence, where each stands in `text`, and what is said of each.

    `tags` are parts of speech or IOB2 marks. `heads` count from 1 and are 0 at the root; they and
    `relations` are empty where there is no tree. Words written as one have the same span.
    """

    text: str
    words: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]
    tags: tuple[str, ...]
    heads: tuple[int, ...] = ()
    relations: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.words)


Lines = list[tuple[int, str]]
"""The lines of one sentence, each with its number in the file."""


def read_conllu(file: TextFile) -> list[TaggedSentence]:
    """The sentences of a CoNLL-U file; raises TreebankError with the file and line of the fault."""
    return [_Tree(file.name, lines).sentence() for lines in _sentences(file)]


def read_iob2(file: TextFile, language: str) -> list[TaggedSentence]:
    """The sentences of an IOB2 file; raises TreebankError with the file and line of the fault."""
    space = "" if language in UNSPACED_LANGUAGES else " "
    return [_marked_sentence(file.name, lines, space) for lines in _sentences(file)]


def _sentences(file: TextFile) -> Iterator[Lines]:
    lines: Lines = []
    for number, line in enumerate(split_lines(file.text), start=1):
        if not line.strip():
            if lines:
                yield lines
            lines = []
        elif not line.startswith("# ") and line != "#":
            if len(lines) == LIMIT_WORDS:
                raise _fault(
                    file.name,
                    number,
                    f"the sentence has more than {LIMIT_WORDS:,} words; leave an empty line "
                    "after each sentence",
                )
            lines.append((number, line))
    if lines:
        yield lines


def _fault(name: str, line: int, what: str) -> TreebankError:
    return TreebankError(f"{name}, line {line}: {what}.")


class _Tree:
    """The lines of one sentence of CoNLL-U, read and checked."""

    def __init__(self, name: str, lines: Lines) -> None:
        self._name = name
        self._last = lines[-1][0]
        self._lines: list[int] = []
        self._rows: list[list[str]] = []
        self._wholes: list[tuple[int, int, str, bool]] = []
        for number, line in lines:
            self._take(number, line)
        if not self._rows:
            raise _fault(name, self._last, "the sentence has no word; give it some or remove it")

    def _take(self, number: int, line: str) -> None:
        columns = line.split("\t")
        if len(columns) != COLUMNS or not all(columns):
            what = f"has {len(columns)} columns" if len(columns) != COLUMNS else "has an empty one"
            raise _fault(
                self._name,
                number,
                f"a word has {COLUMNS} columns with tabs between them and this one {what}; write _ "
                "where there is nothing to say",
            )
        known = len(self._rows)
        covered = self._wholes[-1][1] if self._wholes else 0
        spaced = "SpaceAfter=No" not in columns[9].split("|")
        if _EMPTY_NODE.fullmatch(columns[0]):
            return
        if whole := _RANGE.fullmatch(columns[0]):
            first, last = int(whole[1]), int(whole[2])
            if first != known + 1 or last <= first or first <= covered:
                raise _fault(
                    self._name, number, f"{columns[0]} does not stand before the words it holds"
                )
            self._wholes.append((first, last, columns[1], spaced))
            return
        if columns[0] != str(known + 1):
            raise _fault(self._name, number, f"word {known + 1} was expected here")
        if columns[3] not in UPOS:
            raise _fault(
                self._name,
                number,
                f"this is no universal part of speech; use one of {' '.join(UPOS)}",
            )
        if known + 1 > covered:
            self._wholes.append((known + 1, known + 1, columns[1], spaced))
        self._rows.append(columns)
        self._lines.append(number)

    def sentence(self) -> TaggedSentence:
        if self._wholes[-1][1] > len(self._rows):
            raise _fault(
                self._name, self._last, f"word {self._wholes[-1][1]} of the sentence is missing"
            )
        parts, spans, place = [], [], 0
        for first, last, form, spaced in self._wholes:
            spans += [(place, place + len(form))] * (last - first + 1)
            parts.append(form + (" " if spaced else ""))
            place += len(parts[-1])
        heads = self._heads()
        return TaggedSentence(
            "".join(parts).rstrip(),
            tuple(row[1] for row in self._rows),
            tuple(spans),
            tuple(row[3] for row in self._rows),
            heads,
            tuple(row[7] for row in self._rows) if heads else (),
        )

    def _heads(self) -> tuple[int, ...]:
        """The head of each word, a tree with one root; empty where no word has any."""
        given = [row[6] for row in self._rows]
        if all(head == "_" for head in given):
            return ()
        heads = []
        for number, head in zip(self._lines, given, strict=True):
            if (head != "0" and not _NUMBER.fullmatch(head)) or int(head) > len(given):
                raise _fault(
                    self._name,
                    number,
                    f"the head is none of the {len(given)} words of the sentence; give the "
                    "number of one, or 0 for the root",
                )
            heads.append(int(head))
        roots = [number for number, head in zip(self._lines, heads, strict=True) if head == 0]
        if len(roots) > 1:
            raise _fault(self._name, roots[1], "the sentence has a second root; leave it one")
        if not roots:
            raise _fault(self._name, self._lines[0], "the sentence has no root; give one word 0")
        if word := _first_below_a_cycle(heads):
            raise _fault(
                self._name,
                self._lines[word - 1],
                f"the heads above word {word} lead round in a cycle; lead them to the root",
            )
        return tuple(heads)


def _first_below_a_cycle(heads: Sequence[int]) -> int | None:
    """The first word, counted from 1, whose heads never lead to the root; None if all do.

    A way up ends at a word that was seen before, so that each head is followed once.
    """
    leads_up = {0}
    for word in range(1, len(heads) + 1):
        way: dict[int, None] = {}
        above = word
        while above not in leads_up and above not in way:
            way[above] = None
            above = heads[above - 1]
        if above not in leads_up:
            return word
        leads_up.update(way)
    return None


def _marked_sentence(name: str, lines: Lines, space: str) -> TaggedSentence:
    rows = [
        (number, line.split("\t") if "\t" in line else re.split(" +", line))
        for number, line in lines
    ]
    numbered = all(row[0] == str(i) and len(row) > 2 for i, (_, row) in enumerate(rows, start=1))
    words: list[str] = []
    marks: list[str] = []
    for number, row in rows:
        if len(row) != len(rows[0][1]) or len(row) < 2:
            raise _fault(
                name,
                number,
                f"there are {len(row)} columns; give a word and its mark, and every line as many",
            )
        # After a number come the word, the mark and remarks; without one the mark is the last.
        word, mark = (row[1], row[2]) if numbered else (row[0], row[-1])
        words.append(word)
        marks.append(_checked_mark(name, number, mark, marks[-1] if marks else "O"))
    spans, place = [], 0
    for word in words:
        spans.append((place, place + len(word)))
        place += len(word) + len(space)
    return TaggedSentence(space.join(words), tuple(words), tuple(spans), tuple(marks))


def _checked_mark(name: str, number: int, mark: str, before: str) -> str:
    if not _MARK.fullmatch(mark):
        raise _fault(name, number, "this is no mark of IOB2; write O, B-KIND or I-KIND")
    if mark.startswith("I-") and before[2:] != mark[2:]:
        raise _fault(
            name, number, "the mark I- goes on with nothing; write B- where an entity begins"
        )
    return mark


def entities(marks: Sequence[str]) -> frozenset[tuple[int, int, str]]:
    """The entities that marks (n,) tell: first word, the word after the last, kind.

    I-X that follows no X begins one, as is usual for what a network says.
    """
    found, start = [], 0
    for i, mark in enumerate([*marks, "O"]):
        goes_on = mark.startswith("I-") and i > 0 and marks[i - 1][2:] == mark[2:]
        if not goes_on:
            if i > 0 and marks[i - 1] != "O":
                found.append((start, i, marks[i - 1][2:]))
            start = i
    return frozenset(found)
