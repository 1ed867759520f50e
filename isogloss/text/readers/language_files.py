"""One file a language, row for row the same sentences: lines of text, or tables of one column each.

So come NTREX (`newstest2019-ref.deu.txt`), FLORES (`deu_Latn.devtest`) and XNLI split by language
(`dev-de.tsv`, whose rows have two sentences and a label).
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice, zip_longest

from isogloss.errors import TextError
from isogloss.text.parallel import MOST_SIDES
from isogloss.text.readers.languages import (
    codes_of,
    language_code,
    language_of_file,
    languages_in_name,
)
from isogloss.text.readers.rows import (
    Reading,
    Row,
    SkippedRow,
    TextFile,
    Wanted,
    count_lines,
    split_lines,
    without_blank_end,
)
from isogloss.text.readers.tables import is_quoted, split_quoted_tabs

SAMPLE_LINES = 1_000


def are_tables(files: Sequence[TextFile]) -> bool:
    """Whether each file is a table: its first lines are cut by tabs into equally many cells."""
    return all(_width(file) > 1 for file in files)


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
        raise TextError(
            f"{first.name} has {counts[0]} lines but {second.name} has {counts[1]}, so line "
            f"{min(counts) + 1} of {longer.name} has no translation; make the files equally long."
        )

    def rows() -> Iterator[Row | SkippedRow]:
        pairs = zip_longest(split_lines(texts[0]), split_lines(texts[1]), fillvalue="")
        for number, (source, target) in enumerate(pairs, start=1):
            yield Row(number, source, target)

    return Reading(rows=rows(), files=(first.name, second.name), languages=languages)


def read_language_files(files: Sequence[TextFile], wanted: Wanted) -> Reading:
    """Files in one language each, whose lines are each other's translations.

    The file names tell the languages, unless as many are named as there are files: then they are
    given in the order of the files. English comes first, then the others by their codes. Of tables
    one column is read: the one named, else the one whose cells repeat least.
    """
    files, languages = _in_order(files, wanted)
    texts = [without_blank_end(file.text) for file in files]
    counts = [count_lines(text) for text in texts]
    if len(set(counts)) > 1:
        usual = Counter(counts).most_common(1)[0][0]
        odd = next(place for place, count in enumerate(counts) if count != usual)
        other = counts.index(usual)
        raise TextError(
            f"{files[odd].name} has {counts[odd]:,} lines but {files[other].name} has "
            f"{usual:,}; make the files equally long, a line for every sentence."
        )
    column, skipped_lines = _find_column(files, wanted)

    def rows() -> Iterator[Row | SkippedRow]:
        lines = zip_longest(*map(split_lines, texts), fillvalue="")
        for number, cells in enumerate(lines, start=1):
            if number <= skipped_lines:
                continue
            try:
                first, second, *more = (
                    line if column is None else _cell(line, column) for line in cells
                )
            except IndexError:
                widths = [len(_cells(line)) for line in cells]
                name = files[widths.index(min(widths))].name
                yield SkippedRow(name, number, f"it has no column {(column or 0) + 1}")
            else:
                yield Row(number, first, second, more=tuple(more))

    return Reading(
        rows=rows(),
        files=tuple(file.name for file in files),
        languages=languages,
        columns=None if column is None else (str(column + 1),) * len(files),
    )


def _in_order(
    files: Sequence[TextFile], wanted: Wanted
) -> tuple[list[TextFile], tuple[str | None, ...]]:
    """The files that are read, and their languages."""
    tags = [language_of_file(file.name) for file in files]
    if wanted.languages and len(wanted.languages) == len(files) and None in tags:
        return list(files), wanted.languages
    unknown = [file.name for file, tag in zip(files, tags, strict=True) if tag is None]
    if unknown:
        raise TextError(
            f"The name of {unknown[0]} has no language code that is known here; call it "
            "NAME.CODE.txt, such as news.de.txt or news.deu.txt, or name every file's language."
        )
    codes = codes_of([tag or "" for tag in tags])
    for place, code in enumerate(codes):
        if code in codes[:place]:
            raise TextError(_say_doubled(files[codes.index(code)].name, files[place].name, code))
    place_of = {code: place for place, code in enumerate(codes)}
    if wanted.languages:
        order = [_place_of(code, place_of) for code in wanted.languages]
    else:
        order = sorted(place_of.values(), key=lambda place: (codes[place] != "en", codes[place]))
    if len(order) > MOST_SIDES:
        raise TextError(
            f"These are {len(order)} languages, over the limit of {MOST_SIDES}; name those to read."
        )
    return [files[place] for place in order], tuple(codes[place] for place in order)


def _say_doubled(one: str, other: str, code: str) -> str:
    said = f"{one} and {other} are both in {code}; give one file for each language"
    parts = [name.partition(f"-{code}.") for name in (one, other)]
    if not all(found for _, found, _ in parts):
        return f"{said}."
    # So come the parts of a data set: dev-de.tsv and test-de.tsv.
    patterns = " or ".join(f"{part}-*.{ending}" for part, _, ending in parts)
    return f"{said}, those of one part: {patterns}."


def _place_of(wanted: str, places: dict[str, int]) -> int:
    code = wanted if wanted in places else language_code(wanted)
    if code not in places:
        raise TextError(
            f"No file is in {wanted}; they are in {', '.join(places)}: choose among these."
        )
    return places[code]


def _find_column(files: Sequence[TextFile], wanted: Wanted) -> tuple[int | None, int]:
    """Which column of tables is read, None where lines are sentences; and how many lines are a
    header's."""
    if not are_tables(files):
        if wanted.columns:
            raise TextError("These files have lines and no columns; leave the columns out.")
        return None, 0
    heads = [_cells(next(split_lines(file.text))) for file in files]
    header = len({tuple(head) for head in heads}) == 1  # text in many languages is not the same
    if wanted.columns:
        return _named_column(wanted.columns, heads[0], header), int(header)
    rows = [_cells(line) for line in islice(split_lines(files[0].text), SAMPLE_LINES)][header:]
    cells = [column for column in zip(*rows, strict=False) if not all(c.isdigit() for c in column)]
    numbers = [n for n, column in enumerate(zip(*rows, strict=False)) if column in cells]
    if not numbers:
        raise TextError(f"{files[0].name} has no column of text; name the one to read.")
    return max(numbers, key=lambda n: (len({row[n] for row in rows}), -n)), int(header)


