"""Which pairs of a text a map shows."""

import pytest

from isogloss.errors import IsoglossError
from isogloss.text.parts import TextPart, way_title
from isogloss.text.reading import GoldAlignment, ParallelText

TEXT = ParallelText(
    "t",
    ("en", "zh"),
    tuple(f"the {word} {i}" for i, word in enumerate(["Cat", "dog", "cat", "tea", "dog", "cat"])),
    ("猫", "狗", "猫", "茶", "狗", "猫"),
    topics=("pets", "pets", "pets", "food", "pets", "pets"),
)


@pytest.mark.parametrize(
    ("part", "chosen", "said"),
    [
        (TextPart(2, "first"), [0, 1], "2 of 6 pairs, from the start"),
        (TextPart(9, "topic", topic="food"), [3], "1 of 6 pairs, of the topic food"),
        (TextPart(2, "search", search="CAT"), [0, 2], "2 of 6 pairs, that contain “CAT”"),
        (TextPart(9, "search", search="狗"), [1, 4], "2 of 6 pairs, that contain “狗”"),
        (TextPart(2), [0, 3], "2 of 6 pairs, from all topics in turn"),
        (TextPart(6, "first"), [0, 1, 2, 3, 4, 5], "all 6 pairs"),
    ],
)
def test_a_part_is_chosen_and_named(part, chosen, said):
    assert part.choose(TEXT).tolist() == chosen
    assert part.describe(TEXT) == said


def test_random_parts_differ_by_seed_and_repeat():
    parts = [TextPart(3, "random", seed=seed).choose(TEXT).tolist() for seed in range(8)]
    assert parts == [TextPart(3, "random", seed=seed).choose(TEXT).tolist() for seed in range(8)]
    assert len({tuple(part) for part in parts}) > 1
    assert all(part == sorted(set(part)) for part in parts)


def test_a_plain_text_is_spread_evenly():
    plain = ParallelText("p", ("en", "zh"), ("a",) * 100, ("甲",) * 100)
    assert TextPart(3).choose(plain).tolist() == [0, 49, 99]


def test_what_is_spread_over_the_text_says_so_and_what_is_not_says_how_it_is_chosen():
    link = GoldAlignment(frozenset({(0, 0)}), frozenset({(0, 0)}))
    gold = (None,) * 2 + (link,) * 4 + (None,) * 3
    words = tuple(links and (("a",), ("甲",)) for links in gold)
    by_hand = ParallelText("g", ("en", "zh"), ("a",) * 9, ("甲",) * 9, gold=gold, words=words)
    plain = ParallelText("p", ("en", "zh"), ("a",) * 9, ("甲",) * 9)
    assert TextPart(3).choose(by_hand).tolist() == [2, 3, 4]
    said = TextPart(3).describe(by_hand)
    assert said == "3 of 9 pairs, those aligned by hand first, from the start"
    assert TextPart(3).describe(plain) == "3 of 9 pairs, spread over the text"
    titles = [way_title("spread", bitext) for bitext in (plain, by_hand, TEXT)]
    assert titles == ["Spread over the text", "Aligned by hand first", "From all topics in turn"]
    assert way_title("random", by_hand) == "At random"


@pytest.mark.parametrize(
    "part", [TextPart(2, "topic", topic="x"), TextPart(2, "search", search="x")]
)
def test_a_part_without_pairs_is_one_sentence(part):
    with pytest.raises(IsoglossError, match="No pair"):
        part.choose(TEXT)


@pytest.mark.parametrize("settings", [{"pairs": 0}, {"way": "backwards"}])
def test_bad_settings_are_refused(settings):
    with pytest.raises(IsoglossError):
        TextPart(**settings)
