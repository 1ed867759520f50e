"""The bundled `everyday` text keeps what its format and its alignment guidelines promise."""

import csv
import re
from collections import Counter
from itertools import combinations
from pathlib import Path

import pytest

TEXT = Path(__file__).parents[3] / "isogloss/bundled/texts/everyday.en-zh.tsv"
COLUMNS = ["en", "zh", "topic", "en_words", "zh_words", "alignment"]
TOPICS = {"home", "food", "travel", "work", "nature", "people"}
ENGLISH_PUNCTUATION = set(".,;?!")
CHINESE_PUNCTUATION = set("。，？！")

# Each English word with the inflections that count as the same word.
AMBIGUOUS_ENGLISH = {
    "bank": "bank banks",
    "spring": "spring",
    "light": "light lights",
    "bat": "bat",
    "match": "match",
    "letter": "letter",
    "right": "right",
    "bark": "bark",
    "watch": "watch",
    "park": "park",
    "orange": "orange",
    "date": "date dates",
    "play": "play",
    "run": "run runs",
    "close": "close closes",
    "bright": "bright",
}
AMBIGUOUS_CHINESE = ("打", "意思", "开", "东西", "花", "上", "行", "点", "会", "方便")

# Two gold translations per word that only different senses can have.
TWO_SENSES = {
    "bank": ("河岸", "银行"),
    "spring": ("春天", "弹簧"),
    "light": ("灯", "轻"),
    "bat": ("蝙蝠", "棒"),
    "match": ("火柴", "比赛"),
    "letter": ("信", "字母"),
    "right": ("右", "对"),
    "bark": ("树皮", "叫"),
    "watch": ("手表", "看"),
    "park": ("停车", "公园"),
    "orange": ("橙子", "橙色"),
    "date": ("日期", "约会"),
    "play": ("打", "戏"),
    "run": ("跑步", "经营"),
    "close": ("关", "近"),
    "bright": ("亮", "聪明"),
}

TRADITIONAL_ONLY = set(
    "個們這來時會對說過還後當從頭點邊問間門開關東車電話讓請誰買賣錢書畫寫讀學習覺聽見親愛歡樂"
    "飯飲餓魚鳥馬貓龍雲風樹葉體頁題類顏長張燈熱煙無爺與樣氣漢沒淚湯滿現環場報壞聲處復應總戰"
    "廳廚國圖園圍員實寶對導將師帶幾庫廣歲鐘鐵銀錯隻雙難離雞麵麼黃齊齡週裡裏"
)


def read_rows() -> list[dict[str, str]]:
    with TEXT.open(encoding="utf-8", newline="") as lines:
        reader = csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
        rows = list(reader)
    assert reader.fieldnames == COLUMNS
    return rows


ROWS = read_rows()
GOLD = [row for row in ROWS if row["alignment"]]
each_gold_row = pytest.mark.parametrize("row", GOLD, ids=[row["en"] for row in GOLD])


def english_words(sentence: str) -> list[str]:
    return re.findall(r"[a-z']+", sentence.lower())


def links(row: dict[str, str]) -> list[tuple[int, str, int]]:
    found = [re.fullmatch(r"(\d+)([-p])(\d+)", link) for link in row["alignment"].split(" ")]
    assert all(found), row["alignment"]
    return [(int(match[1]), match[2], int(match[3])) for match in found if match]


def test_every_row_is_complete_and_clean() -> None:
    for row in ROWS:
        assert all(isinstance(row.get(column), str) for column in COLUMNS), row
        assert None not in row, row
        assert all(row[column] == row[column].strip() for column in COLUMNS), row
        assert row["en"]
        assert row["zh"]
        gold_fields = [bool(row[column]) for column in COLUMNS[3:]]
        assert all(gold_fields) or not any(gold_fields), row


def test_there_are_enough_pairs_in_every_topic() -> None:
    per_topic = Counter(row["topic"] for row in ROWS)
    assert len(ROWS) >= 252
    assert set(per_topic) == TOPICS
    assert min(per_topic.values()) >= 42, per_topic


def test_there_are_enough_gold_pairs_in_every_topic() -> None:
    per_topic = Counter(row["topic"] for row in GOLD)
    assert len(GOLD) >= 66
    assert min(per_topic[topic] for topic in TOPICS) >= 11, per_topic


