"""Sentence pairs with people's similarities: reading them, and correlating with them."""

import gzip
from pathlib import Path

import numpy as np
import pytest
import scipy.stats

from isogloss.errors import IsoglossError, StsError
from isogloss.lab.sentences.encoder import build_encoder, correlate_sts
from isogloss.models.loading import LoadedModel
from isogloss.text.sts import SIMILARITIES, StsSet, cross, load_sts, read_sts_file

ROWS = [
    ("A cat sleeps.", "A cat is asleep.", 4.8),
    ("A cat sleeps.", "A dog barks.", 1.2),
    ("It rains.", "The sun shines.", 0.5),
    ("He reads a book.", "He is reading.", 3.6),
]


def write(path: Path, lines: list[str]) -> Path:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def lines_of(rows: list[tuple[str, str, float]]) -> list[str]:
    return [f"{first}\t{second}\t{score}" for first, second, score in rows]


def test_three_columns_are_read_with_and_without_a_header(tmp_path: Path) -> None:
    bare = read_sts_file(write(tmp_path / "similar.en.tsv", lines_of(ROWS)))
    headed = write(tmp_path / "headed.en.tsv", ["sentence1\tsentence2\tscore", *lines_of(ROWS)])
    assert bare == read_sts_file(headed)
    assert bare.name == "en"
    assert list(zip(bare.first, bare.second, bare.scores, strict=True)) == ROWS


def test_columns_are_found_by_name_in_any_order(tmp_path: Path) -> None:
    header = "index\tgenre\tscore\tsentence1\tsentence2"
    lines = [f"{i}\tnews\t{row[2]}\t{row[0]}\t{row[1]}" for i, row in enumerate(ROWS)]
    found = read_sts_file(write(tmp_path / "glue.tsv", [header, *lines]))
    assert found.name == "glue"
    assert found.scores == tuple(score for *_, score in ROWS)
    assert found.second == tuple(second for _, second, _ in ROWS)


def test_the_benchmarks_own_layout_is_known(tmp_path: Path) -> None:
    lines = [
        f"main-captions\tMSRvid\t2012test\t{i:04d}\t{row[2]:.3f}\t{row[0]}\t{row[1]}"
        for i, row in enumerate(ROWS)
    ]
    lines[1] += "\tsource one\tsource two"
    found = read_sts_file(write(tmp_path / "sts-dev.csv", lines))
    assert list(zip(found.first, found.second, found.scores, strict=True)) == ROWS


def test_a_gzipped_file_reads_the_same(tmp_path: Path) -> None:
    path = write(tmp_path / "similar.en.tsv", lines_of(ROWS))
    packed = tmp_path / "packed.en.tsv.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert read_sts_file(packed) == read_sts_file(path)


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        ("A cat.\tA dog.", "line 3: it has 2 columns"),
        ("A cat.\tA dog.\talike", "line 3: its score is not a number"),
        ("A cat.\tA dog.\tnan", "line 3: its score is not a number"),
        ("A cat.\t \t3", "line 3: its second sentence is empty"),
        ("", "line 3: it has 1 columns"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, bad: str, said: str) -> None:
    lines = lines_of(ROWS)
    path = write(tmp_path / "similar.en.tsv", [*lines[:2], bad, *lines[2:]])
    with pytest.raises(StsError, match=f"similar.en.tsv, {said}"):
        read_sts_file(path)


def test_files_that_cannot_be_used_say_why(tmp_path: Path) -> None:
    with pytest.raises(StsError, match="no column score"):
        read_sts_file(write(tmp_path / "a.tsv", ["sentence1\tsentence2\tlikeness", "a\tb\t1"]))
    with pytest.raises(StsError, match="2 pairs where a correlation needs at least 3"):
        read_sts_file(write(tmp_path / "b.tsv", lines_of(ROWS[:2])))
    with pytest.raises(StsError, match="have the score 2"):
        read_sts_file(write(tmp_path / "c.tsv", [f"a{i}\tb{i}\t2" for i in range(5)]))
    with pytest.raises(IsoglossError, match="There is no file"):
        read_sts_file(tmp_path / "missing.tsv")


def test_the_bundled_sets_are_parallel_and_cross(tmp_path: Path) -> None:
    english, chinese, across = load_sts()
    assert (english.name, chinese.name, across.name) == ("en", "zh", "en–zh")
    assert english.scores == chinese.scores
    assert across == cross(english, chinese)
    assert len(across) == 2 * len(english)
    assert across.first[0] == english.first[0]
    assert across.second[0] == chinese.second[0]
    assert across.first[-1] == chinese.first[-1]
    assert across.second[-1] == english.second[-1]


def test_only_files_with_the_same_scores_cross(tmp_path: Path) -> None:
    one = write(tmp_path / "one.en.tsv", lines_of(ROWS))
    other = write(tmp_path / "other.de.tsv", lines_of(ROWS))
    strange = write(tmp_path / "strange.fr.tsv", lines_of([(a, b, 5 - c) for a, b, c in ROWS]))
    assert [each.name for each in load_sts([one, other])] == ["en", "de", "en–de"]
    assert [each.name for each in load_sts([one, strange])] == ["en", "fr"]
    with pytest.raises(StsError, match="both called en"):
        load_sts([one, write(tmp_path / "again.en.tsv", lines_of(ROWS))])


def test_correlations_are_those_of_scipy(encoder: LoadedModel) -> None:
    pairs = StsSet("en", *zip(*ROWS, strict=True))
    built = build_encoder(encoder, -1, "mean", 32)
    X, Y = (built.encode(list(side)).astype(np.float64) for side in (pairs.first, pairs.second))
    by_hand = {
        "cosine": (X * Y).sum(1) / np.linalg.norm(X, axis=1) / np.linalg.norm(Y, axis=1),
        "manhattan": -np.abs(X - Y).sum(1),
        "euclidean": -np.linalg.norm(X - Y, axis=1),
        "dot": (X * Y).sum(1),
    }
    found = correlate_sts(built, pairs)
    assert list(found) == list(SIMILARITIES)
    for name, values in by_hand.items():
        pearson = scipy.stats.pearsonr(values, pairs.scores).statistic
        spearman = scipy.stats.spearmanr(values, pairs.scores).statistic
        # The encoder's float32 states differ in their last digits from one kind of processor to
        # another, and a tiny model's similarities lie close together.
        assert found[name].pearson == pytest.approx(pearson, abs=1e-3)
        assert found[name].spearman == pytest.approx(spearman, abs=1e-3)


@pytest.mark.filterwarnings("ignore:An input array is constant")
def test_what_never_varies_has_no_correlation(encoder: LoadedModel) -> None:
    pairs = StsSet("en", ("A cat.",) * 4, ("A cat.",) * 4, (1.0, 2.0, 3.0, 4.0))
    found = correlate_sts(build_encoder(encoder, -1, "mean", 32), pairs)
    assert found["euclidean"].pearson is None
    assert found["euclidean"].spearman is None
