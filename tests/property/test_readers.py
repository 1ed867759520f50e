"""Readers under any input: what a writer wrote comes back, and any bytes give one clear answer."""

import gzip
import json

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from isogloss.errors import TextError
from isogloss.text.readers.rows import count_lines, split_lines
from isogloss.text.reading import FORMATS, GivenFile, GoldAlignment, ParallelText, read_files
from isogloss.text.words import locate, segment
from tests.helpers import writing

NAMES = ("a", "a.tsv", "a.csv", "a.jsonl", "a.tmx", "a.txt", "a.en-zh.gz", "a.pharaoh")
RELAXED = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)

tricky = st.one_of(
    st.sampled_from(["|||", '""', "<tmx>", "0-0", "en", "zh", "&amp;", "你好"]),
    st.sampled_from("|\",;\\{'#é𠮷\ufeff\u0301\t\r\n\x0b\x0c\x1c\x85\u00a0\u2028\u3000"),
)
anything = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
sentences = (
    st.lists(st.one_of(tricky, st.text(anything, max_size=6)), min_size=1, max_size=5)
    .map("".join)
    .map(str.strip)
    .filter(bool)
)


@st.composite
def texts(draw):
    """Texts with any text, some with topics, words and gold alignments."""
    pairs = draw(st.lists(st.tuples(sentences, sentences), min_size=1, max_size=5))
    source, target = zip(*pairs, strict=True)
    topics = draw(st.none() | st.lists(sentences, min_size=len(pairs), max_size=len(pairs)))
    gold, words = [], []
    for texts in pairs:
        tokens = tuple(tuple(w.text for w in segment(text, "zh")) for text in texts)
        usable = all(tokens) and not any(" " in word for side in tokens for word in side)
        words.append(tokens if usable and draw(st.booleans()) else None)
        links = st.tuples(*(st.integers(0, max(0, len(side) - 1)) for side in tokens))
        possible = draw(st.frozensets(links, max_size=4)) if words[-1] else frozenset()
        sure = frozenset(link for link in possible if draw(st.booleans()))
        gold.append(GoldAlignment(sure, possible) if possible else None)
    return ParallelText(
        name="a",
        languages=draw(st.sampled_from([("en", "zh"), ("zh", "en"), ("id", "no"), ("nl", "fr")])),
        source=source,
        target=target,
        topics=tuple(topics) if topics else None,
        gold=tuple(gold) if any(gold) else None,
        words=tuple(words) if any(words) else None,
    )


def pair(source, target):
    return ParallelText("a", ("en", "zh"), (source,), (target,))


def written(write, bitext):
    """What the writer writes, or None where it says that the format cannot hold the text."""
    try:
        return write(bitext)
    except TextError:
        return None


@RELAXED
@given(texts())
@example(pair('"a""b"', '"c"'))
@example(pair("|||", "0-0"))
@example(pair('"a\tb', 'c"'))
def test_tables_come_back_whole(bitext):
    for write, name in (
        (writing.write_tsv, "a.tsv"),
        (writing.write_csv, "a.csv"),
        (writing.write_json_lines, "a.jsonl"),
    ):
        if data := written(write, bitext):
            for packed in (data, gzip.compress(data)):
                assert read_files(GivenFile(name, packed), name="a").text == bitext, name


@RELAXED
@given(texts())
@example(pair("\ufeffa", "\ufeff"))
@example(pair("a |", "| b"))
@example(pair("a\rb", "a\nb"))
def test_texts_come_back_whole(bitext):
    for write, format in (
        (writing.write_plain, "plain"),
        (writing.write_fast_align, "fast_align"),
        (writing.write_tmx, "tmx"),
    ):
        if data := written(write, bitext):
            parts = data if isinstance(data, tuple) else (data,)
            files = [GivenFile("a", part) for part in parts]
            read = read_files(files, format=format, languages=bitext.languages).text
            assert (read.source, read.target) == (bitext.source, bitext.target), format


@RELAXED
@given(texts())
def test_alignments_and_encodings_come_back(bitext):
    table = writing.write_json_lines(bitext)
    pharaoh = GivenFile("a.pharaoh", writing.write_pharaoh(bitext))
    beside = read_files(GivenFile("a.jsonl", table), alignments=pharaoh, name="a")
    assert beside.text == bitext
    for codec, asked in (("utf-8-sig", None), ("utf-16", None), ("gb18030", "gb18030")):
        file = GivenFile("a", table.decode().encode(codec))
        assert read_files(file, name="a", encoding=asked).text == bitext, codec


