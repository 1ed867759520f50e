"""What all benchmarks ask alike: `--toy` runs the whole of one in seconds, as the tests do."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any


def read_arguments(
    parser: argparse.ArgumentParser, words: Sequence[str] | None, **toy: Any
) -> argparse.Namespace:
    """Read the command line, or `words`; with `--toy`, what is not named is as in `toy`."""
    parser.add_argument(
        "--toy", action="store_true", help="run all of it in seconds; its figures mean nothing"
    )
    if parser.parse_args(words).toy:
        parser.set_defaults(**toy)
    return parser.parse_args(words)
