"""Content words: long and rare, in any script, and never punctuation."""

from isogloss.text.content_words import find_content_words

ENGLISH = [
    "the",
    "cat",
    "sat",
    "on",
    "the",
    "windowsill",
    "and",
    "the",
    "dog",
    "sat",
    "on",
    "the",
    "doorstep",
    ",",
    "don't",
    "look",
]
CHINESE = ["这", "只", "猫", "在", "窗台", "上", "，", "那", "只", "狗", "在", "门口", "。"]


def chosen(texts, sides):
    found = find_content_words(texts, sides)
    return [text for text, yes in zip(texts, found, strict=True) if yes]


def test_long_rare_words_are_chosen_in_each_language_by_its_own_measure():
    texts, sides = ENGLISH + CHINESE, [0] * len(ENGLISH) + [1] * len(CHINESE)
    assert chosen(texts, sides) == ["windowsill", "doorstep", "窗台", "门口"]


def test_a_word_that_keeps_coming_is_taken_for_grammar():
    rest = ["harbour", "gardens", "orchard"]
    assert chosen(["because", *rest], [0] * 4) == ["because", *rest]
    assert chosen(["because"] * 9 + rest, [0] * 12) == rest
    assert chosen(["because", *rest] * 9, [0] * 36) == ["because", *rest] * 9, "a text read often"


def test_nothing_but_punctuation_gives_nothing():
    assert find_content_words([".", "...", "🙂", ""], [0, 0, 1, 1]) == [False] * 4
