"""Remake the English–Chinese lexicon: `python -m docs.making.lexicon --text DIR`.

`--text` holds the parallel files named in the lexicon's README. Links are learned from the text
alone by the aligner that the lexicon is for. The text is read four times, its Chinese cut into
words and into characters, in simplified and in traditional writing, so that the lexicon serves
studies of either unit and either writing, and knows the characters of words it does not know.
"""

from __future__ import annotations

import argparse
import gzip
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from docs.making.recipe.training_text import read_training_text
from isogloss.links.lexicons import bundled_path
from isogloss.links.statistical_aligner import count_links
from isogloss.text.words import Unit, segment

# Links expected less often than this are more often wrong than right.
FEWEST_LINKS = 1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, prog="python -m docs.making.lexicon")
    parser.add_argument("--text", type=Path, required=True, help="directory of the parallel files")
    parser.add_argument("--output", type=Path, default=bundled_path("en", "zh"))
    arguments = parser.parse_args()
    pairs = read_training_text(arguments.text, seed=0).train
    english = [[word.text for word in segment(pair[0], "en")] for pair in pairs]
    counts: Counter[tuple[str, str]] = Counter()
    for chinese in _readings([pair[1] for pair in pairs]):
        counts.update(count_links(english, chinese, _show))
    write_lexicon(counts, arguments.output)


def _readings(sentences: list[str]) -> Iterator[list[list[str]]]:
    """Yield the words or characters of Chinese sentences in each way of writing."""
    from opencc import OpenCC

    writings: tuple[Callable[[str], str], ...] = (str, OpenCC("s2t").convert)
    units: tuple[Unit, ...] = ("word", "character")
    for write in writings:
        for unit in units:
            yield [
                [word.text for word in segment(write(sentence), "zh", unit)]
                for sentence in sentences
            ]


def write_lexicon(counts: Counter[tuple[str, str]], path: Path) -> None:
    """Write the counts that are large enough, rounded, the same bytes for the same counts."""
    rows = [
        f"{english}\t{chinese}\t{round(count)}"
        for (english, chinese), count in sorted(counts.items())
        if count >= FEWEST_LINKS
    ]
    text = "\n".join(["en\tzh\tlinks", *rows]) + "\n"
    path.write_bytes(gzip.compress(text.encode(), mtime=0))
    print(f"{path.name}: {len(rows)} counts, {path.stat().st_size / 1e6:.1f} MB")


def _show(done: int, total: int, message: str) -> None:
    print(message, flush=True)


if __name__ == "__main__":
    main()
