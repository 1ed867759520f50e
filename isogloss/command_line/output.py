"""How the command line prints: a table for people, JSON for scripts, progress on a terminal."""

from __future__ import annotations

import csv
import json
import math
import sys
import unicodedata
from argparse import Namespace
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from isogloss.formatting import human_size, human_time, percent, spreadsheet_rows
from isogloss.store import Entry
from isogloss.studies.study import says_cut
from isogloss.tasks import OnProgress, TimeLeft


def print_found(
    options: Namespace,
    document: Any,
    said: str | Callable[[], None],
    rows: Callable[[], Sequence[Mapping[str, Any]]] | None = None,
) -> int:
    """What a command found: a document for scripts, rows for a spreadsheet, or told to people."""
    if options.json:
        print_json(document() if callable(document) else document)
    elif rows and options.csv:
        print_csv(rows())
    elif callable(said):
        said()
    else:
        print(said)
    return 0


def print_json(value: Any) -> None:
    """One document, the only thing on standard output; what is no number is null."""
    print(json.dumps(_with_nulls(value), ensure_ascii=False, indent=2, allow_nan=False))


def _with_nulls(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _with_nulls(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_with_nulls(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def tell(sentence: str, *, as_json: bool = False) -> None:
    """Tell a person; beside a document for scripts, on standard error."""
    print(sentence, file=sys.stderr if as_json else sys.stdout, flush=True)


def print_csv(rows: Sequence[Mapping[str, Any]]) -> None:
    """Rows for a spreadsheet; columns that a row does not have are empty."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    csv.writer(sys.stdout, lineterminator="\n").writerows(spreadsheet_rows(rows, names))


def print_table(rows: Sequence[Mapping[str, Any]], empty: str = "") -> None:
    """Columns as wide as their widest cell; `empty` is said where there is nothing to show."""
    if not rows:
        print(empty)
        return
    names = list(rows[0])
    table = [names, *([str(row[name]) for name in names] for row in rows)]
    widths = [max(_columns(line[i]) for line in table) for i in range(len(names))]
    for line in table:
        cells = (
            cell + " " * (width - _columns(cell)) for cell, width in zip(line, widths, strict=True)
        )
        print("  ".join(cells).rstrip())


def print_study(entry: Entry, how: str, *, as_json: bool) -> None:
    """Say what a study holds and how it came about."""
    facts, size = entry.facts, entry.size_bytes
    if as_json:
        print_json(
            {
                "key": entry.key,
                "study": entry.description,
                "pairs": facts["pairs"],
                "tokens": facts["tokens"],
                "layers": facts["n_layers"],
                "sentences_cut": facts.get("truncated_sentences", 0),
                "bytes": size,
                "how": how,
            }
        )
        return
    print(
        f"{entry.description}: {facts['pairs']} pairs, {facts['tokens']} tokens, "
        f"{facts['n_layers']} layers, {human_size(size)}, {how}.\n"
        f"Entry {entry.key}; `make run` shows it."
    )
    if pools := facts.get("pools"):
        print(f"For a sentence its makers take {pools}; here every token's states are kept.")
    if cut := says_cut(entry):
        print(cut)


def _columns(text: str) -> int:
    """Terminal columns: Chinese characters take two."""
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def print_size(size: int) -> None:
    """How much an extraction is going to write, before it does."""
    print(f"{human_size(size)} of states will be stored.", file=sys.stderr, flush=True)


def progress_bar() -> OnProgress:
    """A bar for work that says how far it is."""
    left = TimeLeft()
    return lambda share, message: print_bar(share, left.update(share))


def print_bar(share: float, seconds_left: float | None) -> None:
    """One line that renews itself on a terminal; silent elsewhere, so that logs stay short."""
    if not sys.stderr.isatty():
        return
    filled = round(share * 30)
    left = "" if seconds_left is None else f"{human_time(seconds_left)} left"
    bar = "█" * filled + "░" * (30 - filled)
    end = "\n" if share >= 1 else ""
    print(f"\r{bar} {percent(share, 0):>5}  {left:14}", end=end, file=sys.stderr, flush=True)
