"""The aligner against closed forms, a plain reading of its formulas, and hand-made links."""

from __future__ import annotations

import math
from collections import Counter, defaultdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from isogloss.errors import IsoglossError, Stopped
from isogloss.links import statistical_aligner
from isogloss.links.aligners import score_alignments
from isogloss.links.lexicons import NOTHING, Lexicon, load_lexicon
from isogloss.links.statistical_aligner import (
    FROM_NOTHING,
    NEARNESS,
    ROUNDS,
    SAME_WORD,
    SMOOTHING,
    align_text,
    count_links,
)
from isogloss.text.reading import load_bundled

# "The house", "the book", "a book" in a made-up language with the article last.
SOURCE = [["the", "house"], ["the", "book"], ["a", "book"], ["the", "house", "7"]]
TARGET = [["maja", "ta"], ["raamat", "ta"], ["raamat", "yks"], ["maja", "7", "ta", "on"]]
WORDS = st.lists(st.sampled_from("abcdefgh"), max_size=5)
TEXTS = st.lists(st.tuples(WORDS, WORDS), max_size=8)


class PlainReading:
    """The formulas of the module's docstring, word by word, in dictionaries."""

    def __init__(self, source, target, lexicon: dict[tuple[str, str], float]) -> None:
        self.pairs = list(zip(source, target, strict=True))
        self.prior = defaultdict(float)
        for (e, f), count in lexicon.items():
            self.prior[e, f] += count
        for e in {e for s, _ in self.pairs for e in s}:
            if any(e in s and e in t for s, t in self.pairs):
                self.prior[e, e] += SAME_WORD
        unlinked = [Counter(w for pair in self.pairs for w in pair[side]) for side in (0, 1)]
        for (e, f), count in lexicon.items():
            if f == NOTHING:
                unlinked[0][e] += count
            if e == NOTHING:
                unlinked[1][f] += count
        self.b = [{w: n / side.total() for w, n in side.items()} for side in unlinked]
        self.counts: dict[tuple[str, str], float] = defaultdict(float)
        for _ in range(ROUNDS):
            self.counts = self.expected()

    def t(self, word: str, given: str, side: int) -> float:
        """The probability of a word of `side`, given one of the other side."""
        joint = Counter(self.prior)
        joint.update(self.counts)
        key = (given, word) if side == 1 else (word, given)
        total = sum(
            n for (e, f), n in joint.items() if (e, f)[1 - side] == given and NOTHING not in (e, f)
        )
        return (joint[key] + SMOOTHING * self.b[side][word]) / (total + SMOOTHING)

    def probabilities(self, s, t):
        def near(i, j):
            return math.exp(-NEARNESS * abs((i + 0.5) / len(s) - (j + 0.5) / len(t)))

        forward, backward = np.zeros((len(s), len(t))), np.zeros((len(s), len(t)))
        for j, f in enumerate(t):
            whole = sum(near(i, j) for i in range(len(s)))
            weights = [
                (1 - FROM_NOTHING) * near(i, j) / whole * self.t(f, e, 1) for i, e in enumerate(s)
            ]
            forward[:, j] = np.array(weights) / (sum(weights) + FROM_NOTHING * self.b[1][f])
        for i, e in enumerate(s):
            whole = sum(near(i, j) for j in range(len(t)))
            weights = [
                (1 - FROM_NOTHING) * near(i, j) / whole * self.t(e, f, 0) for j, f in enumerate(t)
            ]
            backward[i] = np.array(weights) / (sum(weights) + FROM_NOTHING * self.b[0][e])
        return forward, backward

    def expected(self) -> dict[tuple[str, str], float]:
        counts: dict[tuple[str, str], float] = defaultdict(float)
        for s, t in self.pairs:
            forward, backward = self.probabilities(s, t)
            for i, e in enumerate(s):
                for j, f in enumerate(t):
                    counts[e, f] += math.sqrt(forward[i, j] * backward[i, j])
        return counts

    def links(self):
        for s, t in self.pairs:
            forward, backward = self.probabilities(s, t)
            yield frozenset(map(tuple, np.argwhere((forward + backward) / 2 > 0.5).tolist()))