@pytest.mark.parametrize(
    ("write", "text"),
    [
        (writing.write_tsv, "a\nb"),
        (writing.write_plain, "a\rb"),
        (writing.write_fast_align, "a ||| b"),
        (writing.write_fast_align, "a\nb"),
        (writing.write_tmx, "a\x01b"),
    ],
)
def test_writers_refuse_only_what_their_format_cannot_hold(write, text):
    with pytest.raises(TextError, match="cannot; replace it"):
        write(pair(text, "x"))
    assert write(pair("a b", "x"))


FRAGMENTS = (
    b'\t,\n,\r\n,|||,",;,{,[,0-0,hi,\0,1e999,&a;,<tmx>,<tu>,</tu>,<seg>,\xff\xfe,\xef\xbb\xbf,\x1f\x8b,'
    b"\xc4\xe3\xba\xc3,\xa7\x41\xa6\x6e,\xe4\xbd\xa0\xe5\xa5\xbd"
).split(b",")
LONG_FRAGMENTS = (
    b'<tuv lang="en">',
    b"<!DOCTYPE a [",
    b"<!ENTITY a 'b'>",
    b"<?xml version='1.0' encoding='big5'?>",
    b"en\tzh\talignment\n",
    b'{"en": "a", "zh": "b"}',
    b'{"translation": 1}',
    b'{"en": [], "zh": {}}',
    b'"\\ud800"',
    b"9" * 5000,
)
fragments = st.sampled_from([*FRAGMENTS, *LONG_FRAGMENTS, b","])
any_bytes = st.one_of(
    st.binary(max_size=200), st.lists(fragments | st.binary(max_size=4), max_size=25).map(b"".join)
)


def answers(files, **options):
    """A text that holds text, or one sentence; any other exception fails the test."""
    try:
        result = read_files(files, **options)
    except TextError as error:
        message = str(error)
    else:
        message = "It holds text."
        assert len(result.text) > 0
        assert all(result.text.source)
        assert all(result.text.target)
        assert len(result.text.content_hash) == 64
    assert message.endswith(".")
    assert "\n" not in message


@RELAXED
@given(any_bytes, st.sampled_from(NAMES), st.booleans(), st.booleans())
@example(b"\x1f\x8b\x08\x00", "a", False, False)
@example(b"<tmx>" + b"<a>" * 50_000, "a.tmx", True, False)
@example(b'{"a":' * 50_000, "a.jsonl", True, False)
def test_any_bytes_give_an_answer(data, name, skip, pack):
    answers(GivenFile(name, gzip.compress(data) if pack else data), skip_bad_rows=skip)


@pytest.mark.parametrize("format", FORMATS)
@RELAXED
@given(any_bytes, any_bytes, st.booleans(), st.sampled_from([None, (1, 2), ("en", "zh"), (2, "x")]))
def test_any_bytes_in_any_format_give_an_answer(format, first, second, skip, columns):
    files = [GivenFile("a.en", first), GivenFile("a.zh", second)]
    answers(
        files if format == "plain" else files[:1],
        format=format,
        columns=columns,
        languages=("en", "zh") if skip else None,
        skip_bad_rows=skip,
    )


@RELAXED
@given(st.lists(any_bytes, max_size=4), any_bytes | st.none(), st.booleans())
def test_any_bytes_beside_each_other_give_an_answer(contents, beside, skip):
    files = [GivenFile(f"a.{i}", data) for i, data in enumerate(contents)]
    alignments = GivenFile("a.pharaoh", beside) if beside is not None else None
    answers(files, alignments=alignments, skip_bad_rows=skip)


@RELAXED
@given(
    st.recursive(
        st.none() | st.integers() | st.text(),
        lambda x: (
            st.lists(x)
            | st.dictionaries(
                st.sampled_from(
                    ["en", "zh", "source", "target", "translation", "en_words", "alignment"]
                ),
                x,
            )
        ),
    )
)
def test_any_json_gives_an_answer(value):
    answers(GivenFile("a.jsonl", json.dumps(value).encode()), skip_bad_rows=True)


@RELAXED
@given(
    sentences,
    st.sampled_from(["en", "zh", "ja", "th", "xx"]),
    st.sampled_from(["word", "character"]),
)
def test_words_tile_the_sentence(sentence, language, unit):
    words = segment(sentence, language, unit)
    position = 0
    for word in words:
        assert word.text == sentence[word.start : word.end] != ""
        assert sentence[position : word.start].strip() == ""
        position = word.end
    assert sentence[position:].strip() == ""
    assert locate([word.text for word in words], sentence) == words


@RELAXED
@given(st.text(st.sampled_from("ab\r\n\u2028\x85\x0b"), max_size=30))
def test_lines_are_counted_as_they_are_split(text):
    lines = list(split_lines(text))
    assert len(lines) == count_lines(text)
    assert "".join(split_lines(text, keep_ends=True)) == text
    assert not any("\r" in line or "\n" in line for line in lines)