def test_sentences_are_short_and_in_the_right_script() -> None:
    for row in ROWS:
        assert 4 <= len(english_words(row["en"])) <= 16, row["en"]
        assert re.fullmatch(r"[A-Z][A-Za-z' ,;.?!]*[.?!]", row["en"]), row["en"]
        assert 4 <= len(row["zh"]) <= 28, row["zh"]
        assert re.fullmatch(r"[\u4e00-\u9fff，。？！]*[。？！]", row["zh"]), row["zh"]
        assert not TRADITIONAL_ONLY & set(row["zh"]), row["zh"]


def test_no_sentence_occurs_twice() -> None:
    for side in ("en", "zh"):
        repeated = [text for text, n in Counter(row[side] for row in ROWS).items() if n > 1]
        assert not repeated


@pytest.mark.parametrize("side", ["en", "zh"])
def test_no_two_sentences_are_nearly_the_same(side: str) -> None:
    split = english_words if side == "en" else list
    bags = [(row[side], set(split(row[side])) - CHINESE_PUNCTUATION) for row in ROWS]
    for (first, a), (second, b) in combinations(bags, 2):
        assert len(a & b) / len(a | b) < 0.8, (first, second)


@pytest.mark.parametrize("word", AMBIGUOUS_ENGLISH)
def test_ambiguous_english_words_recur(word: str) -> None:
    forms = set(AMBIGUOUS_ENGLISH[word].split())
    assert sum(bool(forms & set(english_words(row["en"]))) for row in ROWS) >= 2


@pytest.mark.parametrize("word", AMBIGUOUS_CHINESE)
def test_ambiguous_chinese_words_recur(word: str) -> None:
    assert sum(word in row["zh"] for row in ROWS) >= 3


@pytest.mark.parametrize("word", TWO_SENSES)
def test_gold_links_show_two_senses(word: str) -> None:
    forms = set(AMBIGUOUS_ENGLISH[word].split())
    translations = set()
    for row in GOLD:
        english, chinese = row["en_words"].split(" "), row["zh_words"].split(" ")
        translations |= {
            chinese[j] for i, kind, j in links(row) if kind == "-" and english[i].lower() in forms
        }
    assert set(TWO_SENSES[word]) <= translations


@each_gold_row
def test_gold_words_rejoin_to_the_sentences(row: dict[str, str]) -> None:
    english = row["en_words"].split(" ")
    assert all(english)
    assert re.sub(r" (?=[.,;?!])", "", " ".join(english)) == row["en"]
    assert all(len(word) == 1 or not ENGLISH_PUNCTUATION & set(word) for word in english)
    chinese = row["zh_words"].split(" ")
    assert "".join(chinese) == row["zh"]
    assert all(chinese)
    assert all(len(word) == 1 or not CHINESE_PUNCTUATION & set(word) for word in chinese)


@each_gold_row
def test_gold_links_are_sound(row: dict[str, str]) -> None:
    english, chinese = row["en_words"].split(" "), row["zh_words"].split(" ")
    pairs = [(i, j) for i, _, j in links(row)]
    assert len(pairs) == len(set(pairs)), "a pair of words is linked twice"
    assert pairs == sorted(pairs)
    for i, kind, j in links(row):
        assert i < len(english)
        assert j < len(chinese)
        marks = (english[i] in ENGLISH_PUNCTUATION, chinese[j] in CHINESE_PUNCTUATION)
        assert marks[0] == marks[1], "punctuation links only to punctuation"
        assert not marks[0] or kind == "-", "punctuation links are sure"


@each_gold_row
def test_gold_links_cover_most_words(row: dict[str, str]) -> None:
    english, chinese = row["en_words"].split(" "), row["zh_words"].split(" ")
    linked_english = {i for i, _, _ in links(row)}
    linked_chinese = {j for _, _, j in links(row)}
    words = [i for i, word in enumerate(english) if word not in ENGLISH_PUNCTUATION]
    assert sum(i in linked_english for i in words) >= 0.6 * len(words)
    words = [j for j, word in enumerate(chinese) if word not in CHINESE_PUNCTUATION]
    assert sum(j in linked_chinese for j in words) >= 0.6 * len(words)
    assert any(kind == "-" for _, kind, _ in links(row))