def _named_column(columns: tuple[str | int, ...], head: list[str], header: bool) -> int:
    (column,) = set(columns) if len(set(columns)) == 1 else (None,)
    names = [cell.strip().casefold() for cell in head]
    if header and isinstance(column, str) and column.strip().casefold() in names:
        return names.index(column.strip().casefold())
    if column is None or not str(column).isdigit() or not 1 <= int(column) <= len(head):
        raise TextError(
            f"Of files in one language each, one column is read, by its number from 1 to "
            f"{len(head)}{' or by its name' if header else ''}, not "
            f"{' and '.join(map(str, columns))}."
        )
    return int(column) - 1


def _width(file: TextFile) -> int:
    """How many cells the first lines have, 1 where they are not equally many."""
    text = without_blank_end(file.text)
    widths = {len(_cells(line)) for line in islice(split_lines(text), SAMPLE_LINES)}
    return widths.pop() if len(widths) == 1 else 1


def _cells(line: str) -> list[str]:
    if '"' in line and is_quoted(line):
        return split_quoted_tabs(line) or [line]
    return line.split("\t")


def _cell(line: str, column: int) -> str:
    return _cells(line)[column]


def _own_language(file: TextFile, other: TextFile) -> str | None:
    """The language in the file's name; of `set.en-zh.zh` and `set.en-zh.en`, what is its own."""
    last = languages_in_name(file.name)[-1:]
    if not last or last == languages_in_name(other.name)[-1:]:
        return None
    return last[0]
