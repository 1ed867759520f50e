"""Lexicons: files that come back as written, words that are not in them, files that are damaged."""

from __future__ import annotations

import gzip
from collections import Counter

import numpy as np
import pytest

from docs.making.lexicon import write_lexicon
from isogloss.errors import TextError
from isogloss.links.lexicons import (
    NOTHING,
    bundled_path,
    load_lexicon,
    plain_form,
    read_lexicon,
)

COUNTS = Counter(
    {
        ("cook", "煮"): 9.4,
        ("cook", "厨师"): 3.0,
        ("rice", "饭"): 8.0,
        ("rice", "米"): 4.0,
        ("simmer", "炖"): 2.0,
        ("simmer", "煮"): 1.0,
        ("rare", "饭"): 0.9,
        ("the", NOTHING): 50.0,
        ("rice", NOTHING): 1.0,
        (NOTHING, "了"): 30.0,
        (NOTHING, "饭"): 2.0,
    }
)


@pytest.fixture
def lexicon(tmp_path):
    write_lexicon(COUNTS, tmp_path / "en-zh.tsv.gz")
    return read_lexicon(tmp_path / "en-zh.tsv.gz")


def test_a_file_comes_back_rounded_and_without_rare_links(lexicon):
    assert lexicon.languages == ("en", "zh")
    assert len(lexicon) == len(COUNTS) - 1
    assert "rare" not in lexicon.source
    found = lexicon.look_up(["cook", "rice", "the"], ["饭", "煮"])
    assert found.links.toarray().tolist() == [[0, 9], [8, 0], [0, 0]]
    assert [side.tolist() for side in found.linked] == [[12, 12, 0], [8, 10]]
    assert [side.tolist() for side in found.unlinked] == [[0, 1, 50], [2, 0]]
    assert found.all_unlinked == (51, 32)


def test_the_same_counts_give_the_same_bytes(tmp_path):
    for name, counts in (("one", COUNTS), ("other", dict(reversed(COUNTS.items())))):
        write_lexicon(Counter(counts), tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "other").read_bytes()


@pytest.mark.parametrize(
    ("word", "as_known"),
    [
        ("cooks", ["cook"]),
        ("simmering", ["simmer"]),
        ("rice-cooking", ["rice", "cook"]),
        ("ricecooker", []),
        ("ri", []),
    ],
)
def test_unknown_words_are_read_as_what_they_are_made_of(lexicon, word, as_known):
    chinese = ["饭", "煮", "炖"]
    found = lexicon.look_up([word], chinese).links.toarray()[0]
    parts = [lexicon.look_up([part], chinese).links.toarray()[0] for part in as_known]
    assert found.tolist() == (np.mean(parts, axis=0) if parts else np.zeros(3)).tolist()


def test_unknown_chinese_words_are_read_by_their_characters(lexicon):
    found = lexicon.look_up(["rice", "cook"], ["煮饭", "煮粥", "粥"])
    assert found.links.toarray().tolist() == [[4, 0, 0], [4.5, 9, 0]]
    assert found.linked[1].tolist() == [9, 10, 0]


def test_reversed_is_the_same_table_from_the_other_side(lexicon):
    there, back = ["rice", "cook", "the"], ["饭", "煮", "了"]
    forward, backward = lexicon.look_up(there, back), lexicon.reversed().look_up(back, there)
    assert lexicon.reversed().languages == ("zh", "en")
    assert (backward.links != forward.links.T).nnz == 0
    for name in ("linked", "unlinked", "all_unlinked"):
        one, other = getattr(forward, name), getattr(backward, name)[::-1]
        assert all(np.array_equal(x, y) for x, y in zip(one, other, strict=True))


def test_the_bundled_lexicon_is_found_by_any_name_of_its_languages():
    english = load_lexicon(("en", "zh"))
    assert load_lexicon(("eng", "zh-TW")) is english
    assert load_lexicon(("cmn", "en")).languages == ("zh", "en")
    assert load_lexicon(("en", "nl")) is None


def test_the_bundled_lexicon_knows_common_words_in_both_writings():
    lexicon = load_lexicon(("en", "zh"))
    best = {
        word: {
            chinese[n] for n in lexicon.look_up([word], chinese).links.toarray()[0].argsort()[-2:]
        }
        for word, chinese in (
            ("water", ["水", "火", "的", "喝"]),
            ("car", ["车", "車", "人", "路"]),
            ("dogs", ["狗", "猫", "只", "跑"]),
        )
    }
    assert "水" in best["water"]
    assert best["car"] == {"车", "車"}
    assert "狗" in best["dogs"]


def test_the_bundled_words_are_in_their_plain_form():
    lexicon = load_lexicon(("en", "zh"))
    words = [*lexicon.source, *lexicon.target]
    assert [word for word in words if plain_form(word) != word] == []


def test_plain_form_has_no_case_and_no_width():
    assert [plain_form(word) for word in ("Straße", "ＡＢＣ", "，", "水")] == [
        "strasse",
        "abc",
        ",",
        "水",
    ]


def test_a_damaged_file_is_told_in_one_sentence(tmp_path):
    whole = bundled_path("en", "zh").read_bytes()
    damages = {
        "it cannot be unpacked": whole[: len(whole) // 2],
        "it cannot be unpacked; ": b"no gzip",
        "its first line does not name two languages": gzip.compress(b""),
        "line 3 is not two words and a count": gzip.compress(b"en\tzh\tlinks\na\tb\t1\na\tb\n"),
        "line 2 is not two words and a count": gzip.compress(b"en\tzh\tlinks\n\t\t1\n"),
        "line 2 is not two words and a count; ": gzip.compress(b"en\tzh\tlinks\na\tb\t-1\n"),
    }
    path = tmp_path / "en-zh.tsv.gz"
    for how, content in damages.items():
        path.write_bytes(content)
        with pytest.raises(TextError) as caught:
            read_lexicon(path)
        assert str(caught.value) == (
            f"The lexicon en-zh.tsv.gz is damaged: {how.removesuffix('; ')}; "
            "install Isogloss again."
        )
