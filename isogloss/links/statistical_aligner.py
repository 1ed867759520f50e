r"""Which words translate which, learned from how often they meet: no model and no layer takes part.

Two IBM models, one in each direction, that learn to agree. Let $e_1 \dots e_m$ be a source sentence
and $f_1 \dots f_n$ its translation. Every target word comes from one source word, or from nothing:

$$p(i \mid j) \propto (1 - p_0) \, d(i \mid j) \, t(f_j \mid e_i), \qquad
  p(\text{nothing} \mid j) \propto p_0 \, b(f_j)$$

$d(i \mid j) \propto \exp(-\lambda \, |i/m - j/n|)$ prefers words at about the same place (Dyer et
al. 2013, fast_align), and b(f) is the share of f among the words that have no counterpart. The
other direction gives p(j | i) likewise. A round adds up the geometric mean of p(i | j) and p(j | i)
over the text, so that a link counts as far as both directions believe in it (Liang et al. 2006
take the product), and makes both tables from these counts, with those of a lexicon added:

$$t(f \mid e) = \frac{c(e, f) + \alpha \, b(f)}{\sum_{f'} c(e, f') + \alpha}$$

After the last round, words are linked whose arithmetic mean of p(i | j) and p(j | i) is above ½.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from isogloss.errors import IsoglossError
from isogloss.links.aligners import Links
from isogloss.links.lexicons import NOTHING, Lexicon, plain_form
from isogloss.measures.stacks import Array

ROUNDS = 7
FROM_NOTHING = 0.3  # p_0
NEARNESS = 1.0  # lambda
SMOOTHING = 3.0  # alpha
BELIEVED = 0.5
FEWEST_PAIRS_ALONE = 2_000
"""From so many pairs on, a text teaches the aligner enough without a lexicon: against hand-made
links the error falls from .49 with 72 pairs over .38 with 1,000 to .31 with 2,000 and .25 with
4,000 (precision .75 and .79). With the English–Chinese lexicon, from one pair on, it is .10 on
everyday text, .26 on news and .38 on a third party's news (bundled/texts/ALIGNMENT.md)."""
# Names, numbers and marks that are the same on both sides count as seen together this often.
SAME_WORD = 1.0

# How many possible links are worked on at once, and how many are learned from at once: 8 and 4
# bytes each. A text with more than the latter has millions of words and is learned in portions.
BLOCK = 1_000_000
PORTION = 100_000_000

Words = Sequence[Sequence[str]]
Reach = Callable[[int, int, str], None]


def align_text(
    source: Words,
    target: Words,
    lexicon: Lexicon | None = None,
    reach: Reach = lambda done, total, message: None,
) -> tuple[Links, ...]:
    """Return the links (source word, target word), counted from 0, of every sentence pair.

    `source[k]` and `target[k]` are the words of pair k; a side may be empty. The lexicon goes from
    the source's language to the target's. `reach` is told before each round how many rounds are
    done, of how many, and what is being done, like `Steps.reach`; it may raise to end the work.
    """
    links: list[Links] = [frozenset()] * len(source)
    for text, tables in _learn(source, target, lexicon, reach):
        for block in text.blocks:
            forward, backward = _probabilities(block, tables)
            believed = (forward + backward) / 2 > BELIEVED
            for pair, cells in zip(block.pairs, believed, strict=True):
                links[pair] = frozenset((int(i), int(j)) for i, j in np.argwhere(cells))
    return tuple(links)


def count_links(
    source: Words,
    target: Words,
    reach: Reach = lambda done, total, message: None,
) -> Counter[tuple[str, str]]:
    """Return how many links of two words are expected in a text, by their plain forms.

    A word's expected occurrences without a link are counted under its pair with NOTHING. Lexicons
    are made of this.
    """
    totals: Counter[tuple[str, str]] = Counter()
    for text, tables in _learn(source, target, None, reach):
        counts = _expected_links(text, tables)
        unlinked = [
            np.maximum(occurrences - linked, 0)
            for occurrences, linked in zip(text.occurrences, _sums(text, counts), strict=True)
        ]
        words = text.words
        for i, j, count in zip(text.source.tolist(), text.target.tolist(), counts, strict=True):
            totals[words[0][i], words[1][j]] += count
        for word, count in zip(words[0], unlinked[0], strict=True):
            totals[word, NOTHING] += count
        for word, count in zip(words[1], unlinked[1], strict=True):
            totals[NOTHING, word] += count
    return totals


