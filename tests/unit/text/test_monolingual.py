"""Text to adapt to: any source, its parts apart from one another."""

import pytest

from isogloss.errors import TextError
from isogloss.text.monolingual import Sizes, read_adaptation_text, read_source


def test_parts_share_no_sentence_and_languages_are_balanced():
    text = read_adaptation_text("zh", (), (), Sizes(1_000, 50, 50, 60), seed=0)
    parts = [
        text.train,
        text.validation,
        text.test,
        [sentence for each in text.multilingual.values() for sentence in each],
    ]
    sentences = [sentence for part in parts for sentence in part]
    assert len(set(sentences)) == len(sentences)
    assert {code: len(each) for code, each in text.multilingual.items()} == {"en": 30, "zh": 30}
    assert len(text.validation) == len(text.test) == 50
    assert len(text.train) > 150
    again = read_adaptation_text("zh", (), (), Sizes(1_000, 50, 50, 60), seed=0)
    other = read_adaptation_text("zh", (), (), Sizes(1_000, 50, 50, 60), seed=1)
    assert again.content_hashes == text.content_hashes != other.content_hashes


def test_sources_of_every_kind(tmp_path):
    (tmp_path / "plain.txt").write_text("你好，世界。\n\n好的, 明天\t见\n……\n", encoding="utf-8")
    (tmp_path / "pairs.tsv").write_text("en\tzh\nYes.\t是。\nNo.\t不。\n", encoding="utf-8")
    (tmp_path / "dev-zh.tsv").write_text("他来了。\t他走了。\tcontradiction\n", encoding="utf-8")
    (tmp_path / "empty.txt").write_text("\n")
    plain = {"zh": ("你好，世界。", "好的, 明天\t见")}
    assert read_source(str(tmp_path / "plain.txt")) == plain
    assert read_source(str(tmp_path / "pairs.tsv")) == {
        "en": ("Yes.", "No."),
        "zh": ("是。", "不。"),
    }
    assert read_source(str(tmp_path / "dev-zh.tsv")) == {"zh": ("他来了。", "他走了。")}
    assert set(read_source("everyday.en-nl")) == {"en", "nl"}
    with pytest.raises(TextError, match=r"empty\.txt is empty"):
        read_source(str(tmp_path / "empty.txt"))
    with pytest.raises(TextError, match="There is no file"):
        read_source(str(tmp_path / "nothing.txt"))
    sizes = Sizes(9, 9, 9, 9)
    with pytest.raises(TextError, match="but none in zh"):
        read_adaptation_text("zh", ["everyday.en-nl"], ["everyday.en-nl"], sizes, 0)
    with pytest.raises(TextError, match="2 different sentences in zh"):
        read_adaptation_text("zh", [str(tmp_path / "pairs.tsv")], ["everyday.en-nl"], sizes, 0)
    with pytest.raises(TextError, match="No text in sw comes with Isogloss"):
        read_adaptation_text("sw", (), (), sizes, 0)


def test_a_language_that_is_not_bundled_is_compared_with_those_that_are(tmp_path):
    path = tmp_path / "mine.fr.txt"
    path.write_text("\n".join(f"La phrase numéro {i}." for i in range(40)))
    text = read_adaptation_text("fr", [str(path)], (), Sizes(20, 5, 5, 30), 0)
    assert text.language == "fr"
    assert set(text.multilingual) == {"en", "zh", "nl"}
    with pytest.raises(TextError, match="No text in fr comes with Isogloss"):
        read_adaptation_text("fr", (), (), Sizes(20, 5, 5, 30), 0)


def test_a_held_out_text_without_sentences_is_refused(tmp_path):
    path = tmp_path / "nothing.en.txt"
    path.write_text("!!!\n???\n")
    with pytest.raises(TextError, match="no sentence in en"):
        read_adaptation_text("zh", (), [str(path)], Sizes(20, 5, 5, 30), 0)
