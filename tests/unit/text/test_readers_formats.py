"""Formats: each is found by its content, read in full, and says where it is wrong."""

import gzip
from contextlib import suppress

import pytest
from defusedxml.ElementTree import XMLParser

from isogloss.errors import TextError
from isogloss.text.readers.rows import mend_torn_rows
from isogloss.text.reading import GivenFile, GoldAlignment, read_files

TMX = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE tmx SYSTEM "tmx14.dtd">
<tmx version="1.4">
<header srclang="en-US" datatype="plaintext"/>
<body>
<tu><tuv xml:lang="zh-CN"><seg>你<ph x="1">&lt;br/&gt;</ph>好</seg></tuv>
    <tuv xml:lang="en-US"><seg><bpt i="1">&lt;b&gt;</bpt>Hello<ept i="1">&lt;/b&gt;</ept>
 &amp; <hi>welcome</hi></seg></tuv></tu>
<tu><tuv xml:lang="en-US"><seg>Alone</seg></tuv></tu>
</body></tmx>
"""


def read(*files, **options):
    given = [GivenFile(name, text.encode()) for name, text in files]
    return read_files(given, **options)


def fails(message, *files, **options):
    with pytest.raises(TextError, match=message):
        read(*files, **options)


def links(*possible):
    return GoldAlignment(frozenset(possible), frozenset(possible))


@pytest.mark.parametrize(
    ("format", "content"),
    [
        ("tsv", "Hello\t你好\nBye, now\t再见\n"),
        ("tsv", "en\tzh\nHello\t你好\nBye, now\t再见\n"),
        ("csv", 'Hello,你好\n"Bye, now",再见\n'),
        ("csv", "English;中文\r\nHello;你好\r\nBye, now;再见\r\n"),
        ("fast_align", "Hello ||| 你好\nBye, now ||| 再见\n"),
        ("jsonl", '{"en": "Hello", "zh": "你好"}\n{"zh": "再见", "en": "Bye, now"}\n'),
        (
            "jsonl",
            '{"source": "Hello", "target": "你好"}\n{"source": "Bye, now", "target": "再见"}',
        ),
        (
            "jsonl",
            '{"id": 1, "translation": {"en": "Hello", "zh": "你好"}}\n'
            '{"id": 2, "translation": {"en": "Bye, now", "zh": "再见"}}\n',
        ),
        (
            "tmx",
            '<tmx version="1.4"><header/><body>'
            '<tu><tuv xml:lang="en"><seg>Hello</seg></tuv>'
            '<tuv xml:lang="zh"><seg>你好</seg></tuv></tu>'
            '<tu><tuv lang="en"><seg>Bye, now</seg></tuv><tuv lang="zh"><seg>再见</seg></tuv></tu>'
            "</body></tmx>",
        ),
    ],
)
@pytest.mark.parametrize("name", ["upload", "upload.txt", "upload.csv.gz"])
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_the_content_tells_the_format(format, content, name, pack):
    result = read_files(GivenFile(name, pack(content.encode())))
    assert result.format == format
    assert result.text.languages == ("en", "zh")
    assert result.text.source == ("Hello", "Bye, now")
    assert result.text.target == ("你好", "再见")


def test_two_plain_files():
    result = read(("talk.en", "Hello\nBye\n"), ("talk.zh", "你好\n再见\n"))
    assert (result.format, result.languages_guessed) == ("plain", False)
    assert (result.text.name, result.text.languages) == ("talk", ("en", "zh"))
    assert result.text.target == ("你好", "再见")


def test_plain_files_come_in_the_order_asked_for():
    files = (("set.en-nl.nl", "dag\n"), ("set.en-nl.en", "hello\n"))
    assert read(*files).text.languages == ("nl", "en")
    asked = read(*files, languages=("en", "nl")).text
    assert (asked.source, asked.target) == (("hello",), ("dag",))


def test_plain_files_of_unequal_length():
    fails(
        r"a\.en has 3 lines but a\.zh has 2, so line 3 of a\.en has no translation",
        ("a.en", "a\nb\nc\n"),
        ("a.zh", "甲\n乙\n"),
    )
    # An untranslated last line is an empty side rather than a missing line.
    files = (("a.en", "a\nb\n"), ("a.zh", "甲\n\n"))
    fails(r"a\.zh, line 2: the target side is empty", *files)
    assert len(read(*files, skip_bad_rows=True).text) == 1


def test_header_names_choose_columns():
    table = "id\tzh\tnotes\ten\n1\t你好\tx\tHello\n"
    assert read(("a", table)).columns == ("zh", "en")
    assert read(("a", table), languages=("en", "zh")).text.source == ("Hello",)
    assert read(("a", table), columns=("notes", "zh")).text.source == ("x",)
    assert read(("a", table), columns=(4, "2")).text.source == ("Hello",)
    assert read(("a", table), columns=("EN ", 2)).text.languages == ("en", "zh")


def test_columns_that_are_not_there():
    table = "en\tzh\nHello\t你好\n"
    fails("a has no column named 'fr' in its first row; .* 2 that", ("a", table), columns=("fr", 1))
    fails("a has 2 columns, so there is no column 3", ("a", table), columns=(1, 3))
    fails("a has 2 columns, so there is no column 0", ("a", table), columns=(0, 1))
    fails("Both sides of a cannot be column 1", ("a", table), columns=(1, 1))
    fails("a has no column for nl, only for en, zh", ("a", table), languages=("en", "nl"))


@pytest.mark.parametrize("header", ["", "en\r\tzh\r\n"], ids=["no header", "header"])
def test_a_carriage_return_beside_a_tab_is_white_space(header):
    """What `paste` makes of two files with CRLF line ends."""
    result = read(("both.tsv", f"{header}Hello\r\t你好\r\nBye\r\t再见\r\n"))
    assert result.text.source == ("Hello", "Bye")
    assert result.text.target == ("你好", "再见")
    fails("both.tsv, line 2: ", ("both.tsv", "en\r\tzh\r\n\t你好\r\nBye\r\t再见\r\n"))
    # Where carriage returns alone end the lines, one before a tab ends a line, too.
    fails("a.tsv, line 2: ", ("a.tsv", "Hello\t你好\r\t再见\rBye\t再见\r"))


def test_a_list_of_words_without_a_header_loses_no_row():
    words = read(("a", "it\t它\nno\t不\nEnglish\t英文课\n"))
    assert words.text.source == ("it", "no", "English")


def test_columns_of_numbers_are_not_sentences():
    result = read(("a", "1276\tLet's try\t77\t我们试试\n1277\tI see\t78\t我知道\n"))
    assert result.columns == ("2", "4")
    assert result.text.source == ("Let's try", "I see")


def test_quotes_in_tab_separated_text_are_text():
    raw = 'en\tzh\n"Hello"\t“你好”\n"Stop" he said\t他说停\n"Open\t开"\n'
    assert read(("a.tsv", raw)).text.source == ('"Hello"', '"Stop" he said', '"Open')
    alone = 'en\tzh\n"Hello"\t你好\nBye\t再见\n'
    assert read(("a.tsv", alone)).text.source == ('"Hello"', "Bye")


def test_consistent_quoting_in_tab_separated_text_is_undone():
    quoted = 'en\tzh\n"say ""hi"""\t说\n"a\tb"\t好\n'
    assert read(("a.tsv", quoted)).text.source == ('say "hi"', "a\tb")
    everywhere = '"en"\t"zh"\n"Hello"\t"你好"\n'
    assert read(("a.tsv", everywhere)).text.source == ("Hello",)