def lexicon_of(counts: dict[tuple[str, str], float]) -> Lexicon:
    source = {word: n for n, word in enumerate(dict.fromkeys([NOTHING, *(e for e, _ in counts)]))}
    target = {word: n for n, word in enumerate(dict.fromkeys([NOTHING, *(f for _, f in counts)]))}
    rows = [source[e] for e, _ in counts], [target[f] for _, f in counts]
    shape = len(source), len(target)
    table = sparse.csr_array((list(counts.values()), rows), shape=shape, dtype=float)
    return Lexicon(("en", "xx"), source, target, table)


KNOWN = {
    ("the", "ta"): 5.0,
    ("house", "maja"): 3.0,
    ("house", "kodu"): 2.0,
    ("an", "yks"): 4.0,
    (NOTHING, "on"): 6.0,
    ("a", NOTHING): 2.0,
}


def test_one_word_a_side_has_a_closed_form():
    """b and t are 1, so both directions give 1 - p_0, in every round."""
    counts = count_links([["house"]] * 5, [["maja"]] * 5)
    assert counts == pytest.approx(
        {
            ("house", "maja"): 5 * (1 - FROM_NOTHING),
            ("house", NOTHING): 5 * FROM_NOTHING,
            (NOTHING, "maja"): 5 * FROM_NOTHING,
        }
    )


def test_before_any_round_only_places_count(monkeypatch):
    """All words being as likely, p(i | j) is 1 - p_0 shared out by nearness, here equally."""
    monkeypatch.setattr(statistical_aligner, "ROUNDS", 0)
    counts = count_links([["a", "b"]], [["x"]])
    expected = math.sqrt((1 - FROM_NOTHING) / 2 * (1 - FROM_NOTHING))
    assert counts["a", "x"] == counts["b", "x"] == pytest.approx(expected)


@pytest.mark.parametrize("known", [{}, KNOWN], ids=["alone", "with a lexicon"])
def test_links_are_those_of_the_formulas(known):
    plain = PlainReading(SOURCE, TARGET, known)
    lexicon = lexicon_of(known) if known else None
    assert align_text(SOURCE, TARGET, lexicon) == tuple(plain.links())


def test_counts_are_those_of_the_formulas():
    counts = count_links(SOURCE, TARGET)
    linked = {pair: count for pair, count in counts.items() if NOTHING not in pair}
    assert linked == pytest.approx(dict(PlainReading(SOURCE, TARGET, {}).expected()))
    the = sum(count for (e, _), count in linked.items() if e == "the")
    assert counts["the", NOTHING] == pytest.approx(3 - the)


def test_what_goes_together_everywhere_is_linked_against_the_order_of_words():
    articles = {"the": "ta", "a": "yks"}
    nouns = {"house": "maja", "book": "raamat", "dog": "koer", "car": "auto"}
    pairs = [(article, noun) for article in articles for noun in nouns] * 5
    source = [[article, noun] for article, noun in pairs]
    target = [[nouns[noun], articles[article]] for article, noun in pairs]
    assert set(align_text(source, target)) == {frozenset({(0, 1), (1, 0)})}


def test_a_link_needs_a_mean_above_one_half(monkeypatch):
    forward = np.array([[[0.9, 0.5, 0.1], [0.0, 0.5, 0.8]]])
    backward = np.array([[[0.2, 0.5, 0.8], [0.9, 0.6, 0.1]]])
    monkeypatch.setattr(statistical_aligner, "_probabilities", lambda *_: (forward, backward))
    assert align_text([["a", "b"]], [["x", "y", "z"]]) == (frozenset({(0, 0), (1, 1)}),)


