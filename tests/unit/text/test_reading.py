"""The text itself: its invariants, hash, selection, statistics, and the bundled ones."""

import subprocess
import sys
from dataclasses import replace

import pytest

from isogloss.errors import TextError
from isogloss.text import reading
from isogloss.text.reading import (
    LIMITS,
    GivenFile,
    GoldAlignment,
    ParallelText,
    bundled_texts,
    load_bundled,
    read_files,
)

GOLD = GoldAlignment(frozenset({(0, 0)}), frozenset({(0, 0), (1, 0)}))
TEXT = ParallelText(
    name="small",
    languages=("en", "zh"),
    source=("Hello there", "Good night", "Hello there"),
    target=("你好", "晚安", "你好"),
    topics=("day", "night", "day"),
    gold=(GOLD, None, None),
    words=((("Hello", "there"), ("你好",)), None, None),
)


def test_hash_covers_everything_but_the_name():
    assert len(TEXT.content_hash) == 64
    assert replace(TEXT, name="other").content_hash == TEXT.content_hash
    changed = [
        replace(TEXT, languages=("en", "yue")),
        replace(TEXT, source=("Hello there", "Good night", "Hello")),
        replace(TEXT, target=("你好", "晚安", "您好")),
        replace(TEXT, topics=None),
        replace(TEXT, gold=None),
        replace(TEXT, gold=(GoldAlignment(GOLD.possible, GOLD.possible), None, None)),
        replace(TEXT, gold=None, words=None),
        TEXT.select([1, 0, 2]),
    ]
    assert len({bitext.content_hash for bitext in [TEXT, *changed]}) == len(changed) + 1


def test_hash_does_not_depend_on_the_process():
    code = (
        "from isogloss.text.reading import *;"
        "a = frozenset({(i, j) for i in range(9) for j in range(9)});"
        "w = (tuple('abcdefghi'), tuple('jklmnopqr'));"
        "print(ParallelText('n', ('en', 'zh'), ('a',), ('b',), None, "
        "(GoldAlignment(a, a),), (w,)).content_hash)"
    )
    runs = [subprocess.check_output([sys.executable, "-c", code]) for _ in range(2)]
    assert runs[0] == runs[1]


def test_select_takes_every_part_along():
    selected = TEXT.select([2, 0])
    assert selected.source == ("Hello there", "Hello there")
    assert selected.topics == ("day", "day")
    assert selected.gold == (None, GOLD)
    assert selected.words == (None, TEXT.words[0])
    assert len(selected) == 2
    assert selected.side(0) is selected.source
    assert selected.side(1) is selected.target


def test_rows_that_are_the_same_in_two_languages_are_counted():
    rows = {"en": ["Taxi", "Yes", "No", ""], "de": ["Taxi", "Ja", "Nein", "Ja"]}
    text = ParallelText.of_sides("t", tuple(rows), tuple(map(tuple, rows.values())))
    assert text.statistics().same_share == 0.25
    three = ParallelText.of_sides("t", ("en", "de", "fr"), (("A",), ("B",), ("B",)))
    assert three.same_share == 1


def test_statistics():
    statistics = TEXT.statistics()
    assert statistics.pairs == 3
    assert statistics.pairs_with_gold == 1
    assert statistics.duplicate_share == pytest.approx(1 / 3)
    english, chinese = statistics.sides
    assert english.language == "en"
    assert english.characters.mean == pytest.approx((11 + 10 + 11) / 3)
    assert (english.characters.median, english.characters.maximum) == (11, 11)
    assert (english.words.mean, english.words.maximum) == (2, 2)
    assert (chinese.characters.maximum, chinese.words.maximum) == (2, 1)


def test_statistics_of_nothing():
    with pytest.raises(TextError, match="no pairs"):
        TEXT.select([]).statistics()


@pytest.mark.parametrize("part", ["target", "topics", "gold", "words"])
def test_unequal_parts_are_refused(part):
    with pytest.raises(TextError, match=f"3 source sentences but 2 of {part}"):
        replace(TEXT, **{part: getattr(TEXT, part)[:2]})


