"""Words: what counts as one, in each kind of script, and where it stands."""

import pytest
import regex

from isogloss.errors import TextError
from isogloss.text.words import Word, locate, segment


def texts(sentence: str, language: str, unit: str = "word") -> list[str]:
    return [word.text for word in segment(sentence, language, unit)]


def test_spaced_words_with_punctuation_split_off():
    assert texts('He said: "stop!"', "en") == ["He", "said", ":", '"', "stop", "!", '"']


@pytest.mark.parametrize(
    "word",
    [
        "don't",
        "o’clock",
        "well-known",
        "3.14",
        "1,000",
        "10:30",
        "U.S.",
        "e.g.",
        "café",
        "cafe\u0301",
        "हिन्दी",
        "안녕하세요",
        "می\u200cخواهم",
        "l'homme",
        "...",
        "👨\u200d👩\u200d👧",
    ],
)
def test_one_word(word):
    assert texts(f"a {word} b", "en") == ["a", word, "b"]


def test_final_point_is_a_word_of_its_own():
    assert texts("It costs 3.50.", "en") == ["It", "costs", "3.50", "."]


def test_chinese_words_and_characters():
    sentence = "我们喜欢机器翻译。"
    assert texts(sentence, "zh") == ["我们", "喜欢", "机器翻译", "。"]
    assert texts(sentence, "zh-CN") == texts(sentence, "zh")
    assert texts(sentence, "zh", "character") == list(sentence)


def test_latin_runs_in_chinese_stay_whole():
    assert texts("我用Python写code。", "zh", "character") == [
        "我",
        "用",
        "Python",
        "写",
        "code",
        "。",
    ]
    words = texts("我用Python写code。", "zh")
    assert {"Python", "写", "code", "。"} <= set(words)


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("ja", "台所 の 窓 が 開い て いる 。"),
        ("ja", "彼 は 図書館 で 厚い 本 を 借り た 。"),
        ("ja", "妻 と 私 は 子ども の 頃 から の 知り合い だ 。"),
        ("ja", "看護 師 は ぬるま湯 で 傷口 を 洗っ た 。"),
        ("th", "โรงแรม อยู่ ใกล้ สถานี รถไฟ"),
        ("th", "ครู เขียน คำถาม บน กระดาน"),
        ("th", "ลูกสาว ของ เรา จะ แต่งงาน"),
        ("lo", "ຂ້ອຍ ມັກ ເຈົ້າ"),
        ("km", "ខ្ញុំ ចូលចិត្ត សៀវភៅ"),
        ("my", "ကျွန်တော် ကျောင်း"),
    ],
)
def test_words_of_languages_without_spaces(language, words):
    """Cut by hand, as the dictionaries of IPADIC and ICU have their words."""
    assert texts(words.replace(" ", ""), language) == words.split()


def test_codes_of_three_letters_and_regions_are_cut_alike():
    for code, other, text in [
        ("ja", "jpn", "彼は本を借りた。"),
        ("ja", "ja-JP", "彼は本を借りた。"),
        ("th", "tha", "ครูเขียนคำถาม"),
        ("my", "bur", "ကျွန်တော်ကျောင်း"),
    ]:
        assert texts(text, code) == texts(text, other) != list(text)


def test_latin_runs_and_numbers_in_japanese_stay_whole():
    cut = texts("私はPythonで3.14をテストした。", "ja")
    assert cut == ["私", "は", "Python", "で", "3.14", "を", "テスト", "し", "た", "。"]


def test_unspaced_text_in_another_language_becomes_characters():
    assert texts("机器", "en") == ["机", "器"]
    assert texts("読む", "ja", "character") == ["読", "む"]
    # A Thai vowel sign belongs to its consonant.
    assert texts("ดีมาก", "th", "character") == ["ดี", "ม", "า", "ก"]


def test_spans_point_into_the_sentence():
    assert segment(" 你好, Bob", "zh") == (
        Word("你好", 1, 3),
        Word(",", 3, 4),
        Word("Bob", 5, 8),
    )


def test_unknown_unit():
    with pytest.raises(TextError, match="choose word or character"):
        segment("a", "en", "syllable")


def test_locate_finds_tokens_in_order():
    assert locate(["do", "n't", "do"], "don't do") == (
        Word("do", 0, 2),
        Word("n't", 2, 5),
        Word("do", 6, 8),
    )
    assert locate(["你好", "世界"], "你好世界")[1] == Word("世界", 2, 4)


def test_locate_keeps_a_wide_space_that_is_a_token():
    assert [word.start for word in locate(["a", "\u00a0", "b"], "a \u00a0 b")] == [0, 2, 4]


@pytest.mark.parametrize(
    ("tokens", "message"),
    [
        (["Hello", "moon"], "word 2 is not what the text has at character 7"),
        (["Hello"], "goes on at character 6"),
        (["Hello", "world", "!"], "word 3 is not what the text has at character 12"),
    ],
)
def test_locate_refuses_tokens_that_spell_something_else(tokens, message):
    with pytest.raises(TextError, match=message):
        locate(tokens, "Hello world")


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("th", "เมื่อวานนี้เธอนั่งลงที่ม้านั่ง"),
        ("hi", "लड़की ने बिल्ली को दूध दिया।"),
        ("ar", "جَلَسَتْ الفَتَاةُ عَلَى الكُرْسِيِّ."),
        ("ja", "彼女はベンチに座った。"),
    ],
)
def test_no_word_begins_or_ends_within_a_character(language, text):
    """A vowel sign or a mark stays with its letter, in every unit."""
    bounds = {0}
    for cluster in regex.findall(r"\X", text):
        bounds.add(max(bounds) + len(cluster))
    for unit in ("word", "character"):
        words = segment(text, language, unit)
        assert {end for word in words for end in (word.start, word.end)} <= bounds
        assert "".join(word.text for word in words) == "".join(text.split())


def test_words_without_spaces_cover_any_text():
    """A word that no dictionary has, rare signs and loose marks: nothing is lost or split up."""
    text = "が゙ぎ\u3099゛ゝ々ー〆𠮷𩸽ﾊﾟﾋﾟヷ㌔㍿〇ฺ์ກຳញ្ញကို"
    for language in ("ja", "th", "lo", "km", "my", "zh"):
        words = segment(text, language)
        assert "".join(word.text for word in words) == text, language
        assert all(text[word.start : word.end] == word.text for word in words)
