"""Writers, one per format: the bytes that the reader of that format reads back as they were."""

import csv
import io
import json
import re
from collections.abc import Iterable
from xml.sax.saxutils import escape, quoteattr

from isogloss.errors import TextError
from isogloss.text.parallel import Link, ParallelText
from isogloss.text.readers.languages import language_code
from isogloss.text.readers.tables import SEPARATOR, quote_all

_LINE_BREAK = re.compile(r"[\r\n]")
_SPACE = re.compile(" ")
# What XML 1.0 cannot hold, not even escaped.
_NOT_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def write_tsv(bitext: ParallelText) -> bytes:
    """Tab-separated values with a header; all fields quoted if one has a tab or a quote first."""
    rows = _table(bitext)
    fields = [field for row in rows for field in row]
    _refuse(_LINE_BREAK, fields, "a line break", "tab-separated values")
    quoted = any("\t" in field or field.startswith('"') for field in fields)
    lines = (quote_all(row) if quoted else "\t".join(row) for row in rows)
    return _encode("".join(f"{line}\n" for line in lines))


def write_csv(bitext: ParallelText) -> bytes:
    """Comma-separated values after RFC 4180 with a header."""
    stream = io.StringIO(newline="")
    csv.writer(stream).writerows(_table(bitext))
    return _encode(stream.getvalue())


def write_json_lines(bitext: ParallelText) -> bytes:
    """One JSON object a line, keyed by language, with the fields that a table has."""
    header, *rows = _table(bitext)
    records = ({k: v for k, v in zip(header, row, strict=True) if v} for row in rows)
    return _encode("".join(json.dumps(r, ensure_ascii=False) + "\n" for r in records))


def write_plain(bitext: ParallelText) -> tuple[bytes, bytes]:
    """Two text files, one sentence per line; the texts alone."""
    _refuse(_LINE_BREAK, (*bitext.source, *bitext.target), "a line break", "lines of text")
    source, target = ("".join(f"{text}\n" for text in bitext.side(side)) for side in (0, 1))
    return _encode(source), _encode(target)


def write_fast_align(bitext: ParallelText) -> bytes:
    """fast_align's `a ||| b`, one pair per line; the texts alone."""
    texts = (*bitext.source, *bitext.target)
    _refuse(_LINE_BREAK, texts, "a line break", "fast_align's format")
    _refuse(re.compile(re.escape(SEPARATOR)), texts, SEPARATOR, "fast_align's format")
    pairs = zip(bitext.source, bitext.target, strict=True)
    return _encode("".join(f"{source} {SEPARATOR} {target}\n" for source, target in pairs))


def write_pharaoh(bitext: ParallelText) -> bytes:
    """The gold alignments, one pair per line, empty where there is none."""
    gold = bitext.gold or (None,) * len(bitext)
    lines = (_pharaoh_line(g.sure, g.possible) if g else "" for g in gold)
    return _encode("".join(f"{line}\n" for line in lines))


def write_tmx(bitext: ParallelText) -> bytes:
    """A TMX 1.4 translation memory; the texts alone."""
    _refuse(_NOT_XML, (*bitext.source, *bitext.target), "a control character", "TMX")
    units = []
    for pair in zip(bitext.source, bitext.target, strict=True):
        variants = (
            f"<tuv xml:lang={quoteattr(tag)}><seg>{escape(text, {chr(13): '&#13;'})}</seg></tuv>"
            for tag, text in zip(bitext.languages, pair, strict=True)
        )
        units.append(f"<tu>{''.join(variants)}</tu>\n")
    header = f"<header srclang={quoteattr(bitext.languages[0])}/>"
    body = f'<tmx version="1.4">{header}<body>\n{"".join(units)}</body></tmx>\n'
    return _encode(f'<?xml version="1.0" encoding="UTF-8"?>\n{body}')


def _table(bitext: ParallelText) -> list[list[str]]:
    """A header row and the data rows, with a column only for what the text has.

    Languages that a header could not tell (unknown, or twice the same) become source and target.
    """
    codes = bitext.languages
    known = codes[0] != codes[1] and all(language_code(code) == code for code in codes)
    sides = codes if known else ("source", "target")
    columns = {sides[0]: bitext.source, sides[1]: bitext.target}
    if bitext.topics:
        columns["topic"] = bitext.topics
    if bitext.words:
        for side, name in enumerate(sides):
            given = [words[side] if words else () for words in bitext.words]
            _refuse(
                _SPACE, (word for words in given for word in words), "a space", "a list of words"
            )
            columns[f"{name}_words"] = tuple(" ".join(words) for words in given)
    if bitext.gold:
        links = (_pharaoh_line(gold.sure, gold.possible) if gold else "" for gold in bitext.gold)
        columns["alignment"] = tuple(links)
    return [list(columns), *map(list, zip(*columns.values(), strict=True))]


def _refuse(pattern: re.Pattern[str], texts: Iterable[str], what: str, format: str) -> None:
    for text in texts:
        if pattern.search(text):
            raise TextError(f"{text[:30]!r} holds {what}, which {format} cannot; replace it.")


def _encode(text: str) -> bytes:
    # Text that begins with U+FEFF needs a byte order mark before it, or it would be taken for one.
    return text.encode("utf-8-sig" if text.startswith("\ufeff") else "utf-8")


def _pharaoh_line(sure: frozenset[Link], possible: frozenset[Link]) -> str:
    """The links as one Pharaoh line, in order."""
    return " ".join(f"{i}{'-' if (i, j) in sure else 'p'}{j}" for i, j in sorted(possible))
