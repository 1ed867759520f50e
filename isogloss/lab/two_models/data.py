"""What a run reads: treebanks in two languages, a parallel text, and pairs of words in it."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from isogloss.errors import RunError, TreebankError
from isogloss.lab.two_models.tasks import TASKS
from isogloss.lab.two_models.word_states import Located
from isogloss.links.lexicons import load_lexicon
from isogloss.links.statistical_aligner import FEWEST_PAIRS_ALONE
from isogloss.models.tokens import words_of
from isogloss.studies.links.words import aligner_links
from isogloss.text.reading import ParallelText, load_bundled, read_files
from isogloss.text.treebanks import Treebank, find_treebanks, read_treebank
from isogloss.text.words import Word

BUNDLED = "bundled"
BUNDLED_PARALLEL = ("everyday.en-zh", "news.en-zh")
SHOWN_PAIRS = 12
"""How many pairs of the bundled sample a run tags to be looked at."""


@dataclass(frozen=True)
class TaskData:
    """The treebanks of a task; `target_train` is None where there is nothing to train on there."""

    train: Treebank
    source_test: Treebank
    target_test: Treebank
    target_train: Treebank | None

    def facts(self) -> dict[str, Any]:
        return {
            name: {"name": each.name, "sentences": len(each), "sha256": each.content_hash}
            for name, each in vars(self).items()
            if each is not None
        }


@dataclass(frozen=True)
class ParallelWords:
    """Both sides of a parallel text, and pairs of words that translate each other.

    `pairs` number the words of each side through the whole text.
    """

    source: Located
    target: Located
    pairs: tuple[tuple[int, int], ...]
    facts: Mapping[str, Any]


@dataclass(frozen=True)
class RunData:
    """Everything a run reads: treebanks by task, words that translate, sentences to be shown."""

    tasks: Mapping[str, TaskData]
    words: ParallelWords
    shown: tuple[Treebank, Treebank] | None


def read_task(
    task: str,
    data: str,
    languages: tuple[str, str],
    evaluate: str,
    train_size: int | None = None,
    test_size: int | None = None,
) -> TaskData:
    """The treebanks of a task in a directory, cut to the sizes asked for.

    Where a language has no training set, its dev set is one, unless that is what is evaluated.
    """
    ending = TASKS[task].ending
    source, target = (find_treebanks(data, code, ending) for code in languages)

    def read(found: Mapping[str, Any], split: str, code: str) -> Treebank:
        if split not in found:
            raise TreebankError(
                f"There is no {split} set in {code} for {TASKS[task].title.lower()} in {data}: "
                f"add a file such as {code}_mine-{split}.{ending}, or choose another task."
            )
        return _with_trees(task, read_treebank(found[split]))

    def training(found: Mapping[str, Any]) -> str:
        return "train" if "train" in found or evaluate == "dev" else "dev"

    own = training(target)
    return TaskData(
        train=read(source, training(source), languages[0]).sample(train_size),
        source_test=read(source, evaluate, languages[0]).sample(test_size),
        target_test=read(target, evaluate, languages[1]).sample(test_size),
        target_train=(
            read(target, own, languages[1]).sample(train_size) if own in target else None
        ),
    )


def _with_trees(task: str, found: Treebank) -> Treebank:
    if TASKS[task].trees and not found.has_trees:
        raise TreebankError(
            f"{found.name} has parts of speech and no trees, which parsing needs: choose another "
            "task, or data with heads."
        )
    return found


def located(bank: Treebank) -> Located:
    """The sentences of a treebank, to be read by a model."""
    return Located(
        bank.name,
        tuple(sentence.text for sentence in bank.sentences),
        tuple(
            tuple(Word(sentence.text[start:end], start, end) for start, end in sentence.spans)
            for sentence in bank.sentences
        ),
    )


def shown_sentences(languages: tuple[str, str]) -> tuple[Treebank, Treebank] | None:
    """Some pairs of the bundled sample in both languages; None where it has not these two."""
    if languages != ("en", "zh"):
        return None
    first, second = (
        read_treebank(find_treebanks(BUNDLED, code, "conllu")["test"]) for code in languages
    )
    return (
        Treebank(first.name, first.language, first.sentences[:SHOWN_PAIRS]),
        Treebank(second.name, second.language, second.sentences[:SHOWN_PAIRS]),
    )


def read_parallel(
    parallel: Sequence[str],
    languages: tuple[str, str],
    size: int | None,
    banks: Sequence[Treebank],
) -> ParallelWords:
    """The words that translate each other in a text, links by hand where there are any.

    Sentences that some treebank has are left out: a map must not have seen what is tested.
    """
    texts = (
        [load_bundled(name) for name in BUNDLED_PARALLEL]
        if tuple(parallel) == (BUNDLED,)
        else [read_files(list(parallel)).text]
    )
    tested = {_bare(sentence.text) for bank in banks for sentence in bank.sentences}
    sentences: tuple[list[str], list[str]] = ([], [])
    words: tuple[list[tuple[Word, ...]], list[tuple[Word, ...]]] = ([], [])
    starts = [0, 0]
    pairs: list[tuple[int, int]] = []
    kept = 0
    for whole in texts:
        text = whole.pair(*languages) if set(languages) < set(whole.languages) else whole
        sides = _sides(text, languages)
        chosen = [
            row
            for row in range(len(text))
            if not tested & {_bare(text.source[row]), _bare(text.target[row])}
        ]
        if size is not None and len(chosen) > size:
            chosen = sorted(random.Random(0).sample(chosen, size))
        part = text.select(chosen)
        kept += len(part)
        links = _links(part)
        for row in range(len(part)):
            for place, side in enumerate(sides):
                sentences[place].append(part.side(side)[row])
                words[place].append(tuple(words_of(part, row, side)))
            pairs += sorted(
                (starts[0] + link[sides[0]], starts[1] + link[sides[1]]) for link in links[row]
            )
            for place in (0, 1):
                starts[place] += len(words[place][-1])
    if not pairs:
        raise RunError(
            "No two words of the parallel text translate each other: give more text, or one with "
            "word alignments."
        )
    source, target = (Located(texts[0].name, tuple(sentences[i]), tuple(words[i])) for i in (0, 1))
    return ParallelWords(
        source,
        target,
        pairs=tuple(pairs),
        facts={
            "name": ", ".join(text.name for text in texts),
            "pairs of sentences": kept,
            "pairs of words": len(pairs),
            "sha256": [text.content_hash for text in texts],
        },
    )


def _sides(text: ParallelText, languages: tuple[str, str]) -> tuple[int, int]:
    """Which side of a text is in the source's language, and which in the target's."""
    if set(text.languages) != set(languages):
        raise RunError(
            f"{text.name} is in {' and '.join(text.languages)} and not in "
            f"{' and '.join(languages)}: give a parallel text in these two."
        )
    first = text.languages.index(languages[0])
    return first, 1 - first


def _links(text: ParallelText) -> list[frozenset[tuple[int, int]]]:
    """Sure links made by hand, and a statistical aligner's where there are none."""
    gold = text.gold or (None,) * len(text)
    if all(gold):
        return [links.sure for links in gold if links]
    if load_lexicon(text.first_two) is None and len(text) < FEWEST_PAIRS_ALONE:
        raise RunError(
            f"{text.name} has {len(text):,} pairs without word alignments, too few to align "
            f"its words: give {FEWEST_PAIRS_ALONE:,} or more, or a file of alignments beside it."
        )
    found = aligner_links(text)
    return [links.sure if links else found[row] for row, links in enumerate(gold)]


def _bare(text: str) -> str:
    return "".join(text.split())
