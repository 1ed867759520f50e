"""Treebanks: sentences whose words are tagged, by language and split, as UD names their files.

A directory holds files such as en_ewt-train.conllu and zh_gsdsimp-test.conllu (also gzipped, also
with `-ud-` in the name), and .iob2 files where words are marked with entities.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Literal

from isogloss.errors import TreebankError
from isogloss.text.readers.decoding import decode_file
from isogloss.text.readers.files import load_file, plain_name
from isogloss.text.readers.languages import language_code
from isogloss.text.readers.tagged_words import TaggedSentence, read_conllu, read_iob2
from isogloss.text.reading import LIMITS

BUNDLED_DIRECTORY = Path(__file__).parents[1] / "bundled" / "treebanks"
Ending = Literal["conllu", "iob2"]
SPLITS = ("train", "dev", "test")


@dataclass(frozen=True)
class Treebank:
    """The tagged sentences of a file; `name` is for people."""

    name: str
    language: str
    sentences: tuple[TaggedSentence, ...]

    def __len__(self) -> int:
        return len(self.sentences)

    @property
    def words(self) -> int:
        return sum(map(len, self.sentences))

    @property
    def has_trees(self) -> bool:
        return all(sentence.heads for sentence in self.sentences)

    @cached_property
    def content_hash(self) -> str:
        """SHA-256 in hexadecimal over everything but the name."""
        content = [[s.text, s.words, s.tags, s.heads, s.relations] for s in self.sentences]
        encoded = json.dumps([self.language, content], separators=(",", ":")).encode("ascii")
        return hashlib.sha256(encoded).hexdigest()

    def sample(self, size: int | None) -> Treebank:
        """So many sentences drawn at random, always the same and in their order; None for all."""
        if size is None or size >= len(self):
            return self
        chosen = sorted(random.Random(0).sample(range(len(self)), size))
        return Treebank(self.name, self.language, tuple(self.sentences[i] for i in chosen))


def read_treebank(path: str | PathLike[str]) -> Treebank:
    """The treebank in a file; what it is called tells its language and whether it is IOB2."""
    name = plain_name(Path(path).name)
    code = language_code(name.partition("_")[0])
    if code is None:
        raise TreebankError(
            f"{name} does not tell which language it is in; give it a name such as "
            "zh_mine-test.conllu."
        )
    file = decode_file(load_file(path, LIMITS.bytes))
    found = read_iob2(file, code) if name.endswith(".iob2") else read_conllu(file)
    if not found:
        raise TreebankError(f"{file.name} holds no sentence; give it at least one.")
    return Treebank(name, code, tuple(found))


def find_treebanks(data: str, language: str, ending: Ending) -> Mapping[str, Path]:
    """The files of a language by split; `data` is "bundled" or a directory."""
    directory = BUNDLED_DIRECTORY if data == "bundled" else Path(data)
    if not directory.is_dir():
        raise TreebankError(
            f"{data} is no directory of treebanks; give one that holds files such as "
            f"{language}_mine-train.{ending}, or choose bundled."
        )
    found: dict[str, Path] = {}
    for path in sorted(directory.iterdir()):
        stem, _, end = plain_name(path.name).rpartition(".")
        split = stem.rpartition("-")[2]
        if (
            end != ending
            or split not in SPLITS
            or language_code(stem.partition("_")[0]) != language
        ):
            continue
        if split in found:
            raise TreebankError(
                f"{directory} has two {split} sets in {language}, {found[split].name} and "
                f"{path.name}; leave one."
            )
        found[split] = path
    return found
