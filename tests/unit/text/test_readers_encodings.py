"""Encodings: each is told from the others by the bytes alone, and damage has an address."""

import gzip
import tracemalloc

import pytest

from isogloss.errors import TextError
from isogloss.text.reading import GivenFile, read_files

ENGLISH = (
    "We went to the park yesterday.",
    "He says the problem is not easy to solve.",
    "Do you like tea or coffee?",
)
SIMPLIFIED = ("我们昨天去了公园，天气很好。", "他说这个问题不容易解决。", "你喜欢喝茶还是咖啡？")
TRADITIONAL = ("我們昨天去了公園，天氣很好。", "他說這個問題不容易解決。", "你喜歡喝茶還是咖啡？")
SIMPLIFIED_WORDS = (
    "苹果",
    "香蕉",
    "桌子",
    "椅子",
    "房子",
    "电脑",
    "红色",
    "星期一",
    "医生",
    "老师",
)
TRADITIONAL_WORDS = (
    "蘋果",
    "香蕉",
    "桌子",
    "椅子",
    "房子",
    "電腦",
    "紅色",
    "星期一",
    "醫生",
    "老師",
)


def table(target, source=None, end="\n"):
    source = source or [f"sentence {i}" for i in range(len(target))]
    return "".join(f"{s}\t{t}{end}" for s, t in zip(source, target, strict=True))


def read(data, **options):
    return read_files(GivenFile("talk", data), **options)


@pytest.mark.parametrize(
    ("codec", "label", "target"),
    [
        ("utf-8", "UTF-8", SIMPLIFIED),
        ("utf-8-sig", "UTF-8", SIMPLIFIED),
        ("utf-16", "UTF-16", SIMPLIFIED),
        ("utf-16-le", "UTF-16", SIMPLIFIED),
        ("utf-16-be", "UTF-16", TRADITIONAL),
        ("utf-32", "UTF-32", SIMPLIFIED),
        ("gb18030", "GB18030", SIMPLIFIED),
        ("gb18030", "GB18030", TRADITIONAL),
        ("gb18030", "GB18030", SIMPLIFIED_WORDS),
        ("gb2312", "GB18030", SIMPLIFIED),
        ("big5", "Big5", TRADITIONAL),
        ("big5", "Big5", TRADITIONAL_WORDS),
        ("cp950", "Big5", (*TRADITIONAL, "價格是五€。")),
        ("big5hkscs", "Big5", (*TRADITIONAL, "佢哋喺度。")),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_every_encoding_is_recognised(codec, label, target, end, pack):
    result = read(pack(table(target, end=end).encode(codec)))
    assert result.encoding == label
    assert result.text.target == target


@pytest.mark.parametrize(("codec", "target"), [("gb18030", SIMPLIFIED), ("big5", TRADITIONAL)])
def test_a_file_of_chinese_alone(codec, target):
    files = [
        GivenFile("a.en", "\n".join(ENGLISH).encode()),
        GivenFile("a.zh", "\n".join(target).encode(codec)),
    ]
    assert read_files(files).text.target == target


def test_utf16_without_a_mark_and_with_hardly_any_ascii():
    files = [
        GivenFile("a.zh", "\n".join(SIMPLIFIED).encode("utf-16-le")),
        GivenFile("a.en", "\n".join(ENGLISH).encode("utf-16-be")),
    ]
    result = read_files(files)
    assert (result.text.source, result.text.target) == (SIMPLIFIED, ENGLISH)


def test_late_chinese_after_much_ascii_is_still_seen():
    data = table(["plain"] * 30_000) + table(SIMPLIFIED)
    result = read(data.encode("gb18030"), languages=("en", "zh"))
    assert (result.encoding, result.text.target[-3:]) == ("GB18030", SIMPLIFIED)


@pytest.mark.parametrize(
    ("text", "codec"),
    [
        ("Good morning, everybody\tДоброе утро\n", "cp1251"),
        ("Good morning to everybody there\tDzień dobry wszystkim, miło was widzieć\n", "cp1250"),
        ("Good morning to everybody there\tGünaydın, ışık çok güzel, değil mi\n", "cp1254"),
        (
            "나는 오늘 아침에 일찍 일어나서 학교에 갔습니다\t우리는 점심으로 김밥을 먹었습니다\n",
            "euc-kr",
        ),
        ("Сегодня утром я рано встал\tПогода была очень хорошая, и мы гуляли\n", "cp1251"),
    ],
)
def test_an_unknown_encoding_is_refused_rather_than_read_as_chinese(text, codec):
    with pytest.raises(TextError, match="nor any other known encoding"):
        read(text.encode(codec))
    result = read(text.encode(codec), encoding=codec, languages=("fr", "xx"))
    assert result.text.source[0] == text.split("\t")[0]


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("The café isn’t open – sorry.", "El café no está abierto… ¿Mañana?"),
        ("Last summer", "L'été dernier j'ai été élève à l'école, c'était très gênant"),
        ("The street is long.", "Die Straße ist länger, als ich dachte: „drei Kilometer“."),
    ],
)
def test_what_excel_saves_in_the_west_is_read(source, target):
    data = f"English;Other\r\n{source};{target}\r\n".encode("cp1252")
    result = read_files(GivenFile("mine.csv", data), languages=("en", "xx"), columns=(1, 2))
    assert result.encoding == "Windows-1252"
    assert (result.text.source[-1], result.text.target[-1]) == (source, target)


