"""Which columns, or keys, of a table hold the two sides and what belongs to them."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from isogloss.errors import TextError
from isogloss.text.readers.languages import (
    AMBIGUOUS_CODES,
    is_variety,
    language_code,
    language_codes,
)
from isogloss.text.readers.rows import Wanted

SOURCE_NAMES = frozenset({"source", "src", "sentence1", "sentence_1", "text1", "text_1"})
TARGET_NAMES = frozenset({"target", "tgt", "trg", "sentence2", "sentence_2", "text2", "text_2"})
NO_CODES = frozenset({"idx", "nr", "row", "url", "doc", "len", "set", "key", "src", "tgt", "trg"})
"""Short names of columns that say something else than a language."""
_LIKE_A_CODE = re.compile("[A-Za-z]{2,3}([-_][A-Za-z]{2,4})?")


@dataclass(frozen=True)
class Columns:
    """Positions of the columns in use, counted from 0, and what the header calls the sides.

    `more` are those of a third language and the ones after it.
    """

    source: int
    target: int
    names: tuple[str, ...]
    languages: tuple[str | None, ...] = (None, None)
    more: tuple[int, ...] = ()
    topic: int | None = None
    alignment: int | None = None
    source_words: int | None = None
    target_words: int | None = None
    not_languages: tuple[str, ...] = ()


def is_header(cells: Sequence[str], wanted: Wanted) -> bool:
    """Whether a first row names its columns: two languages, or source and target, or as asked."""
    names = _keys(cells)
    if wanted.columns and any(_number(column) is None for column in wanted.columns):
        return True
    if len(_language_columns(cells)) >= 2:
        return True
    return bool(SOURCE_NAMES & set(names) and TARGET_NAMES & set(names))


def columns_by_name(cells: Sequence[str], wanted: Wanted, file: str) -> Columns:
    """The columns of a table whose header is `cells`."""
    sides = _find_sides(cells, wanted, file)
    source, target, *more = sides
    keys = _keys(cells)

    def position(*names: str) -> int | None:
        return next((keys.index(name) for name in names if name in keys), None)

    named = [cells[side].strip() for side in sides]
    languages: tuple[str | None, ...] = tuple(map(language_code, named))
    if all(languages):
        languages = language_codes(named)
    return Columns(
        source=source,
        target=target,
        more=tuple(more),
        names=tuple(named),
        languages=languages,
        topic=position("topic"),
        alignment=position("alignment"),
        source_words=position(f"{keys[source]}_words", "source_words"),
        target_words=position(f"{keys[target]}_words", "target_words"),
        not_languages=_not_languages(cells) if all(languages) and not wanted.columns else (),
    )


def columns_by_position(rows: Sequence[Sequence[str]], wanted: Wanted, file: str) -> Columns:
    """The columns of equally wide rows without a header: as asked, or the first two with text."""
    count = len(rows[0])
    if wanted.columns:
        sides = list(_positions(wanted.columns, [""] * count, file))
    else:
        sides = [
            column
            for column in range(count)
            if not all(row[column].strip().isdigit() for row in rows)
        ]
        if len(sides) < 2:
            raise TextError(
                f"{file} has one column of text but two are needed; "
                "separate the two sides by a tab or name the columns."
            )
        sides = sides[:2]
    source, target, *more = sides
    return Columns(
        source,
        target,
        names=tuple(str(side + 1) for side in sides),
        languages=(None,) * len(sides),
        more=tuple(more),
    )


def _find_sides(cells: Sequence[str], wanted: Wanted, file: str) -> tuple[int, ...]:
    if wanted.columns:
        return _positions(wanted.columns, cells, file)
    languages = _language_columns(cells)
    if wanted.languages and languages:
        sides = tuple(_column_of(tag, cells, languages, file) for tag in wanted.languages)
        if len(set(sides)) < len(sides):
            message = (
                f"{file} has one column for {' and '.join(wanted.languages)}; name two columns."
            )
            raise TextError(message)
        return sides
    if len(languages) >= 2:
        _refuse_doubled(cells, file)
        return tuple(sorted(languages.values()))
    sources, targets = (
        [position for position, key in enumerate(_keys(cells)) if key in names]
        for names in (SOURCE_NAMES, TARGET_NAMES)
    )
    if sources and targets:
        return sources[0], targets[0]
    raise TextError(
        f"{file} does not say which of its {len(cells)} columns are the two sides; name two "
        "columns."
    )


def _column_of(tag: str, cells: Sequence[str], languages: dict[str, int], file: str) -> int:
    keys, code = _keys(cells), language_code(tag) or tag
    if _key(tag) in keys:
        return keys.index(_key(tag))
    if code not in languages:
        found = ", ".join(languages)
        raise TextError(f"{file} has no column for {tag}, only for {found}; choose among these.")
    return languages[code]


def _positions(columns: tuple[str | int, ...], cells: Sequence[str], file: str) -> tuple[int, ...]:
    if len(columns) < 2:
        raise TextError(f"Two columns are needed, one a side, but {len(columns)} were named.")
    sides = tuple(_position(column, cells, file) for column in columns)
    for place, column in enumerate(columns):
        if sides[place] in sides[:place]:
            raise TextError(f"Both sides of {file} cannot be column {column!r}; name two columns.")
    return sides


def _position(column: str | int, cells: Sequence[str], file: str) -> int:
    keys = _keys(cells)
    if isinstance(column, str) and _key(column) in keys:
        return keys.index(_key(column))
    number = _number(column)
    if number is None:
        raise TextError(
            f"{file} has no column named {column!r} in its first row; name one of the "
            f"{len(cells)} that are there or give its number."
        )
    if not 1 <= number <= len(cells):
        raise TextError(
            f"{file} has {len(cells)} columns, so there is no column {number}; count from 1."
        )
    return number - 1


def _language_columns(cells: Sequence[str]) -> dict[str, int]:
    """The column of each language the header names; "en" before "en_US" if it has both.

    Of varieties alone, such as pt_BR and pt_PT, each counts.
    """
    named = {column: code for column, cell in enumerate(cells) if (code := language_code(cell))}
    varieties = {column for column in named if is_variety(cells[column])}
    plain = {code for column, code in named.items() if column not in varieties}
    kept = [column for column in named if column not in varieties or named[column] not in plain]
    counts = Counter(named[column] for column in kept)
    found: dict[str, int] = {}
    for column in kept:
        several = counts[named[column]] > 1 and column in varieties
        found.setdefault(cells[column].strip() if several else named[column], column)
    if len(found) > 2:
        found = {code: column for code, column in found.items() if code not in AMBIGUOUS_CODES}
    return found


def _not_languages(cells: Sequence[str]) -> tuple[str, ...]:
    """What looks like the code of a language and is none that is known here."""
    alike = (cell.strip() for cell in cells if _LIKE_A_CODE.fullmatch(cell.strip()))
    return tuple(cell for cell in alike if not language_code(cell) and cell.lower() not in NO_CODES)


def _refuse_doubled(cells: Sequence[str], file: str) -> None:
    """A header that names a language twice does not say which column is meant."""
    plain = [cell for cell in cells if language_code(cell) and not is_variety(cell)]
    keys = [language_code(cell) for cell in plain] + [
        _key(cell) for cell in cells if is_variety(cell)
    ]
    doubled = next((key for key in keys if keys.count(key) > 1), None)
    if doubled is not None and doubled not in AMBIGUOUS_CODES:
        raise TextError(
            f"{file} has two columns for {doubled}; rename or remove one, or name the columns to "
            "read."
        )


def _number(column: str | int) -> int | None:
    if isinstance(column, int):
        return column
    return int(column) if re.fullmatch("[0-9]{1,4}", column) else None


def _keys(cells: Sequence[str]) -> list[str]:
    return [_key(cell) for cell in cells]


def _key(cell: str) -> str:
    return " ".join(cell.casefold().split())
