"""The bundled NLI set: parallel, balanced, and without giveaways in the hypothesis alone."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import pytest

import isogloss

DIRECTORY = Path(isogloss.__path__[0]) / "bundled" / "nli"
LABELS = ("entailment", "neutral", "contradiction")
LANGUAGES = ("en", "zh")
SPLITS = ("train", "dev", "test")
CHANCE, MARGIN = 1 / 3, 0.05

Row = tuple[str, str, str]


def read_split(split: str, language: str) -> list[Row]:
    lines = (DIRECTORY / f"{split}.{language}.tsv").read_text(encoding="utf-8").split("\n")
    assert lines[0] == "premise\thypothesis\tlabel"
    assert lines[-1] == ""
    fields = (line.split("\t") for line in lines[1:-1])
    return [(premise, hypothesis, label) for premise, hypothesis, label in fields]


@pytest.fixture(scope="module")
def bitext() -> dict[tuple[str, str], list[Row]]:
    return {(s, lang): read_split(s, lang) for s in SPLITS for lang in LANGUAGES}


def test_split_sizes(bitext):
    sizes = {split: len(bitext[split, "en"]) for split in SPLITS}
    assert sizes == {"train": 744, "dev": 171, "test": 171}


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_labels_are_exactly_balanced(bitext, split, language):
    rows = bitext[split, language]
    counts = Counter(label for _, _, label in rows)
    assert counts == dict.fromkeys(LABELS, len(rows) // 3)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_hypothesis_carries_each_label_once(bitext, language):
    labels = defaultdict(list)
    for split in SPLITS:
        for _, hypothesis, label in bitext[split, language]:
            labels[split, hypothesis].append(label)
    assert all(sorted(found) == sorted(LABELS) for found in labels.values())


@pytest.mark.parametrize("split", SPLITS)
def test_languages_are_parallel(bitext, split):
    english, chinese = bitext[split, "en"], bitext[split, "zh"]
    assert [row[2] for row in english] == [row[2] for row in chinese]
    # A text that recurs in one language must recur in the same rows of the other.
    for column in (0, 1):
        translations = {(e[column], c[column]) for e, c in zip(english, chinese, strict=True)}
        assert len(translations) == len({e[column] for e in english})
        assert len(translations) == len({c[column] for c in chinese})


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_pair_repeats_and_splits_share_no_text(bitext, language):
    pairs = [row[:2] for split in SPLITS for row in bitext[split, language]]
    assert len(set(pairs)) == len(pairs)
    texts = [{text for row in bitext[split, language] for text in row[:2]} for split in SPLITS]
    assert len(set.union(*texts)) == sum(map(len, texts))


@pytest.mark.parametrize("split", SPLITS)
def test_texts_are_clean_and_of_the_stated_length(bitext, split):
    for premise, hypothesis, _ in bitext[split, "en"]:
        assert 6 <= len(premise.split()) <= 20, premise
        assert 4 <= len(hypothesis.split()) <= 12, hypothesis
        for text in (premise, hypothesis):
            assert re.fullmatch(r"[A-Z\"][^\u4e00-\u9fff]*\.", text), text
            assert "  " not in text, text
    for row in bitext[split, "zh"]:
        for text in row[:2]:
            assert re.fullmatch(r"[^\s,.;:?!]+。", text), text


def hypothesis_only_accuracy(
    train: list[Row], test: list[Row], language: str, folds: int = 0
) -> float:
    """Train on hypotheses alone; with folds, cross-validate train + test by hypothesis instead."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GroupKFold, cross_val_score
    from sklearn.pipeline import make_pipeline

    classifier = make_pipeline(
        TfidfVectorizer(analyzer="char" if language == "zh" else "word", ngram_range=(1, 2)),
        LogisticRegression(max_iter=1000),
    )
    if folds:
        _, hypotheses, labels = zip(*train, *test, strict=True)
        cut = GroupKFold(folds)
        scores = cross_val_score(classifier, hypotheses, labels, groups=hypotheses, cv=cut)
        return float(np.mean(scores))
    classifier.fit([row[1] for row in train], [row[2] for row in train])
    return float(classifier.score([row[1] for row in test], [row[2] for row in test]))


@pytest.mark.parametrize("folds", [0, 5], ids=["held-out", "cross-validated"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_hypothesis_alone_gives_nothing_away(bitext, language, folds):
    train = bitext["train", language]
    held_out = bitext["dev", language] + bitext["test", language]
    accuracy = hypothesis_only_accuracy(train, held_out, language, folds)
    assert abs(accuracy - CHANCE) <= MARGIN


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_probe_would_notice_a_giveaway(bitext, language):
    mark = {"en": " not", "zh": "不"}[language]

    def spoil(rows: list[Row]) -> list[Row]:
        return [(p, h + mark if label == "contradiction" else h, label) for p, h, label in rows]

    accuracy = hypothesis_only_accuracy(
        spoil(bitext["train", language]), spoil(bitext["test", language]), language
    )
    assert accuracy > CHANCE + 4 * MARGIN