def test_undecodable_byte_has_an_offset_and_a_line():
    good = table(SIMPLIFIED).encode()
    data = good + b"bad\t\xe4\xbd\n" + b"last\tok\n"
    with pytest.raises(TextError, match=rf"talk, line 4: byte {len(good) + 4} is not valid UTF-8"):
        read(data)
    result = read(data, skip_bad_rows=True)
    assert result.text.target == (*SIMPLIFIED, "ok")
    assert [(row.file, row.line) for row in result.skipped] == [("talk", 4)]
    assert "not valid in the file's encoding" in result.skipped[0].reason


def test_damage_in_gb18030_is_still_gb18030():
    data = table(SIMPLIFIED).encode("gb18030") + b"bad\t\xff\xff\n"
    with pytest.raises(TextError, match=r"line 4: byte \d+ is not valid GB18030"):
        read(data)
    result = read(data, skip_bad_rows=True)
    assert (result.encoding, len(result.skipped)) == ("GB18030", 1)
    assert result.text.target == SIMPLIFIED


def test_nul_is_a_bad_row():
    with pytest.raises(TextError, match=r"line 2: the target side holds a NUL"):
        read("Hello\t你好\nBye\t再\0见\nYes\t是的，我们都去\n".encode())


def test_encoding_asked_for_must_be_known():
    for name in ("klingon", "rot13", "zlib", "utf-7", "a\0b"):
        with pytest.raises(TextError, match="is not known; save the file as UTF-8"):
            read(b"a\tb", encoding=name)


@pytest.mark.parametrize("codec", ["utf-8", "utf-16"])
def test_encoding_asked_for_does_not_keep_the_mark(codec):
    data = "\ufeffHello\t你好\n".encode(f"{codec}-le" if codec == "utf-16" else codec)
    assert read(data, encoding=codec).text.source == ("Hello",)


def test_rare_line_separators_are_text():
    sentence = "one\u2028two\x0bthree\x0cfour\x85five\x1csix"
    result = read(f"{sentence}\t你好\nBye\t\n".encode(), skip_bad_rows=True)
    assert result.text.source == (sentence,)
    assert result.skipped[0].line == 2


def test_controls_and_direction_marks_stay_and_ends_are_trimmed():
    result = read("\u3000a\x07\u202eb \t 你\u200f好\u2003\r\n".encode())
    assert result.text.source == ("a\x07\u202eb",)
    assert result.text.target == ("你\u200f好",)


def test_gzip_bomb_stops_at_the_limit():
    bomb = gzip.compress(b"a\t" * 5_000_000, compresslevel=9)
    assert len(bomb) < 50_000
    tracemalloc.start()
    try:
        with pytest.raises(TextError, match=r"talk, unpacked, is larger than the limit of 100 kB"):
            read(bomb, limit_bytes=100_000)
        assert tracemalloc.get_traced_memory()[1] < 2_000_000
    finally:
        tracemalloc.stop()


def test_damaged_gzip():
    packed = gzip.compress(table(SIMPLIFIED).encode())
    for data in (packed[:-12], packed[:20] + b"\0\0\0\0" + packed[24:], b"\x1f\x8b"):
        with pytest.raises(TextError, match="damaged or cut-off gzip"):
            read(data)
