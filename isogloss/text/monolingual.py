"""Text of one language, and held-out text of several, from any file: what a model is adapted on.

A source is the name of a bundled text, a file of parallel text (the column of the language is
taken), a file of labelled pairs (premises and hypotheses), or plain text, one sentence per line.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from isogloss.errors import TextError
from isogloss.text.nli import LABELS, read_nli_file
from isogloss.text.parallel import ParallelText
from isogloss.text.readers.decoding import decode_file
from isogloss.text.readers.files import load_file
from isogloss.text.readers.languages import (
    known_tags,
    language_by_script,
    language_code,
    languages_in_name,
)
from isogloss.text.readers.rows import TextFile, split_lines
from isogloss.text.readers.sniffing import find_format
from isogloss.text.reading import BUNDLED_NAMES, LIMITS, bundled_texts, load_bundled, read_files

BUNDLED_SENTENCES = ("everyday.en-zh", "news.en-zh", "everyday.en-nl")
BUNDLED_LANGUAGES = ("zh", "en", "nl")
LARGEST_HELD_OUT_SHARE = 0.2
FEWEST_SENTENCES = 5


@dataclass(frozen=True)
class Sizes:
    """How many sentences each part gets at most; `multilingual` counts all languages together."""

    train: int
    validation: int
    test: int
    multilingual: int


@dataclass(frozen=True)
class AdaptationText:
    """Sentences to learn from, to choose the step by and to test on; no sentence is in two parts.

    `multilingual` has as many sentences of each language.
    """

    language: str
    train: tuple[str, ...]
    validation: tuple[str, ...]
    test: tuple[str, ...]
    multilingual: Mapping[str, tuple[str, ...]]

    @cached_property
    def content_hashes(self) -> dict[str, str]:
        """SHA-256 of each part's text."""
        parts = {
            "train": self.train,
            "validation": self.validation,
            "test": self.test,
            "multilingual": dict(self.multilingual),
        }
        return {name: _hash(part) for name, part in parts.items()}


def read_adaptation_text(
    language: str,
    sources: Sequence[str],
    multilingual: Sequence[str],
    sizes: Sizes,
    seed: int,
) -> AdaptationText:
    """Read the sources and split them; without any, the bundled ones are taken.

    The multilingual set is drawn first, then validation and test, at most a fifth each of what
    there is (all of it for a multilingual set of its own); the rest is learned from.
    """
    code = language_code(language) or language.strip()
    sources = sources or bundled_sources(code)
    known = code in BUNDLED_LANGUAGES
    multilingual = multilingual or (bundled_sources(code) if known else BUNDLED_SENTENCES)
    share = LARGEST_HELD_OUT_SHARE if set(sources) & set(multilingual) else 1.0
    shared = _held_out(multilingual, sizes.multilingual, share, seed)
    taken = {sentence for sentences in shared.values() for sentence in sentences}
    found: dict[str, None] = {}
    for source in sources:
        by_language = read_source(source, code)
        if code not in by_language:
            raise TextError(
                f"{Path(source).name} has text in {known_tags(by_language)} but none in {code}; "
                "choose another file or another language."
            )
        found |= dict.fromkeys(by_language[code])
    own = [sentence for sentence in found if sentence not in taken]
    if len(own) < FEWEST_SENTENCES:
        raise TextError(
            f"There are {len(own)} different sentences in {code} to learn from; give at least "
            f"{FEWEST_SENTENCES}."
        )
    order = np.random.default_rng((seed, 0)).permutation(len(own))
    most = max(1, int(len(own) * LARGEST_HELD_OUT_SHARE))
    n_validation, n_test = min(sizes.validation, most), min(sizes.test, most)
    parts = np.split(order, [n_validation, n_validation + n_test])
    validation, test, train = (tuple(own[index] for index in part) for part in parts)
    return AdaptationText(code, train[: sizes.train], validation, test, shared)


def bundled_sources(language: str) -> tuple[str, ...]:
    """The bundled texts of sentences that have this language."""
    found = tuple(
        text.name
        for text in bundled_texts()
        if text.name in BUNDLED_SENTENCES and language in text.languages
    )
    if not found:
        raise TextError(
            f"No text in {language} comes with Isogloss: give a file with sentences in it."
        )
    return found


def read_source(source: str, language: str | None = None) -> dict[str, tuple[str, ...]]:
    """The sentences of a source by language; `language` is that of a plain text."""
    if source in BUNDLED_NAMES:
        return _sides(load_bundled(source))
    file = decode_file(load_file(source, LIMITS.bytes), None, keep_undecodable=False)
    if not file.text.strip():
        raise TextError(f"{file.name} is empty; give it one sentence per line.")
    if _is_labelled_pairs(file):
        sets = read_nli_file(source)
        return {code: _usable([*each.premises, *each.hypotheses]) for code, each in sets.items()}
    if _is_parallel(file):
        return _sides(read_files(source, skip_bad_rows=True).text)
    lines = list(split_lines(file.text))
    code = language or next(iter(languages_in_name(file.name)), None) or language_by_script(lines)
    if code is None:
        raise TextError(
            f"{file.name} does not tell which language it is in; call it text.zh.txt or the like."
        )
    return {code: _usable(lines)}


def _held_out(
    sources: Sequence[str], size: int, share: float, seed: int
) -> dict[str, tuple[str, ...]]:
    """As many sentences of each language, `size` in all, and at most a share of what there is."""
    found: dict[str, dict[str, None]] = {}
    for source in sources:
        for code, sentences in read_source(source).items():
            found.setdefault(code, {}).update(dict.fromkeys(sentences))
    fewest = min(len(sentences) for sentences in found.values())
    if not fewest:
        empty = known_tags(code for code, sentences in found.items() if not sentences)
        raise TextError(
            f"There is no sentence in {empty} in {', '.join(sources)}; give another file to see by "
            "what is forgotten."
        )
    each = max(1, min(size // len(found), int(fewest * share)))
    drawn = {}
    for number, (code, unique) in enumerate(found.items()):
        known = list(unique)
        order = np.random.default_rng((seed, 1, number)).permutation(len(known))[:each]
        drawn[code] = tuple(known[index] for index in order)
    return drawn


def _sides(text: ParallelText) -> dict[str, tuple[str, ...]]:
    return dict(zip(text.languages, map(_usable, text.sides), strict=True))


def _usable(sentences: Sequence[str]) -> tuple[str, ...]:
    """What has a letter or a digit, without the white space around it."""
    stripped = (sentence.strip() for sentence in sentences)
    return tuple(sentence for sentence in stripped if any(map(str.isalnum, sentence)))


def _is_labelled_pairs(file: TextFile) -> bool:
    """Whether the first line has the label of a pair, or names a premise."""
    first = next(line for line in split_lines(file.text) if line.strip())
    cells = {cell.strip().lower() for cell in first.split("\t")}
    named = cells & {*LABELS, "premise", "sentence1"}
    return bool(named) or ('"gold_label"' in first and first.lstrip().startswith("{"))


def _is_parallel(file: TextFile) -> bool:
    if Path(file.name).suffix.lower() == ".txt":
        return False
    try:
        find_format([file])
    except TextError:
        return False
    return True


def _hash(value: object) -> str:
    return hashlib.sha256(json.dumps(value).encode("ascii")).hexdigest()