@dataclass(frozen=True)
class _Block:
    """k sentence pairs of m source and n target words each.

    `source` (k, m) and `target` (k, n) are word numbers. `meetings` (u,) numbers the distinct pairs
    of words that meet here among those of the text; `place` (k, m, n) points into it.
    """

    pairs: list[int]
    source: Array
    target: Array
    meetings: Array
    place: Array


@dataclass(frozen=True)
class _Text:
    """A text in numbers: its words, how often each occurs, and which ones meet in some pair.

    `source` (u,) and `target` (u,) are the two words of each of the u meetings.
    """

    words: tuple[list[str], list[str]]
    occurrences: tuple[Array, Array]
    source: Array
    target: Array
    blocks: list[_Block]


@dataclass(frozen=True)
class _Prior:
    """What is known beforehand: counts of meetings, of words linked, and the shares b of words."""

    counts: Array
    linked: tuple[Array, Array]
    background: tuple[Array, ...]


@dataclass(frozen=True)
class _Tables:
    """t(f | e) and t(e | f) of every meeting (u,), and b of source and target words."""

    forward: Array
    backward: Array
    background: tuple[Array, ...]


def _learn(
    source: Words, target: Words, lexicon: Lexicon | None, reach: Reach
) -> Iterator[tuple[_Text, _Tables]]:
    """Yield each portion of the text with the tables learned from it."""
    if len(source) != len(target):
        raise IsoglossError(
            f"There are {len(source)} source and {len(target)} target sentences to align; "
            "give one translation for each."
        )
    portions = _portions(source, target)
    for number, pairs in enumerate(portions):
        text = _read(source, target, pairs)
        prior = _prior(text, lexicon)
        counts = np.zeros(len(text.source))
        for round_ in range(ROUNDS):
            done, total = number * ROUNDS + round_, len(portions) * ROUNDS
            reach(done, total, f"aligning words, round {done + 1} of {total}")
            counts = _expected_links(text, _tables(text, prior, counts))
        yield text, _tables(text, prior, counts)


def _portions(source: Words, target: Words) -> list[list[int]]:
    """Return the numbers of the pairs that have words on both sides, in portions."""
    portions: list[list[int]] = []
    room = 0
    for pair, (one, other) in enumerate(zip(source, target, strict=True)):
        if not one or not other:
            continue
        if room <= 0:
            portions.append([])
            room = PORTION
        portions[-1].append(pair)
        room -= len(one) * len(other)
    return portions