def test_gold_must_point_at_words():
    outside = GoldAlignment(frozenset(), frozenset({(0, 1)}))
    with pytest.raises(TextError, match="pair 1 in small points outside"):
        replace(TEXT, gold=(outside, None, None))
    with pytest.raises(TextError, match="pair 2"):
        replace(TEXT, gold=(None, GOLD, None))
    with pytest.raises(TextError, match="sure links"):
        GoldAlignment(frozenset({(0, 0)}), frozenset())


def test_bundled_texts_are_listed_and_loaded_by_the_same_reader(tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "BUNDLED_DIRECTORY", tmp_path)
    for bundled in bundled_texts():
        header = "\t".join(bundled.languages)
        row = "\t".join(f"yes {code}" for code in bundled.languages)
        bundled.path.write_text(f"{header}\ttopic\n{row}\tanswers\n", encoding="utf-8")
        bitext = load_bundled(bundled.name)
        assert (bitext.name, bitext.languages) == (bundled.name, bundled.languages)
        assert bitext.topics == ("answers",)


@pytest.mark.parametrize("bundled", bundled_texts(), ids=lambda bundled: bundled.name)
def test_every_bundled_file_reads_whole(bundled):
    bitext = load_bundled(bundled.name)
    lines = bundled.path.read_text(encoding="utf-8").count("\n")
    assert len(bitext) == lines - 1 > 0
    assert bitext.languages == bundled.languages
    assert bitext.topics is not None


def test_unknown_bundled_text():
    with pytest.raises(TextError, match=r"no bundled text 'x'; choose among everyday\.en-zh"):
        load_bundled("x")


def test_a_path_and_an_upload_give_the_same_text(tmp_path):
    data = "Hello\t你好\nBye\t再见\n".encode()
    path = tmp_path / "talk.tsv"
    path.write_bytes(data)
    uploaded = read_files(GivenFile("talk.tsv", data))
    for given in (path, str(path), [path]):
        assert read_files(given) == uploaded
    assert uploaded.text.name == "talk"
    assert read_files(path, name="mine").text.name == "mine"


def test_missing_file_and_directory(tmp_path):
    with pytest.raises(TextError, match="no file"):
        read_files(tmp_path / "nothing.tsv")
    with pytest.raises(TextError, match="is a directory"):
        read_files(tmp_path)
    with pytest.raises(TextError, match="cannot be opened"):
        read_files("a\0b")


def test_limits_are_stated_and_kept():
    assert (LIMITS.bytes, LIMITS.pairs, LIMITS.characters) == (50_000_000, 100_000, 10_000)
    rows = "".join(f"{i} a\t{i} 好\n" for i in range(10)).encode()
    file = GivenFile("a.tsv", rows)
    assert len(read_files(file, limit_bytes=len(rows), limit_pairs=10).text) == 10
    with pytest.raises(TextError, match=r"a\.tsv is larger than the limit of \d+ bytes"):
        read_files(file, limit_bytes=len(rows) - 1)
    with pytest.raises(TextError, match="more rows than the limit of 9"):
        read_files(file, limit_pairs=9)
    with pytest.raises(TextError, match=r"line 1: the source side has 10,001 characters"):
        read_files(GivenFile("a.tsv", ("a" * 10_001 + "\t好").encode()))
    longest = read_files(GivenFile("a.tsv", ("a" * 10_000 + "\t好").encode())).text
    assert longest.source == ("a" * 10_000,)
    table = "en\tzh\ttopic\na\t好\t"
    allowed = read_files(GivenFile("a.tsv", (table + "t" * 30_000).encode())).text
    assert allowed.topics == ("t" * 30_000,)
    with pytest.raises(TextError, match=r"line 2: the fields beside .* has 30,001 characters"):
        read_files(GivenFile("a.tsv", (table + "t" * 30_001).encode()))


def test_importing_is_light():
    code = (
        "import sys, isogloss.text.reading;"
        "print({'torch', 'transformers', 'pandas', 'rjieba', 'regex'} & set(sys.modules))"
    )
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "set()"
