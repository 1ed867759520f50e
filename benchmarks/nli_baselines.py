"""Measure what the bundled NLI set gives away to classifiers that see only part of a pair.

`python -m benchmarks.nli_baselines [--toy]` prints one Markdown table (seconds, deterministic).
Chance is 33.3 %: three labels, exactly balanced in every split.

Columns (accuracy in per cent):

- *by scene*: 10-fold cross-validation over all rows, rows that share a premise or a hypothesis
  kept in one fold.
- *any rows*: the same with rows dealt out freely. A hypothesis seen twice then has its third label
  left to guess, so a partial view falls *below* chance here by construction.
- *held out*: trained on train, tested on dev and test together.
"""

from __future__ import annotations

import argparse
import csv
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, StratifiedKFold, cross_val_score
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from benchmarks.arguments import read_arguments

DIRECTORY = Path(__file__).resolve().parents[1] / "isogloss" / "bundled" / "nli"
SPLITS = ("train", "dev", "test")
LANGUAGES = ("en", "zh")


@dataclass(frozen=True)
class Pair:
    """One labelled row and the split it belongs to."""

    premise: str
    hypothesis: str
    label: str
    split: str


def read_pairs(language: str) -> list[Pair]:
    """Read all splits of one language, in file order."""
    pairs = []
    for split in SPLITS:
        with (DIRECTORY / f"{split}.{language}.tsv").open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
                pairs.append(Pair(**row, split=split))
    return pairs


def tokens(text: str, language: str) -> list[str]:
    """Split into lower-case words (English) or characters (Chinese), without punctuation."""
    return re.findall(r"\w" if language == "zh" else r"\w+", text.lower())


def scenes(pairs: list[Pair]) -> np.ndarray:
    """Number the connected components of rows that share a premise or a hypothesis."""
    texts = dict.fromkeys(text for pair in pairs for text in (pair.premise, pair.hypothesis))
    number = {text: i for i, text in enumerate(texts)}
    premises = [number[pair.premise] for pair in pairs]
    hypotheses = [number[pair.hypothesis] for pair in pairs]
    graph = coo_array((np.ones(len(pairs)), (premises, hypotheses)), shape=(len(number),) * 2)
    return connected_components(graph, directed=False)[1][premises]


def text_classifier(view: Callable[[Pair], str], language: str) -> Pipeline:
    """Build TF-IDF over 1- and 2-grams (words or Chinese characters) with logistic regression."""
    return make_pipeline(
        FunctionTransformer(lambda pairs: [view(pair) for pair in pairs]),
        TfidfVectorizer(
            tokenizer=lambda text: tokens(text, language), token_pattern=None, ngram_range=(1, 2)
        ),
        LogisticRegression(max_iter=1000),
    )


def number_classifier(view: Callable[[Pair], list[float]]) -> Pipeline:
    """Build logistic regression over a few standardised numbers of each pair."""
    return make_pipeline(
        FunctionTransformer(lambda pairs: np.array([view(pair) for pair in pairs], dtype=float)),
        StandardScaler(),
        LogisticRegression(max_iter=1000),
    )


def classifiers(language: str) -> dict[str, Pipeline]:
    """Name every partial view of a pair and the classifier that sees nothing else."""

    def length(text: str) -> list[float]:
        return [len(tokens(text, language)), len(text)]

    def overlap(pair: Pair) -> list[float]:
        premise = set(tokens(pair.premise, language))
        hypothesis = set(tokens(pair.hypothesis, language))
        shared = len(premise & hypothesis)
        return [shared / len(hypothesis), shared / len(premise | hypothesis)]

    return {
        "hypothesis only": text_classifier(lambda pair: pair.hypothesis, language),
        "hypothesis length": number_classifier(lambda pair: length(pair.hypothesis)),
        "premise only": text_classifier(lambda pair: pair.premise, language),
        "premise length": number_classifier(lambda pair: length(pair.premise)),
        "word overlap": number_classifier(overlap),
        "both, as one bag": text_classifier(
            lambda pair: f"{pair.premise}\n{pair.hypothesis}", language
        ),
    }


def measure(classifier: Pipeline, pairs: list[Pair], folds: int) -> tuple[float, float, float]:
    """Return the accuracies by scene, over any rows, and held out (see the module's docstring)."""
    labels = np.array([pair.label for pair in pairs])
    in_train = np.array([pair.split == "train" for pair in pairs])
    rows = np.array(pairs, dtype=object)
    by_scene = cross_val_score(classifier, rows, labels, groups=scenes(pairs), cv=GroupKFold(folds))
    dealt = StratifiedKFold(folds, shuffle=True, random_state=0)
    any_rows = cross_val_score(classifier, rows, labels, cv=dealt)
    classifier.fit(rows[in_train], labels[in_train])
    held_out = classifier.score(rows[~in_train], labels[~in_train])
    return float(by_scene.mean()), float(any_rows.mean()), float(held_out)


def main(words: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folds", type=int, default=10)
    parser.add_argument("--every", type=int, default=1, help="take every so-many-th scene only")
    options = read_arguments(parser, words, folds=2, every=12)
    print("| sees | language | by scene | any rows | held out |")
    print("|---|---|---|---|---|")
    for language in LANGUAGES:
        every = read_pairs(language)
        pairs = [
            pair
            for pair, scene in zip(every, scenes(every), strict=True)
            if scene % options.every == 0
        ]
        for name, classifier in classifiers(language).items():
            figures = " | ".join(
                f"{100 * value:.1f}" for value in measure(classifier, pairs, options.folds)
            )
            print(f"| {name} | {language} | {figures} |")


if __name__ == "__main__":
    main()
