"""Treebanks: what CoNLL-U and IOB2 say is read; what is wrong is said with its line."""

import gzip
from pathlib import Path

import pytest

from isogloss.errors import TreebankError
from isogloss.text.readers import tagged_words
from isogloss.text.readers.tagged_words import entities
from isogloss.text.reading import load_bundled
from isogloss.text.treebanks import find_treebanks, read_treebank


def row(number, form, tag="NOUN", head="0", relation="root", misc="_") -> str:
    return "\t".join([str(number), form, "_", tag, "_", "_", str(head), relation, "_", misc])


def write(tmp_path: Path, *lines: str, name: str = "en_mine-test.conllu") -> Path:
    path = tmp_path / name
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_words_tags_trees_and_where_words_stand(tmp_path):
    path = write(
        tmp_path,
        "# sent_id = 1",
        row("1-2", "don't", "_", "_", "_"),
        row(1, "do", "AUX", 3, "aux"),
        row(2, "n't", "PART", 3, "advmod"),
        row(3, "sleep", "VERB", misc="SpaceAfter=No"),
        row("3.1", "left", "VERB", "_", "_"),
        row(4, "!", "PUNCT", 3, "punct"),
        "",
        "",
        row(1, "#", "SYM"),
    )
    tree, second = read_treebank(path).sentences
    assert tree.text == "don't sleep!"
    assert tree.words == ("do", "n't", "sleep", "!")
    assert [tree.text[a:b] for a, b in tree.spans] == ["don't", "don't", "sleep", "!"]
    assert tree.tags == ("AUX", "PART", "VERB", "PUNCT")
    assert tree.heads == (3, 3, 0, 3)
    assert tree.relations == ("aux", "advmod", "root", "punct")
    assert second.words == ("#",)


@pytest.mark.parametrize(
    ("lines", "line", "said"),
    [
        ([row(1, "a"), row(2, "b", head=3), row(3, "c", head=2)], 2, "lead round in a cycle"),
        ([row(1, "a", head=1), row(2, "b")], 1, "lead round in a cycle"),
        ([row(1, "a"), row(2, "b")], 2, "a second root"),
        ([row(1, "a", head=2), row(2, "b", head=1)], 1, "no root"),
        ([row(1, "a"), row(2, "b", head=3)], 2, "the head is none of the 2 words"),
        ([row(1, "a"), row(2, "b", head="-1")], 2, "the head is none of the 2 words"),
        ([row(1, "a"), row(2, "b", head="_")], 2, "the head is none of the 2 words"),
        ([row(1, "a"), row(2, "b", head="²")], 2, "the head is none of the 2 words"),
        ([row(1, "a"), row(2, "b").rpartition("\t")[0]], 2, "this one has 9 columns"),
        ([row(1, "a").replace("\t", " ")], 1, "this one has 1 columns"),
        ([row(1, "")], 1, "this one has an empty one"),
        ([row(1, "a"), row(3, "b", head=1)], 2, "word 2 was expected here"),
        ([row(1, "a", "Noun")], 1, "this is no universal part of speech"),
        ([row("1-2", "ab"), row(1, "a")], 2, "word 2 of the sentence is missing"),
        ([row(1, "a"), row("1-2", "ab"), row(2, "b", head=1)], 2, "1-2 does not stand before"),
        ([row("0.1", "a")], 1, "no word"),
    ],
)
def test_bad_conllu_is_told_with_file_and_line(tmp_path, lines, line, said):
    path = write(tmp_path, "# text", *lines)
    with pytest.raises(TreebankError) as caught:
        read_treebank(path)
    message = str(caught.value)
    assert message.startswith(f"en_mine-test.conllu, line {line + 1}: ")
    assert said in message
    assert "\n" not in message


def test_entities_with_and_without_numbers(tmp_path):
    plain = write(tmp_path, "in O", "New B-LOC", "York I-LOC", name="en_a-dev.iob2")
    numbered = write(
        tmp_path, "1\t她\tO\t-\t-", "2\t在\tO\t-\tx", "3\t苏州\tB-LOC\t-\t-", name="zh_a-dev.iob2"
    )
    english, chinese = (read_treebank(path).sentences[0] for path in (plain, numbered))
    assert (english.text, english.tags) == ("in New York", ("O", "B-LOC", "I-LOC"))
    assert (chinese.text, chinese.tags) == ("她在苏州", ("O", "O", "B-LOC"))
    assert entities(english.tags) == {(1, 3, "LOC")}


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (["a O", "b I-LOC"], "the mark I- goes on with nothing; write B-"),
        (["a B-PER", "b I-LOC"], "goes on with nothing"),
        (["a O", "b LOC"], "this is no mark"),
        (["a O", "b"], "there are 1 columns"),
    ],
)
def test_bad_entities_are_told_with_file_and_line(tmp_path, lines, said):
    with pytest.raises(TreebankError, match=r"^en_b-dev\.iob2, line 2: ") as caught:
        read_treebank(write(tmp_path, *lines, name="en_b-dev.iob2"))
    assert said in str(caught.value)