def test_comma_separated_fields_hold_commas_quotes_and_line_breaks():
    result = read(("a.csv", 'en,zh\n"Hello, ""you""\nthere","你好"\nBye,\n'), skip_bad_rows=True)
    assert result.text.source == ('Hello, "you"\nthere',)
    assert [row.line for row in result.skipped] == [4]


def test_an_open_quote_cannot_be_skipped():
    table = 'en,zh\nHello,你好\n"Bye,再见\nYes,是\n'
    for skip in (False, True):
        fails(r"a\.csv, line 3: a field opens a quote", ("a.csv", table), skip_bad_rows=skip)
    bad = read(("a.csv", 'en,zh\n"a"b,你\nYes,是\n'), skip_bad_rows=True)
    assert str(bad.skipped[0]) == "a.csv, line 2: text follows a closing quote"
    long = f'en,zh\n"{"a" * 200_000}",是\n'
    fails(r"a\.csv, line 2: a field runs on too long", ("a.csv", long))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.tsv", "Hello\t你好\n\nBye\t再见\n"),
        ("a.tsv", "Hello\t你好\n \t\nBye\t再见\n"),
        ("a.csv", "Hello;你好\n;\nBye;再见\n"),
        ("a.txt", "Hello ||| 你好\n\nBye ||| 再见\n"),
    ],
)
def test_an_empty_row_is_left_out_and_said(name, content):
    result = read_files(GivenFile(name, content.encode()), languages=("en", "zh"))
    assert result.text.source == ("Hello", "Bye")
    assert [str(row) for row in result.skipped] == [f"{name}, line 2: the line is empty"]


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"%PDF-1.7\n%\xe2\xe3", "a PDF"),
        (b"PK\x03\x04........word/document.xml", "a Word document"),
        (b"PK\x03\x04........xl/workbook.xml", "an Excel workbook"),
        (b"PK\x03\x04........a.tsv", "a ZIP archive"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1", "an old Word or Excel file"),
        (b"{\\rtf1 text}", "a rich text document"),
    ],
)
def test_a_document_is_called_what_it_is(content, what):
    with pytest.raises(TextError, match=f"mine is {what}, not a text: "):
        read_files(GivenFile("mine", content))


