"""Tokens: the ids a model gets, and where each lies in its sentence and its words."""

from dataclasses import replace

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.models.tokens import TokenTable, token_ranges, tokenise, words_of, write_tokens
from isogloss.text.parallel import ParallelText
from isogloss.text.words import Word, segment


def table_of(model, bitext, directory) -> TokenTable:
    write_tokens(model, bitext, directory / "tokens.parquet")
    return TokenTable.read(directory / "tokens.parquet")


def test_an_encoder_gets_its_special_tokens_marked(encoder):
    (sentence,) = tokenise(encoder, ["I like green tea."])
    assert sentence.pieces[0] == "[CLS]"
    assert sentence.pieces[-1] == "[SEP]"
    assert sentence.special == (True, *[False] * (len(sentence.ids) - 2), True)


def test_a_decoder_gets_its_bos_though_the_tokenizer_adds_none(decoder):
    assert decoder.tokenizer("Yes.")["input_ids"][0] != decoder.tokenizer.bos_token_id
    (sentence,) = tokenise(decoder, ["Yes."])
    assert sentence.ids == (2, *decoder.tokenizer("Yes.")["input_ids"])
    assert sentence.special == (True, *[False] * (len(sentence.ids) - 1))
    assert sentence.pieces[0] == "<bos>"


def test_bos_is_not_added_twice(decoder):
    import copy

    from tokenizers import processors

    tokenizer = copy.deepcopy(decoder.tokenizer)
    tokenizer.backend_tokenizer.post_processor = processors.TemplateProcessing(
        single="<bos> $A", special_tokens=[("<bos>", 2)]
    )
    (own,) = tokenise(replace(decoder, tokenizer=tokenizer), ["Yes."])
    (added,) = tokenise(decoder, ["Yes."])
    assert own.ids == added.ids
    assert own.special == added.special


def test_spans_are_the_text(model, bitext, tmp_path):
    table = table_of(model, bitext, tmp_path)
    for row in np.flatnonzero(~table.special):
        sentence = bitext.side(table.side[row])[table.sentence[row]]
        covered = sentence[table.start[row] : table.end[row]]
        assert covered == covered.strip()
        assert table.text[row] == (covered or table.piece[row])
        if table.piece[row] not in ("[UNK]", "<unk>"):
            piece = table.piece[row].removeprefix("##").replace("▁", " ").strip()
            assert piece == (covered.lower() if not model.is_decoder else covered)


def test_every_character_but_spaces_is_covered(model, bitext, tmp_path):
    table = table_of(model, bitext, tmp_path)
    for side in (0, 1):
        for number, text in enumerate(bitext.side(side)):
            mine = (table.side == side) & (table.sentence == number)
            covered = np.zeros(len(text), bool)
            for start, end in zip(table.start[mine], table.end[mine], strict=True):
                covered[start:end] = True
            assert "".join(np.array(list(text))[~covered]).strip() == ""


def test_words_are_those_of_the_gold_alignment_where_there_is_one(encoder, bitext, tmp_path):
    table = table_of(encoder, bitext, tmp_path)
    assert [word.text for word in words_of(bitext, 3, 1)] == ["我", "喜欢", "绿茶", "。"]
    mine = (table.side == 1) & (table.sentence == 3)
    assert table.text[mine][1:-1].tolist() == list("我喜欢绿茶。")
    assert table.word[mine].tolist() == [-1, 0, 1, 1, 2, 2, 3, -1]


def test_word_is_the_first_that_a_token_touches(model, bitext, tmp_path):
    table = table_of(model, bitext, tmp_path)
    for row in range(len(table)):
        words = words_of(bitext, int(table.sentence[row]), int(table.side[row]))
        touched = [
            index
            for index, word in enumerate(words)
            if table.start[row] < word.end and word.start < table.end[row]
        ]
        assert table.word[row] == (touched[0] if touched else -1)


def test_a_token_across_two_words_belongs_to_both():
    words = segment("of the house", "en")
    spans = np.array([(0, 0), (0, 6), (7, 9), (9, 12), (0, 0)])
    assert token_ranges(spans, words).tolist() == [[1, 2], [1, 2], [2, 4]]


def test_the_decoder_really_has_tokens_across_words(decoder, bitext, tmp_path):
    assert any(" " in text for text in table_of(decoder, bitext, tmp_path).text)


