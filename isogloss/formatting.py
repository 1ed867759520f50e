"""Sizes, counts, times and shares as people say them, and cells as spreadsheets take them."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, SupportsFloat

Row = dict[str, Any]
"""A row of a table: what its columns are called, and what stands in them."""

_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_UNITS |= {f"{letter}I": 2 ** (10 * power) for power, letter in enumerate("KMGT", start=1)}


def human_size(size: float) -> str:
    """Bytes as people say them: 999 B, 1.2 MB."""
    for unit in ("B", "kB", "MB", "GB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} TB"


def parse_size(text: str) -> int:
    """The number of bytes in a text such as `20GB` (10^9), `1.5 GiB` (2^30) or `4096`."""
    match = re.fullmatch(
        r"(\d{1,18}(?:\.\d{1,18})?)\s*([KMGT]?I?)B?", text.strip().upper(), re.ASCII
    )
    if match is None or match[2] not in _UNITS:
        raise ValueError(
            f"{shorten(text)!r} is not a size: write for example 500MB, 20GB or 1.5TiB."
        )
    return round(float(match[1]) * _UNITS[match[2]])


def human_count(count: int) -> str:
    """A large number as people say it: 999, 31 k, 1.6 M."""
    if count < 1000:
        return str(count)
    if count < 999_500:
        return f"{count / 1000:.0f} k"
    return f"{count / 1_000_000:.1f} M"


def human_time(seconds: float) -> str:
    """Seconds as people say them: 40 s, 3 min, 2 h 5 min."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"


def percent(share: float, digits: int = 1) -> str:
    """A share in per cent, 45.1 %, with a space that does not break; a dash for NaN."""
    return "–" if share != share else f"{100 * share:.{digits}f}\u00a0%".replace("-", "−")


def points(share: float) -> str:
    """A difference of shares in percentage points: 3.1, −0.4."""
    return f"{100 * share:.1f}".replace("-0.0", "0.0").replace("-", "−")


def number(value: SupportsFloat) -> float | None:
    """A number for a table; None, which JSON has, for NaN, which it has not."""
    return None if value != value else float(value)


def change(reduction: float) -> str:
    """A reduction as the change it is: 0.34 is −34 %; a dash for NaN."""
    if reduction != reduction:
        return "–"
    whole = round(-100 * reduction)
    return f"{whole:+d}\u00a0%".replace("-", "−") if whole else "0\u00a0%"


def listed(words: Sequence[str]) -> str:
    """Words as a sentence lists them: a, b and c."""
    return f"{', '.join(words[:-1])} and {words[-1]}" if len(words) > 1 else "".join(words)


def shorten(text: str, most: int = 40) -> str:
    """At most so many characters of somebody's text, with an ellipsis where it is cut."""
    return text if len(text) <= most else text[: most - 1] + "…"


def begins_like_a_formula(text: str) -> bool:
    """Whether a spreadsheet would compute a cell of CSV, and not show it, when it opens the file.

    https://owasp.org/www-community/attacks/CSV_Injection
    """
    return text.startswith(("=", "+", "-", "@", "\t", "\r"))


def spreadsheet_cell(value: Any) -> Any:
    """A cell for CSV: text that begins like a formula gets an apostrophe, numbers stay numbers."""
    return f"'{value}" if isinstance(value, str) and begins_like_a_formula(value) else value


def spreadsheet_rows(
    rows: Sequence[Mapping[str, Any]], names: Sequence[str]
) -> Iterator[list[Any]]:
    """The header and the cells of rows for CSV; a column that a row does not have is empty."""
    yield list(map(spreadsheet_cell, names))
    for row in rows:
        yield [spreadsheet_cell(row.get(name, "")) for name in names]