@pytest.mark.parametrize(
    ("name", "content", "line", "reason"),
    [
        ("a.tsv", "en\tzh\nHello\t你好\nBye\n", 3, "it has 1 column where 2 are expected"),
        ("a.tsv", "en\tzh\nHello\t你好\nBye\t再\t见\n", 3, "it has 3 columns where 2 are expected"),
        ("a.tsv", "Hello\t你好\nBye\t \n", 2, "the target side is empty"),
        ("a.tsv", "Hello\t你好\n\t再见\n", 2, "the source side is empty"),
        ("a.txt", "a ||| 你\nb ||| 好 ||| c\n", 2, "2 separators ||| where one is expected"),
        ("a.jsonl", '{"en": "a", "zh": "你"}\n{"en": "b"}\n', 2, "its 'zh' is missing"),
        ("a.jsonl", '{"en": "a", "zh": "你"}\n{"en": 3, "zh": "好"}\n', 2, "its 'en' is not text"),
        ("a.jsonl", '{"en": "a", "zh": "你"}\n{"en": \n', 2, "this is not valid JSON"),
        ("a.jsonl", '{"en": "a", "zh": "你"}\n["a"]\n', 2, "this is JSON but not an object"),
        ("a.jsonl", '{"en": "a", "zh": "你"}\n' + "[" * 99_999, 2, "this is not valid JSON"),
        (
            "a.jsonl",
            '{"en": "a", "zh": "你"}\n{"en": "\\ud800", "zh": "你"}\n',
            2,
            "half a character",
        ),
        ("a.tmx", TMX, 9, "the unit has no zh-CN"),
    ],
)
def test_bad_rows_are_named_or_skipped(name, content, line, reason):
    with pytest.raises(TextError) as caught:
        read((name, content))
    assert f"{name}, line {line}: " in str(caught.value)
    assert reason in str(caught.value)
    assert str(caught.value).endswith("; mend this line or skip the bad rows.")
    result = read((name, content), skip_bad_rows=True)
    assert [row.line for row in result.skipped] == [line]
    assert reason in result.skipped[0].reason
    assert len(result.text) == (2 if "\n\n" in content else 1)


def test_nothing_left_after_skipping():
    fails(
        r"a\.tsv gives no sentence pair: all 2 of its rows are bad, first a\.tsv, line 1",
        ("a.tsv", "a\t\n\tb\n"),
        skip_bad_rows=True,
    )
    fails(r"a\.tsv gives no sentence pair: it holds none", ("a.tsv", "en\tzh\n"))
    fails(r"a\.tsv is empty", ("a.tsv", ""))
    fails(r"a\.tsv is empty", ("a.tsv", " \n\n"))