def test_a_word_cut_off_has_an_empty_range():
    words = segment("of the house", "en")
    first, _, last = token_ranges(np.array([(0, 2), (2, 6)]), words)
    assert first.tolist() == [0, 1]
    assert last[0] == last[1]


def test_the_table_reads_back_what_was_written_and_spells_out_languages(encoder, bitext, tmp_path):
    tokens = write_tokens(encoder, bitext, tmp_path / "tokens.parquet")
    stored = pq.read_table(tmp_path / "tokens.parquet").to_pydict()
    table = TokenTable.read(tmp_path / "tokens.parquet")
    assert len(table) == sum(map(len, tokens.ids))
    assert table.side.tolist() == stored["side"]
    assert stored["language"] == [("en", "zh")[side] for side in stored["side"]]
    starts = table.sentence_starts()
    assert np.diff(np.append(starts, len(table))).tolist() == [len(ids) for ids in tokens.ids]


def test_tables_written_in_parts_are_the_same(encoder, bitext, tmp_path, monkeypatch):
    whole = table_of(encoder, bitext, tmp_path)
    monkeypatch.setattr("isogloss.models.tokens._SENTENCES_AT_A_TIME", 3)
    parts = table_of(encoder, bitext, tmp_path)
    for name in ("sentence", "side", "text", "piece", "word", "start", "end", "special"):
        assert getattr(whole, name).tolist() == getattr(parts, name).tolist()


def test_only_sentences_really_cut_count_as_truncated(encoder, bitext, tmp_path):
    lengths = sorted(len(each.ids) for each in tokenise(encoder, [*bitext.source, *bitext.target]))
    short = replace(encoder, max_tokens=lengths[-2])
    tokens = write_tokens(short, bitext, tmp_path / "tokens.parquet")
    assert tokens.truncated_sentences == 1
    assert max(map(len, tokens.ids)) == lengths[-2]
    long_one = tokenise(short, [bitext.source[7]])[0]
    assert long_one.pieces[-1] == "[SEP]"


def test_a_decoder_is_cut_with_its_bos_within_the_limit(decoder, bitext):
    short = replace(decoder, max_tokens=10)
    (sentence,) = tokenise(short, [bitext.source[7]])
    assert len(sentence.ids) == 10
    assert sentence.truncated
    assert sentence.pieces[0] == "<bos>"


def test_a_cell_without_a_sentence_has_no_tokens(model, tmp_path):
    bitext = ParallelText("gaps", ("en", "zh"), ("", "Yes."), ("是。", ""))
    tokens = write_tokens(model, bitext, tmp_path / "tokens.parquet")
    assert [len(ids) > 0 for ids in tokens.ids] == [False, True, True, False]
    table = TokenTable.read(tmp_path / "tokens.parquet")
    assert set(zip(table.side.tolist(), table.sentence.tolist(), strict=True)) == {(0, 1), (1, 0)}


@pytest.mark.parametrize("text", ["   ", "\u200b", "☃", "\u0000", "☃ ☃☃"])
def test_odd_sentences(model, text, tmp_path):
    bitext = ParallelText("odd", ("en", "zh"), (text, "Yes."), ("是。", text))
    table = table_of(model, bitext, tmp_path)
    assert table.special[0]
    assert len(np.unique(table.sentence[table.side == 1])) == 2


@st.composite
def spans_and_words(draw):
    """Tokens in order that may be empty or overlap in one character, and words in order."""
    length = draw(st.integers(1, 30))
    position = st.integers(0, length)
    starts = sorted(draw(st.lists(position, max_size=12)))
    ends = sorted(draw(st.lists(position, min_size=len(starts), max_size=len(starts))))
    spans = [(start, max(start, end)) for start, end in zip(starts, ends, strict=True)]
    cuts = sorted(draw(st.sets(position, max_size=10)))
    words = [Word("x" * (b - a), a, b) for a, b in zip(cuts[::2], cuts[1::2], strict=False)]
    return np.array(spans, np.int64).reshape(-1, 2), words


@given(spans_and_words())
def test_ranges_are_all_tokens_that_overlap(case):
    spans, words = case
    for word, (first, last) in zip(words, token_ranges(spans, words), strict=True):
        touching = [
            index
            for index, (start, end) in enumerate(spans)
            if start < end and start < word.end and word.start < end
        ]
        assert (list(range(first, last)) == touching) or (
            # tokens without characters may lie between
            {first, last - 1} <= set(touching) and set(touching) <= set(range(first, last))
        )