def test_names_and_numbers_link_with_themselves(monkeypatch):
    """Those that no lexicon knows, too; case and width aside."""
    pair = [["ZORBLAX", "sold", "7,431", "books"]], [["７,431", "本", "书", "Zorblax", "卖", "了"]]
    lexicon = load_lexicon(("en", "zh"))
    themselves = {(0, 3), (2, 0)}
    assert themselves <= align_text(*pair, lexicon)[0]
    monkeypatch.setattr(statistical_aligner, "SAME_WORD", 0)
    assert not themselves & align_text(*pair, lexicon)[0]


@given(TEXTS)
@settings(max_examples=50, deadline=None)
def test_links_stay_inside_their_sentences(text):
    source, target = [s for s, _ in text], [t for _, t in text]
    links = align_text(source, target)
    assert len(links) == len(text)
    for s, t, found in zip(source, target, links, strict=True):
        assert all(0 <= i < len(s) and 0 <= j < len(t) for i, j in found)


@given(TEXTS, st.randoms(use_true_random=False))
@settings(max_examples=30, deadline=None)
def test_neither_direction_nor_order_matters(text, random):
    source, target = [s for s, _ in text], [t for _, t in text]
    counts = count_links(source, target)
    turned = count_links(target, source)
    assert {(e, f): n for (f, e), n in turned.items()} == pytest.approx(counts)
    random.shuffle(text)
    assert count_links([s for s, _ in text], [t for _, t in text]) == pytest.approx(counts)


def test_blocks_change_nothing_and_portions_are_texts_of_their_own(monkeypatch):
    source, target = SOURCE * 3, TARGET * 3
    whole, alone = align_text(source, target), align_text(SOURCE, TARGET)
    assert whole[:4] != alone, "the repeated text must teach more, or portions cannot be told"
    monkeypatch.setattr(statistical_aligner, "BLOCK", 1)
    assert align_text(source, target) == whole
    cells = sum(len(s) * len(t) for s, t in zip(SOURCE, TARGET, strict=True))
    monkeypatch.setattr(statistical_aligner, "PORTION", cells)
    assert align_text(source, target) == alone * 3


def test_every_round_is_told_and_may_be_the_last():
    told = []
    align_text(SOURCE, TARGET, reach=lambda done, total, message: told.append((done, total)))
    assert told == [(n, ROUNDS) for n in range(ROUNDS)]

    def stop(done: int, total: int, message: str) -> None:
        raise Stopped("Stopped.")

    with pytest.raises(Stopped):
        align_text(SOURCE, TARGET, reach=stop)


def test_sentences_without_translation_are_refused():
    with pytest.raises(IsoglossError, match="4 source and 3 target sentences"):
        align_text(SOURCE, TARGET[:3])


def error_rate(part: int, *, traditional: bool = False) -> float:
    """On all hand-made links, so many pairs aligned at a time with the bundled lexicon."""
    everyday = load_bundled("everyday.en-zh")
    pairs = [(*w, g) for w, g in zip(everyday.words, everyday.gold, strict=True) if g is not None]
    source, target, gold = zip(*pairs, strict=True)
    if traditional:
        convert = pytest.importorskip("opencc").OpenCC("s2t").convert
        target = [[convert(word) for word in words] for words in target]
    lexicon = load_lexicon(("en", "zh"))
    links = []
    for start in range(0, len(source), part):
        chosen = slice(start, start + part)
        links += align_text(source[chosen], target[chosen], lexicon)
    return score_alignments(links, gold).error_rate


def test_the_lexicon_aligns_all_hand_aligned_pairs_and_ten_alone():
    """`python -m benchmarks.aligners` reads .104 and .105; fast_align's tables .26."""
    assert error_rate(1_000) < 0.11
    assert error_rate(10) < 0.11


def test_traditional_writing_is_aligned_as_well():
    assert error_rate(1_000, traditional=True) < 0.11