def test_text_with_one_side_only():
    fails("shows no two sides", ("a.txt", "Hello, you\nBye\n"))
    fails("has one column of text", ("a.tsv", "Hello\nBye\n"))
    fails("Give one file with all languages")
    fails("name of a has no language code", *[("a", "x\n")] * 4)
    fails("takes two files or more, but 1 were given", ("a", "x\n"), format="plain")
    fails("The format 'doc' is not known", ("a", "x\n"), format="doc")


def test_tmx_drops_markup_and_keeps_highlighted_text():
    result = read(("memory", TMX), skip_bad_rows=True)
    assert result.text.languages == ("en", "zh")
    assert result.columns == ("en-US", "zh-CN")
    assert result.text.source == ("Hello\n & welcome",)
    assert result.text.target == ("你好",)
    reverse = read(("memory", TMX), skip_bad_rows=True, languages=("zh", "en"))
    assert reverse.text.source == ("你好",)


def test_tmx_with_more_languages_than_two():
    variants = "".join(
        f'<tuv xml:lang="{tag}"><seg>{tag}!</seg></tuv>' for tag in ("en", "zh-CN", "zh-TW")
    )
    memory = ("a.tmx", f"<tmx><body><tu>{variants}</tu></body></tmx>")
    assert read(memory).text.languages == ("en", "zh-CN", "zh-TW")
    fails("has more than one zh", memory, languages=("en", "zh"))
    fails("has no nl; its languages are en", memory, languages=("en", "nl"))
    chosen = read(memory, languages=("zh-TW", "zh-CN")).text
    assert (chosen.languages, chosen.source) == (("zh-TW", "zh-CN"), ("zh-TW!",))


@pytest.mark.parametrize(
    "declaration",
    [
        '<!ENTITY lol "lol">',
        '<!ENTITY lol SYSTEM "file:///etc/hostname">',
        '<!ENTITY % lol "x">',
        '<!ENTITY a "aaaaaaaaaa"><!ENTITY lol "&a;&a;&a;&a;&a;&a;&a;&a;">',
    ],
)
def test_entities_are_never_expanded(declaration):
    text = (
        f'<?xml version="1.0"?>\n<!DOCTYPE tmx [\n{declaration}]>\n<tmx><body><tu>'
        '<tuv xml:lang="en"><seg>&lol;</seg></tuv><tuv xml:lang="zh"><seg>x</seg></tuv>'
        "</tu></body></tmx>"
    )
    fails("line 3: it declares an entity, and entities are never expanded", ("a", text))


def test_broken_xml_has_a_line():
    fails(r"a, line 3: this is not well-formed XML", ("a", "\n<tmx><body>\n<tu></body></tmx>"))
    fails("not well-formed XML", ("a", TMX.replace("&amp;", "&unknown;")))
    fails("only the language en", ("a", "<tmx><tu><tuv lang='en'><seg>a</seg></tuv></tu></tmx>"))
    fails("no translation units", ("a", "<tmx></tmx>"))


def test_a_declared_encoding_is_believed():
    text = TMX.replace("UTF-8", "GB2312").replace("zh-CN", "zh")
    result = read_files(GivenFile("a", text.encode("gb2312")), skip_bad_rows=True)
    assert (result.encoding, result.text.target) == ("GB18030", ("你好",))
    wrong = read_files(GivenFile("a", TMX.replace("UTF-8", "UTF-16").encode()), skip_bad_rows=True)
    assert wrong.encoding == "UTF-8"


WORDS = "en\tzh\ttopic\ten_words\tzh_words\talignment\n"


