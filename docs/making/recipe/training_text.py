"""The training mix of `mini-en-zh`: named public parallel texts, cleaned the same way each time."""

from __future__ import annotations

import gzip
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from isogloss.errors import TextError

# Credits and licences of these files are in the model card.
TRAINING_FILES = (
    "tatoeba.en-zh.tsv.gz",
    "captions-3am.en-zh.tsv.gz",
    "dialogue-msctd.en-zh.tsv.gz",
    "wikipedia-mlqe.en-zh.tsv.gz",
    "python-docs.en-zh.tsv.gz",
    "libreoffice-help.en-zh.tsv.gz",
)
HELD_OUT_FILE = "EVAL-tatoeba-1000.en-zh.tsv.gz"
HELD_OUT_PAIRS = 1_000  # of the mix itself, for the masked-language loss

_ROLE = re.compile(r":[\w:+-]+:`[!~]?([^`<]*?)(?:\s*<[^`>]*>)?`")
_LITERAL = re.compile(r"`+!?~?([^`<]*?)(?:\s*<[^`>]*>)?`+_{0,2}")
_SPACES = re.compile(r"\s+")
_CHINESE = re.compile(r"[\u3400-\u9fff]")


@dataclass(frozen=True)
class TrainingText:
    """Cleaned (english, chinese) pairs: what is learned from, and what is only measured on."""

    train: tuple[tuple[str, str], ...]
    held_out: tuple[tuple[str, str], ...]
    tatoeba: tuple[tuple[str, str], ...]


def read_training_text(directory: Path, seed: int) -> TrainingText:
    """Read, clean and split the named files in `directory`; the test pairs never enter training."""
    tatoeba = tuple(_read_pairs(directory / HELD_OUT_FILE))
    forbidden = {side for pair in tatoeba for side in pair}
    pairs = {
        pair
        for name in TRAINING_FILES
        for pair in _read_pairs(directory / name)
        if _usable(*pair) and pair[0] not in forbidden and pair[1] not in forbidden
    }
    shuffled = sorted(pairs)
    random.Random(seed).shuffle(shuffled)
    return TrainingText(
        train=tuple(shuffled[HELD_OUT_PAIRS:]),
        held_out=tuple(shuffled[:HELD_OUT_PAIRS]),
        tatoeba=tatoeba,
    )


def read_held_out(
    directory: Path, seed: int
) -> tuple[tuple[tuple[str, str], ...], tuple[tuple[str, str], ...]]:
    """The Tatoeba test as it stands in its file, and the mix's held-out pairs."""
    tatoeba = tuple(_read_lines(directory / HELD_OUT_FILE))
    return tatoeba, read_training_text(directory, seed).held_out


def _read_pairs(path: Path) -> Iterator[tuple[str, str]]:
    """The pairs of a file, cleaned and in simplified characters."""
    from opencc import OpenCC

    simplify = OpenCC("t2s").convert
    for english, chinese in _read_lines(path):
        yield _clean(english), _clean(simplify(chinese))


def _read_lines(path: Path) -> Iterator[tuple[str, str]]:
    if not path.is_file():
        raise TextError(
            f"The training text {path.name} is not in {path.parent}; "
            "the model card names where each file comes from."
        )
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as lines:
        for line in lines:
            english, chinese = line.rstrip("\n").split("\t")
            yield english, chinese


def _clean(text: str) -> str:
    """Strip reStructuredText roles and literals, fold white space."""
    text = _ROLE.sub(r"\1", text)
    text = _LITERAL.sub(r"\1", text).replace("**", "").replace("\\", "")
    return _SPACES.sub(" ", text).strip()


def _usable(english: str, chinese: str) -> bool:
    """Keep pairs that are really bilingual and short enough for one sequence of 128 tokens."""
    return (
        2 <= len(english) <= 400
        and 1 <= len(chinese) <= 130
        and bool(_CHINESE.search(chinese))
        and not _CHINESE.search(english)
        and 0.5 <= len(english) / len(chinese) <= 12
    )
