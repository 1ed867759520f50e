"""What can be taken away, or changed, before the two languages are learned.

A condition is a word, `positions`, or several joined by a plus, `positions+specials`. Some take a
number: `first-2` gives each language the first two blocks of its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from isogloss.errors import RunError

AS_IT_IS = "as-it-is"


@dataclass(frozen=True)
class Setup:
    """Everything that a condition can change.

    `own_first` and `own_last` count blocks, `anchors` is the share of the words that both languages
    have, `text` the share of the sentences that is learned from. Factors are of the plan's numbers.
    """

    own_positions: bool = False
    own_specials: bool = False
    own_first: int = 0
    own_last: int = 0
    all_own: bool = False
    anchors: float = 0.0
    turned_round: bool = False
    two_domains: bool = False
    random_words: bool = True
    width_factor: float = 1.0
    depth_factor: float = 1.0
    text: float = 1.0

    def is_own(self, block: int, n_layers: int) -> bool:
        """Whether each language has block 1 … n_layers of its own."""
        return self.all_own or block <= self.own_first or block > n_layers - self.own_last


@dataclass(frozen=True)
class Condition:
    """A condition as people read it; `number` has the bounds of what follows the name, if any.

    In `title` and `explanation` a number stands where `{n}` does.
    """

    title: str
    explanation: str
    apply: Callable[[Setup, int], Setup]
    number: tuple[int, int] | None = None


CONDITIONS: Mapping[str, Condition] = {
    AS_IT_IS: Condition(
        "As it is",
        "Every parameter is shared but the words themselves.",
        lambda setup, _: setup,
    ),
    "positions": Condition(
        "Own positions",
        "Each language has position embeddings of its own.",
        lambda setup, _: replace(setup, own_positions=True),
    ),
    "specials": Condition(
        "Own special tokens",
        "Each language has beginning, end and mask tokens of its own.",
        lambda setup, _: replace(setup, own_specials=True),
    ),
    "first": Condition(
        "Own first {n} blocks",
        "The first {n} blocks are each language's own.",
        lambda setup, n: replace(setup, own_first=n),
        (1, 24),
    ),
    "last": Condition(
        "Own last {n} blocks",
        "The last {n} blocks are each language's own.",
        lambda setup, n: replace(setup, own_last=n),
        (1, 24),
    ),
    "blocks": Condition(
        "All blocks own",
        "All blocks are each language's own; positions, special tokens and output stay shared.",
        lambda setup, _: replace(setup, all_own=True),
    ),
    "anchors": Condition(
        "{n} % shared words",
        "{n} % of the words are the same in both languages; only the others are scored.",
        lambda setup, n: replace(setup, anchors=n / 100),
        (1, 90),
    ),
    "order": Condition(
        "Order turned round",
        "The second language has its words in the opposite order.",
        lambda setup, _: replace(setup, turned_round=True),
    ),
    "domains": Condition(
        "Two domains",
        "Each language has text about other things.",
        lambda setup, _: replace(setup, two_domains=True),
    ),
    "no-random": Condition(
        "No random words",
        "No hidden word is replaced by a random one of either language.",
        lambda setup, _: replace(setup, random_words=False),
    ),
    "width": Condition(
        "Width × {n} %",
        "The model is {n} % as wide.",
        lambda setup, n: replace(setup, width_factor=n / 100),
        (25, 400),
    ),
    "depth": Condition(
        "Depth × {n} %",
        "The model has {n} % as many blocks.",
        lambda setup, n: replace(setup, depth_factor=n / 100),
        (25, 400),
    ),
    "text": Condition(
        "{n} % of the text",
        "Each language has {n} % of its sentences to learn from.",
        lambda setup, n: replace(setup, text=n / 100),
        (1, 99),
    ),
}
"""Every condition by its word."""

_PART = re.compile(r"([a-z]+(?:-[a-z]+)*)(?:-([0-9]{1,3}))?", re.ASCII)


def read_condition(name: str) -> Setup:
    """The setup that a condition asks for; raises RunError for what is not one."""
    setup = Setup()
    for part in name.split("+"):
        condition, number = _find(part)
        setup = condition.apply(setup, number)
    return setup


def condition_title(name: str) -> str:
    """A condition in a few words."""
    return ", ".join(_spoken(part, "title") for part in name.split("+"))


def condition_explanation(name: str) -> str:
    """A condition in a plain sentence for each of its parts."""
    return " ".join(_spoken(part, "explanation") for part in name.split("+"))


def _spoken(part: str, what: str) -> str:
    condition, number = _find(part)
    said = str(getattr(condition, what)).format(n=number)
    return said.replace(" 1 blocks are", " block is").replace(" 1 blocks", " block")


def _find(part: str) -> tuple[Condition, int]:
    found = _PART.fullmatch(part)
    name, digits = (found[1], found[2]) if found else (part, None)
    condition = CONDITIONS.get(name)
    if condition is None:
        words = ", ".join(word + ("-N" if each.number else "") for word, each in CONDITIONS.items())
        raise RunError(f"There is no condition {part!r}: choose among {words}, or join some by +.")
    if condition.number is None:
        if digits is not None:
            raise RunError(f"The condition {name} takes no number: write {name}.")
        return condition, 0
    low, high = condition.number
    if digits is None or not low <= int(digits) <= high:
        raise RunError(f"The condition {name} takes a number from {low} to {high}: {name}-{low}.")
    return condition, int(digits)
