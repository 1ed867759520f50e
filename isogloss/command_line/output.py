"""How the command line prints: a table for people, JSON for scripts, progress on a terminal."""

from __future__ import annotations

import json
import sys
import unicodedata
from argparse import ArgumentParser
from collections.abc import Mapping, Sequence
from typing import Any

from isogloss.activations import Progress
from isogloss.formatting import human_time


def add_json_option(parser: ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON for scripts")


def print_json(value: Any) -> None:
    print(json.dumps(value, ensure_ascii=False, indent=2))


def print_table(rows: Sequence[Mapping[str, Any]], empty: str) -> None:
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


def _columns(text: str) -> int:
    """Terminal columns: Chinese characters take two."""
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def print_progress(progress: Progress) -> None:
    """How far an extraction is."""
    print_bar(progress.share, progress.seconds_left)


def print_bar(share: float, seconds_left: float | None) -> None:
    """One line that renews itself on a terminal; silent elsewhere, so that logs stay short."""
    if not sys.stderr.isatty():
        return
    filled = round(share * 30)
    left = "" if seconds_left is None else f"{human_time(seconds_left)} left"
    bar = "█" * filled + "░" * (30 - filled)
    end = "\n" if share >= 1 else ""
    print(f"\r{bar} {share:4.0%}  {left:14}", end=end, file=sys.stderr, flush=True)