def test_entities_by_words_kinds_and_neighbours():
    marks = ["B-PER", "B-PER", "I-PER", "I-LOC", "O", "I-ORG"]
    assert entities(marks) == {(0, 1, "PER"), (1, 3, "PER"), (3, 4, "LOC"), (5, 6, "ORG")}


def test_files_are_found_by_language_and_split(tmp_path):
    write(tmp_path, row(1, "a"), name="en_a-ud-train.conllu")
    packed = tmp_path / "zh_a-test.conllu.gz"
    packed.write_bytes(gzip.compress(row(1, "猫").encode()))
    assert list(find_treebanks(str(tmp_path), "en", "conllu")) == ["train"]
    assert read_treebank(find_treebanks(str(tmp_path), "zh", "conllu")["test"]).words == 1
    write(tmp_path, row(1, "a"), name="en_b-train.conllu")
    with pytest.raises(TreebankError, match="two train sets in en, en_a-ud-train"):
        find_treebanks(str(tmp_path), "en", "conllu")
    with pytest.raises(TreebankError, match="is no directory of treebanks"):
        find_treebanks(str(tmp_path / "missing"), "en", "conllu")


def test_the_bundled_sample_tags_the_aligned_pairs():
    """Every word of the gold alignment has a tag, in both languages; no pair is in both splits."""
    bitext = load_bundled("everyday.en-zh")
    words = {
        text: bitext.words[pair][side]
        for side in (0, 1)
        for pair, text in enumerate(bitext.side(side))
        if bitext.gold[pair]
    }
    for side, language in enumerate(("en", "zh")):
        found = {
            split: read_treebank(path).sentences
            for split, path in find_treebanks("bundled", language, "conllu").items()
        }
        assert {split: len(each) for split, each in found.items()} == {"train": 48, "test": 24}
        tagged = {each.text: each for each in (*found["train"], *found["test"])}
        assert len(tagged) == 72
        for text, sentence in tagged.items():
            spelled = tuple(dict.fromkeys(sentence.spans))
            assert tuple(text[a:b] for a, b in spelled) == words[text]
            assert (sentence.tags[-1] == "PUNCT") is (text[-1] in ".?。？")
        pairs = [bitext.side(side).index(each.text) for each in found["test"]]
        other = [
            s.text
            for s in read_treebank(find_treebanks("bundled", "zh", "conllu")["test"]).sentences
        ]
        assert [bitext.target[pair] for pair in pairs] == other


class CountedHeads(list):
    """Heads that count how often one of them is followed."""

    followed = 0

    def __getitem__(self, place):
        self.followed += 1
        return super().__getitem__(place)


@pytest.mark.parametrize(
    ("above", "found"),
    [
        (lambda word, n: word - 1, None),
        (lambda word, n: word + 1 if word < n else 0, None),
        (lambda word, n: 0 if word == 1 else word - 1 if word % 2 else 1, None),
        (lambda word, n: word + 1 if word < n else n - 1, 1),
        (lambda word, n: word - 1 if word < n - 1 else 2 * n - 1 - word, 4_999),
    ],
)
def test_each_head_is_followed_once_however_long_the_chain(above, found):
    n = 5_000
    heads = CountedHeads(above(word, n) for word in range(1, n + 1))
    assert tagged_words._first_below_a_cycle(heads) == found
    assert heads.followed <= n


def test_a_sentence_that_never_ends_is_refused_where_it_is_too_long(tmp_path):
    words = [row(number, "w", head=number - 1) for number in range(1, 100_001)]
    path = write(tmp_path, *words)
    with pytest.raises(TreebankError, match=r"line 10001: the sentence has more than 10,000 words"):
        read_treebank(path)
    path = write(tmp_path, *words[:10_000])
    assert len(read_treebank(path).sentences[0]) == 10_000
    path = write(tmp_path, *["a\tO"] * 10_001, name="en_mine-test.iob2")
    with pytest.raises(TreebankError, match=r"leave an empty line after each sentence"):
        read_treebank(path)
