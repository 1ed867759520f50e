"""Tables: values with tabs or fast_align's ||| between them, and comma-separated after RFC 4180."""

import csv
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice

from isogloss.errors import TextError
from isogloss.text.readers.columns import Columns, columns_by_name, columns_by_position, is_header
from isogloss.text.readers.rows import (
    EMPTY,
    Reading,
    Row,
    SkippedRow,
    TextFile,
    Wanted,
    mend_torn_rows,
    split_lines,
    without_blank_end,
)

SAMPLE_ROWS = 100
SEPARATOR = "|||"
"""What fast_align has between the two sides of a pair."""

# A row's line number and its cells, or why it has none.
NumberedCells = tuple[int, list[str] | SkippedRow]


def read_tsv(file: TextFile, wanted: Wanted) -> Reading:
    """Tab-separated values; quotes are text unless the whole file quotes consistently."""
    text = mend_torn_rows(without_blank_end(file.text))
    split = split_quoted_tabs if is_quoted(text) else _split_raw_tabs

    def rows() -> Iterator[NumberedCells]:
        for number, line in enumerate(split_lines(text), start=1):
            yield number, split(line) or [line]

    return _read_table(file.name, rows, wanted)


def read_csv(file: TextFile, wanted: Wanted) -> Reading:
    """Comma- or semicolon-separated values; a quoted field may hold both and line breaks."""
    text = without_blank_end(file.text)
    delimiter = find_delimiter(text) or ","
    return _read_table(file.name, lambda: _csv_rows(file.name, text, delimiter), wanted)


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


def find_delimiter(text: str) -> str | None:
    """The delimiter that cuts the first rows into equally many columns, at least two."""
    best: tuple[float, str] | None = None
    for delimiter in ",;":
        sample = islice(_csv_rows("", text, delimiter), SAMPLE_ROWS)
        try:
            counts = Counter(len(cells) for _, cells in sample if isinstance(cells, list))
        except TextError:
            continue
        width, rows = counts.most_common(1)[0] if counts else (1, 0)
        share = rows / max(1, counts.total())
        if width >= 2 and share >= 0.9 and (best is None or share > best[0]):
            best = (share, delimiter)
    return best[1] if best else None


def is_quoted(text: str) -> bool:
    """Whether a tab-separated text quotes its fields, rather than holding sentences with quotes.

    Every field with a quote must be properly quoted, every row equally wide, and the quotes must
    be of use: all fields have them, or one field holds a tab or a quote.
    """
    if '"' not in text:
        return False
    widths, every_field, of_use = set(), True, False
    for line in split_lines(text):
        cells = split_quoted_tabs(line)
        if cells is None:
            return False
        widths.add(len(cells))
        every_field = every_field and line == quote_all(cells)
        of_use = of_use or any("\t" in cell or '"' in cell for cell in cells)
    return len(widths) == 1 and (every_field or of_use)


def split_quoted_tabs(line: str) -> list[str] | None:
    """The cells of a line with properly quoted fields, None where a quote stands out of place."""
    cells: list[str] = []
    start = 0
    while True:
        if line.startswith('"', start):
            end = _closing_quote(line, start + 1)
            if end is None:
                return None
            cells.append(line[start + 1 : end].replace('""', '"'))
            end += 1
        else:
            tab = line.find("\t", start)
            end = len(line) if tab < 0 else tab
            if '"' in line[start:end]:
                return None
            cells.append(line[start:end])
        if end == len(line):
            return cells
        if line[end] != "\t":
            return None
        start = end + 1


def _closing_quote(line: str, position: int) -> int | None:
    while (position := line.find('"', position)) >= 0:
        if not line.startswith('""', position):
            return position
        position += 2
    return None


def quote_all(cells: list[str]) -> str:
    """A tab-separated line with every field in quotes, and quotes inside doubled."""
    return "\t".join('"' + cell.replace('"', '""') + '"' for cell in cells)


def _split_raw_tabs(line: str) -> list[str]:
    return line.split("\t")


def _csv_rows(file: str, text: str, delimiter: str) -> Iterator[NumberedCells]:
    lines = split_lines(text, keep_ends=True)
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    while True:
        number = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            if "expected after" in str(error):
                yield number, SkippedRow(file, number, "text follows a closing quote")
                continue
            # Nobody can tell where this row ends, so nothing after it can be trusted.
            what = "runs on too long" if "limit" in str(error) else "opens a quote it never closes"
            message = f"{file}, line {number}: a field {what}; close or double its quotes."
            raise TextError(message) from None
        else:
            yield number, cells


def _read_table(file: str, rows: Callable[[], Iterator[NumberedCells]], wanted: Wanted) -> Reading:
    sample = [
        (number, cells) for number, cells in islice(rows(), SAMPLE_ROWS) if isinstance(cells, list)
    ]
    if not sample:
        raise TextError(f"{file} has no rows; give it at least one sentence pair.")
    first_line, first = sample[0]
    if is_header(first, wanted):
        columns, width = columns_by_name(first, wanted, file), len(first)
        header_line = first_line
    else:
        width = Counter(len(cells) for _, cells in sample).most_common(1)[0][0]
        columns = columns_by_position([c for _, c in sample if len(c) == width], wanted, file)
        header_line = 0
    data = (row for row in rows() if row[0] != header_line)
    return Reading(
        rows=(_pair_row(file, number, cells, columns, width) for number, cells in data),
        files=(file,) * len(columns.names),
        languages=columns.languages,
        columns=columns.names,
        not_languages=columns.not_languages,
    )


def _pair_row(
    file: str, number: int, cells: list[str] | SkippedRow, columns: Columns, width: int
) -> Row | SkippedRow:
    if isinstance(cells, SkippedRow):
        return cells
    if not any(cell.strip() for cell in cells):
        return SkippedRow(file, number, EMPTY)
    if len(cells) != width:
        noun = "column" if len(cells) == 1 else "columns"
        return SkippedRow(file, number, f"it has {len(cells)} {noun} where {width} are expected")

    def cell(column: int | None) -> str:
        return "" if column is None else cells[column]

    return Row(
        line=number,
        source=cell(columns.source),
        target=cell(columns.target),
        topic=cell(columns.topic),
        alignment=cell(columns.alignment),
        more=tuple(map(cell, columns.more)),
        source_words=split_words(cell(columns.source_words)),
        target_words=split_words(cell(columns.target_words)),
    )


def split_words(cell: str) -> tuple[str, ...]:
    """The words of a `*_words` field, separated by spaces alone: a word may hold a wider space."""
    return tuple(word for word in cell.split(" ") if word)