def test_alignment_column_with_words():
    rows = "I don't know.\t我不知道。\tdoubt\tI do n't know .\t我 不 知道 。\t0-0 2-1 1p1 3-2 4-3\n"
    bitext = read(("a.tsv", WORDS + rows + "Hi\t嗨\thello\t\t\t\n")).text
    sure = frozenset({(0, 0), (2, 1), (3, 2), (4, 3)})
    assert bitext.gold == (GoldAlignment(sure, sure | {(1, 1)}), None)
    assert bitext.words == ((("I", "do", "n't", "know", "."), ("我", "不", "知道", "。")), None)
    assert bitext.topics == ("doubt", "hello")


def test_alignment_without_words_counts_spaced_tokens():
    bitext = read(("a.tsv", "en\tzh\talignment\nbye\u00a0bye  now\t再 见\t0-0:0.98 1-1\n")).text
    assert bitext.words == ((("bye\u00a0bye", "now"), ("再", "见")),)
    assert bitext.gold == (links((0, 0), (1, 1)),)


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (
            "Hi\t嗨\t\tHi\t嗨\t0-1",
            "its alignment points at target word 1, counted from 0, but there",
        ),
        ("Hi\t嗨\t\tHi\t嗨\t3p0", "its alignment points at source word 3"),
        ("Hi\t嗨\t\tHi\t嗨\t0-0 x", "its alignment has an item, number 2, that is not like 0-1"),
        ("Hi\t嗨\t\tHi\t嗨\t0--1", "its alignment has an item, number 1"),
        ("Hi\t嗨\t\tHo\t嗨\t0-0", "the source words do not spell the sentence: word 1 is"),
        ("Hi\t嗨\t\tHi\t\t", "the target words do not spell the sentence"),
    ],
)
def test_bad_alignments(row, reason):
    fails(f"a.tsv, line 2: {reason}", ("a.tsv", f"{WORDS}{row}\n"))


def test_alignments_in_a_file_of_their_own():
    talk = ("talk.txt", "Hello you ||| 你 好\nBye ||| 再见\n\n")
    pharaoh = ("talk.pharaoh", "0-1 1-0\n\n")
    for files in ([talk, pharaoh], [pharaoh, talk]):
        assert read(*files).text.gold == (links((0, 1), (1, 0)), None)
    plain = [("a.en", "Hello you\nBye\n"), ("a.zh", "你 好\n再见\n"), pharaoh]
    assert read(*plain).text.gold == (links((0, 1), (1, 0)), None)
    beside = GivenFile("x", b"0-0\n0-0\n")
    assert read(talk, alignments=beside).text.gold == (links((0, 0)), links((0, 0)))


def test_alignments_follow_their_rows_when_rows_are_skipped():
    talk = ("a.txt", "Hello ||| 你好\nbad\nBye now ||| 再见\n")
    bitext = read(talk, ("b.txt", "0-0\n5-5\n1-0\n"), skip_bad_rows=True).text
    assert bitext.gold == (links((0, 0)), links((1, 0)))


def test_alignments_of_another_length_or_out_of_range():
    talk = ("a.txt", "Hello ||| 你好\nBye ||| 再见\n")
    fails(r"b\.txt ends before pair 2", talk, ("b.txt", "0-0\n"))
    fails(r"a\.txt ends before pair 3", talk, ("b.txt", "0-0\n0-0\n0-0\n"))
    fails(r"\(b\.txt, line 2\) points at source word 1", talk, ("b.txt", "0-0\n1-0\n"))


def test_plain_numbers_are_text_beside_plain_text():
    bitext = read(("a.en", "one to one\ntwo\n"), ("a.zh", "1-1\n2-2\n")).text
    assert bitext.target == ("1-1", "2-2")


def test_json_keys_words_and_alignment():
    line = (
        '{"frage": "Hello there", "antwort": "你好", "frage_words": ["Hello", "there"],'
        ' "antwort_words": "你 好", "alignment": "0-0", "topic": null}'
    )
    result = read(("a", line), columns=("frage", "antwort"))
    assert result.text.words == ((("Hello", "there"), ("你", "好")),)
    assert result.languages_guessed
    fails("does not say which of its 6 columns", ("a", line))


