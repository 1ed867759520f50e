"""Which tokens begin a word, and which language a token belongs to.

A word's probability is that of its first tokens: whatever token is the word or a proper prefix of
it, with and without a space before it and a capital, and the first token that the model's own
tokenizer makes of it, where that is part of a character. Never bare white space, which any word may
follow. A token that words of two languages share belongs to neither.
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np

from isogloss.models.guessing import Guesser

SCRIPTS = ("Latin", "Chinese characters", "Kana", "Cyrillic", "other")


class FirstTokens:
    """Looks up which tokens of a model begin a word."""

    def __init__(self, guesser: Guesser) -> None:
        self._tokenizer = guesser.model.tokenizer
        self._ids: dict[str, list[int]] = defaultdict(list)
        for index, text in enumerate(guesser.vocabulary):
            # A piece that only goes on, such as ##ing, begins nothing.
            if text.strip() and not text.startswith("##"):
                self._ids[text].append(index)

    def of(self, word: str) -> frozenset[int]:
        """The tokens that begin a word."""
        found: set[int] = set()
        for form in {word, word[:1].upper() + word[1:], word.casefold()}:
            for start in ("", " "):
                for end in range(1, len(form) + 1):
                    found.update(self._ids.get(start + form[:end], ()))
                ids = self._tokenizer(start + form, add_special_tokens=False).input_ids
                if ids and "\ufffd" in self._tokenizer.decode([ids[0]]):
                    found.add(ids[0])
        return frozenset(found)

    def by_language(self, words: Mapping[str, str]) -> dict[str, np.ndarray]:
        """For each language the tokens of its word that no other language's word begins with."""
        sets = {language: self.of(word) for language, word in words.items()}
        return {
            language: np.array(
                sorted(own.difference(*(each for name, each in sets.items() if name != language))),
                np.int64,
            )
            for language, own in sets.items()
        }


def script_of(text: str) -> int:
    """The number of the script in SCRIPTS of a token's letters, -1 where it has none or several."""
    found = {_script(letter) for letter in text if letter.isalpha()}
    if found == {1, 2}:  # Japanese writes both
        return 2
    return found.pop() if len(found) == 1 else -1


@cache
def _script(letter: str) -> int:
    name = unicodedata.name(letter, "")
    starts = (("LATIN",), ("CJK",), ("HIRAGANA", "KATAKANA"), ("CYRILLIC",))
    return next((i for i, each in enumerate(starts) if name.startswith(each)), 4)


def members(kinds: np.ndarray, count: int, width: int) -> np.ndarray:
    """For tokens of kinds 0 to `count` - 1 (-1 for none) a matrix (width, count), 1 where it is."""
    found = np.zeros((width, count), np.float32)
    known = np.flatnonzero(kinds >= 0)
    found[known, kinds[known]] = 1
    return found


def scripts_of(vocabulary: Sequence[str]) -> np.ndarray:
    """The script of every token, (tokens,)."""
    return np.array([script_of(text) for text in vocabulary], np.int8)
