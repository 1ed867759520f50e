"""Which words say what a sentence is about, told without a dictionary and for any language.

In every language the most frequent words are short, and most of them are words of grammar
(Zipf 1935). So a content word here is one that has a letter and no apostrophe, is no shorter than
the average distinct word of its language, and is not among the often repeated. Some grammar passes
("because"), and some content does not ("oil"); to choose which words to show, that will do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

MOST_OFTEN = 2.0
"""A word that comes this many times as often as the average one is taken for grammar."""


def find_content_words(texts: Sequence[str], sides: Sequence[int]) -> list[bool]:
    """Tell for each word, `sides` naming its language, whether it is likely to carry content."""
    chosen: set[tuple[int, str]] = set()
    for side in set(sides):
        words = [t.casefold() for t, own in zip(texts, sides, strict=True) if own == side]
        counts = Counter(word for word in words if _may_carry_content(word))
        if not counts:
            continue
        length = sum(map(len, counts)) / len(counts)
        most = MOST_OFTEN * sum(counts.values()) / len(counts)
        chosen |= {(side, w) for w, n in counts.items() if len(w) >= length and n < most}
    return [(side, t.casefold()) in chosen for t, side in zip(texts, sides, strict=True)]


def _may_carry_content(word: str) -> bool:
    return any(map(str.isalpha, word)) and not any(mark in word for mark in "'’")
