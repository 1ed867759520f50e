"""Own vectors changed at random, brought in: each must become a study or be refused in a sentence.

    python -m benchmarks.hostile 3500 --seed 1

Prints how many there were, how they ended and how much memory it took; fails where one ended in
anything but a sentence.
"""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from benchmarks.arguments import read_arguments
from tests.helpers.hostile import bring_in, mutations


def main(words: Sequence[str] | None = None) -> int:
    """Bring in as many as are asked for and say how they ended."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("count", type=int, nargs="?", default=1_000, help="how many to bring in")
    parser.add_argument("--seed", type=int, default=0)
    options = read_arguments(parser, words, count=30)
    ends: Counter[str] = Counter()
    for files in mutations(options.seed, options.count):
        with tempfile.TemporaryDirectory() as folder:
            ends[_end(Path(folder), files)] += 1
    print(f"{options.count:,} changed pairs of files: {ends['taken']:,} taken, ", end="")
    print(f"{ends['refused']:,} refused in a sentence, {ends['traceback']:,} tracebacks")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1000
    print(f"at most {peak:,} MB of memory")
    return 1 if ends["traceback"] else 0


def _end(directory: Path, files: dict[str, bytes]) -> str:
    try:
        said = bring_in(directory, files)
    except Exception:  # what is looked for
        traceback.print_exc()
        return "traceback"
    if said is not None and ("\n" in said or len(said) > 600 or not said.endswith(".")):
        print(f"This is no clear sentence: {said!r}", file=sys.stderr)
        return "traceback"
    return "taken" if said is None else "refused"


if __name__ == "__main__":
    sys.exit(main())