def test_json_records_need_not_be_alike():
    lines = (
        '{"en": "Hi", "zh": "嗨"}\n'
        '{"en": "Bye", "zh": "再见", "topic": "end", "alignment": "0-1", "zh_words": ["再", "见"],'
        ' "source_words": "Bye"}\n'
    )
    bitext = read(("a", lines)).text
    assert bitext.topics == ("", "end")
    assert bitext.words == (None, (("Bye",), ("再", "见")))
    assert bitext.gold == (None, links((0, 1)))
    for bad in ('"topic": 3', '"alignment": [[0, 1]]', '"en_words": [1]', '"zh_words": 5'):
        fails(
            "line 1: its .*(not text|no list of words)", ("a", f'{{"en": "a", "zh": "b", {bad}}}')
        )


@pytest.mark.parametrize(
    ("name", "content", "languages", "guessed"),
    [
        ("a", "eng\tcmn\nHello\t你好\n", ("en", "zh"), False),
        ("a", "zho_Hans\tnld_Latn\n你好\tHallo\n", ("zh", "nl"), False),
        ("a", "zh-CN\ten-US\n你好\tHello\n", ("zh", "en"), False),
        ("news.en-nl.tsv", "Hello\tHallo\n", ("en", "nl"), False),
        ("a", "Hello\t안녕하세요\n", ("en", "ko"), True),
        ("a", "こんにちは、世界\t你好\n", ("ja", "zh"), True),
        ("a", "Hello\tпривет\n", ("en", "ru"), True),
    ],
)
def test_languages_are_read_or_guessed_and_it_says_which(name, content, languages, guessed):
    result = read((name, content))
    assert (result.text.languages, result.languages_guessed) == (languages, guessed)


def test_languages_that_cannot_be_told_apart_are_asked_for():
    fails("does not tell which two languages", ("a", "Hello\tHallo\n"))
    fails("does not tell which two languages", ("a", "1 2\t3 4\n"))
    fails("qqx in its first row is no language", ("a", "en\tqqx\nHello there\tGood day\n"))


def test_a_language_without_a_sentence_is_refused():
    fails("no sentence in German", ("a", "en\tde\tfr\nyes\t\toui\nno\t\tnon\n"))
    assert read(("a", "Hello\tHallo\n"), languages=("English", "nld")).text.languages == (
        "en",
        "nl",
    )
    fails("Two languages are needed", ("a", "Hello\tHallo\n"), languages=("en", " "))


@pytest.mark.parametrize("long", ['<tuv x="{}">', "<!-- {} -->", '<tuv x=">" y="{}">'])
def test_a_tag_that_never_ends_is_refused_while_it_is_read(long, monkeypatch):
    parts = []
    feed = XMLParser.feed
    monkeypatch.setattr(
        XMLParser, "feed", lambda self, part: parts.append(part) or feed(self, part)
    )
    memory = "<tmx>\n<body><tu>" + long.format("y" * 4_000_000) + "</tu></body></tmx>"
    fails(
        r"a\.tmx, line 2: a tag or a comment is longer than 1 MB; shorten it\.", ("a.tmx", memory)
    )
    assert sum(map(len, parts)) < 1_200_000, "what follows is not read"


def test_long_text_between_tags_is_no_tag():
    sentence = "<seg>" + "a " * 1_000_000 + "</seg>"
    memory = f'<tmx><body><tu><tuv lang="en">{sentence}</tuv></tu></body></tmx>'
    fails("only the language en", ("a.tmx", memory))


@pytest.mark.parametrize("row", ["a{}b\tc", "a\t{}b\tc", "a\tb{}"])
def test_a_run_of_carriage_returns_is_looked_at_once(row):
    """From each of its characters, this many would keep the reader busy for hours."""
    text = row.format("\r" * 2_000_000) + "\nd\te\n"
    with suppress(TextError):
        read(("a.tsv", text), languages=("en", "zh"))


def test_carriage_returns_beside_tabs_go_and_others_stay():
    assert mend_torn_rows("a\r\r\tb\r\n\t\r\rc\rd\n\t\r\n") == "a\tb\r\n\tc\rd\n\t\r\n"
    assert mend_torn_rows("a\t\r\r\tb\n") == "a\t\tb\n"
