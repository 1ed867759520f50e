"""Word types and dictionaries in MUSE's format."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from isogloss.errors import IsoglossError, TextError
from isogloss.measures.stacks import Array
from isogloss.measures.word_translation import WordTypes, average_types, translate_words
from isogloss.text.dictionaries import BilingualDictionary, parse_dictionary, read_dictionary


def types(words: list[str], vectors: Array) -> WordTypes:
    return WordTypes(tuple(words), vectors)


def test_types_average_their_tokens() -> None:
    vectors = np.array([[1.0, 0], [0, 2], [3, 4], [5, 0]])
    found = average_types(["猫", "dog", "猫", "猫"], vectors)
    assert found.words == ("猫", "dog")
    np.testing.assert_allclose(found.vectors, [[3, 4 / 3], [0, 2]])
    with pytest.raises(IsoglossError, match="1 words for 4 vectors"):
        average_types(["x"], vectors)


def test_dictionary_lines_with_spaces_tabs_and_several_translations(tmp_path: Path) -> None:
    path = tmp_path / "en-zh.txt"
    path.write_text(
        "\ufeffcat 猫\n\ncat\t猫咪\nice cream\t冰淇淋\ncat 猫\r\ndog   狗\n", encoding="utf-8"
    )
    found = read_dictionary(path)
    assert found.translations == {
        "cat": ("猫", "猫咪"),
        "ice cream": ("冰淇淋",),
        "dog": ("狗",),
    }
    assert len(found) == 3
    assert found.reversed().translations["猫咪"] == ("cat",)


def test_a_bad_dictionary_names_its_line(tmp_path: Path) -> None:
    with pytest.raises(TextError, match="Line 2 of the dictionary has 3 parts"):
        parse_dictionary("cat 猫\nice cream 冰淇淋\n")
    with pytest.raises(TextError, match="Line 1 of x has 2 parts"):
        parse_dictionary("cat\t\n", "x")
    with pytest.raises(TextError, match="The dictionary has no entries"):
        parse_dictionary("\n \n")
    with pytest.raises(TextError, match=r"none\.txt cannot be read"):
        read_dictionary(tmp_path / "none.txt")
    (tmp_path / "gb.txt").write_bytes("cat 冰淇淋".encode("gb18030"))
    with pytest.raises(TextError, match="not UTF-8"):
        read_dictionary(tmp_path / "gb.txt")


def planted(words: int = 120) -> tuple[WordTypes, WordTypes, BilingualDictionary]:
    generator = np.random.default_rng(9)
    X = generator.normal(size=(words, 10))
    Y = X @ np.linalg.qr(generator.normal(size=(10, 10)))[0]
    source = types([f"s{i}" for i in range(words)], X)
    target = types([f"t{i}" for i in range(words)], Y)
    return source, target, BilingualDictionary({f"s{i}": (f"t{i}",) for i in range(words)})


def test_a_mapping_learned_on_half_translates_the_other_half() -> None:
    source, target, dictionary = planted()
    found = translate_words(source, target, dictionary)
    assert (found.entries, found.covered, found.tested, found.candidates) == (120, 120, 60, 120)
    np.testing.assert_array_equal(found.values, 1)
    assert set(found.ranks.values()) == {1}
    unmapped = translate_words(source, target, dictionary, mapped=False)
    assert unmapped.tested == 120
    assert unmapped.values[0] < 0.1


@pytest.mark.parametrize("score", ["cosine", "csls"])
def test_ranks_by_hand_with_several_right_answers(score: str) -> None:
    """On a circle: s at 0°, candidates at 1°, 2°, 3°, 4°; far words keep CSLS from reordering."""
    angles = np.radians([1, 2, 3, 4])
    Y = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    source, target = types(["s"], np.array([[1.0, 0]])), types(list("abcd"), Y)

    def rank(*translations: str) -> float:
        dictionary = BilingualDictionary({"s": translations, "absent": ("a",)})
        found = translate_words(source, target, dictionary, score, mapped=False)
        assert (found.entries, found.covered) == (2, 1)
        return found.ranks["s"]

    if score == "cosine":
        assert [rank("a"), rank("b"), rank("d")] == [1, 2, 4]
        assert rank("d", "b") == 2
        assert rank("b", "c", "d") == 2
        assert rank("a", "zzz") == 1
    else:
        # One source word: r_X(y) is cos(x, y) itself, so CSLS ranks by cosine once more.
        assert rank("a") == 1
        assert rank("c") == 3


def test_right_answers_that_tie_do_not_compete_and_wrong_ones_share_the_place() -> None:
    source = types(["s"], np.array([[1.0, 0]]))
    target = types(list("abc"), np.array([[1.0, 1], [1, 1], [1, 3]]))

    def rank(*translations: str) -> float:
        dictionary = BilingualDictionary({"s": translations})
        return translate_words(source, target, dictionary, "cosine", mapped=False).ranks["s"]

    assert rank("a", "b") == 1
    assert rank("a") == 1.5
    assert rank("c") == 3


def test_chance_with_several_right_answers() -> None:
    """Two of five right: found first 2/5 of the time; otherwise after 1, 2 or 3 wrong ones."""
    generator = np.random.default_rng(0)
    source = types(["s"], generator.normal(size=(1, 3)))
    target = types(list("abcde"), generator.normal(size=(5, 3)))
    found = translate_words(source, target, BilingualDictionary({"s": ("a", "b")}), mapped=False)
    later = [2 / 5, 3 / 5 * 2 / 4, 3 / 5 * 2 / 4 * 2 / 3, 3 / 5 * 2 / 4 * 1 / 3]
    expected = sum(share / rank for rank, share in enumerate(later, start=1))
    np.testing.assert_allclose(found.chance, [2 / 5, 1, 1, expected])


def test_random_vectors_read_chance() -> None:
    source, _, dictionary = planted()
    target = types([f"t{i}" for i in range(120)], np.random.default_rng(1).normal(size=(120, 10)))
    found = translate_words(source, target, dictionary, mapped=False)
    assert found.low[2] <= found.chance[2] <= found.high[2]


def test_a_dictionary_that_does_not_fit_is_told() -> None:
    source, target, _ = planted()
    with pytest.raises(IsoglossError, match="Only 1 of 2 dictionary words"):
        translate_words(source, target, BilingualDictionary({"s1": ("t1",), "q": ("t2",)}))