def _read(source: Words, target: Words, pairs: list[int]) -> _Text:
    """Number the words and gather pairs of one shape into blocks."""
    vocabularies: tuple[dict[str, int], dict[str, int]] = ({}, {})
    numbered: list[dict[int, Array]] = [
        {
            pair: np.array([words.setdefault(plain_form(w), len(words)) for w in side[pair]])
            for pair in pairs
        }
        for words, side in zip(vocabularies, (source, target), strict=True)
    ]
    n_target = len(vocabularies[1])
    shapes: dict[tuple[int, int], list[int]] = defaultdict(list)
    for pair in pairs:
        shapes[len(source[pair]), len(target[pair])].append(pair)
    blocks, found = [], []
    for (m, n), members in shapes.items():
        size = max(1, BLOCK // (m * n))
        for start in range(0, len(members), size):
            chosen = members[start : start + size]
            ones, others = (np.stack([side[pair] for pair in chosen]) for side in numbered)
            keys, place = np.unique(
                ones[:, :, None] * n_target + others[:, None, :], return_inverse=True
            )
            found.append(keys)
            blocks.append((chosen, ones, others, place.reshape(-1, m, n).astype(np.int32)))
    meetings = np.unique(np.concatenate(found))
    return _Text(
        words=(list(vocabularies[0]), list(vocabularies[1])),
        occurrences=(_occurrences(numbered[0]), _occurrences(numbered[1])),
        source=meetings // n_target,
        target=meetings % n_target,
        blocks=[
            _Block(chosen, ones, others, np.searchsorted(meetings, keys), place)
            for (chosen, ones, others, place), keys in zip(blocks, found, strict=True)
        ],
    )


def _occurrences(side: dict[int, Array]) -> Array:
    """How often each word number occurs on a side."""
    return np.bincount(np.concatenate(list(side.values())))


def _prior(text: _Text, lexicon: Lexicon | None) -> _Prior:
    """Count what the lexicon knows of the text's words, and words that are the same."""
    number = {word: j for j, word in enumerate(text.words[1])}
    same = np.array([number.get(word, -1) for word in text.words[0]])
    counts = np.where(same[text.source] == text.target, SAME_WORD, 0.0)
    linked = _sums(text, counts)
    if lexicon is None:
        return _Prior(counts, linked, tuple(seen / seen.sum() for seen in text.occurrences))
    known = lexicon.look_up(*text.words)
    return _Prior(
        counts=counts + known.links[text.source, text.target],
        linked=(linked[0] + known.linked[0], linked[1] + known.linked[1]),
        background=tuple(
            (seen + unlinked) / (seen.sum() + in_all)
            for seen, unlinked, in_all in zip(
                text.occurrences, known.unlinked, known.all_unlinked, strict=True
            )
        ),
    )


def _tables(text: _Text, prior: _Prior, counts: Array) -> _Tables:
    """Turn counts of meetings (u,) into both directions' probabilities."""
    linked = _sums(text, counts)
    joint = counts + prior.counts
    b_source, b_target = prior.background
    forward = joint + SMOOTHING * b_target[text.target]
    backward = joint + SMOOTHING * b_source[text.source]
    forward /= (linked[0] + prior.linked[0] + SMOOTHING)[text.source]
    backward /= (linked[1] + prior.linked[1] + SMOOTHING)[text.target]
    return _Tables(forward, backward, prior.background)


def _expected_links(text: _Text, tables: _Tables) -> Array:
    """Return the expected number of links of each meeting (u,)."""
    counts = np.zeros(len(text.source))
    for block in text.blocks:
        forward, backward = _probabilities(block, tables)
        agreed = np.sqrt(forward * backward)
        counts[block.meetings] += np.bincount(block.place.ravel(), agreed.ravel())
    return counts


def _probabilities(block: _Block, tables: _Tables) -> tuple[Array, Array]:
    """Return p(i | j) and p(j | i) of a block, (k, m, n) each; the rest to 1 is nothing's."""
    _, m, n = block.place.shape
    near = _nearness(m, n)
    b_source, b_target = tables.background
    forward = tables.forward[block.meetings][block.place]
    forward *= (1 - FROM_NOTHING) * near / near.sum(0)
    forward /= forward.sum(1, keepdims=True) + FROM_NOTHING * b_target[block.target][:, None, :]
    backward = tables.backward[block.meetings][block.place]
    backward *= (1 - FROM_NOTHING) * near / near.sum(1, keepdims=True)
    backward /= backward.sum(2, keepdims=True) + FROM_NOTHING * b_source[block.source][:, :, None]
    return forward, backward


def _nearness(m: int, n: int) -> Array:
    """Return exp(-lambda |distance|) of all places (m, n), measured at the middle of each word."""
    return np.exp(-NEARNESS * np.abs((np.arange(m)[:, None] + 0.5) / m - (np.arange(n) + 0.5) / n))


def _sums(text: _Text, counts: Array) -> tuple[Array, Array]:
    """Return the counts of meetings (u,) summed by source word and by target word."""
    return (
        np.bincount(text.source, counts, minlength=len(text.words[0])),
        np.bincount(text.target, counts, minlength=len(text.words[1])),
    )
