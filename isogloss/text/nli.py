"""Natural language inference: does a premise entail a hypothesis, contradict it, or neither?

Sets come bundled, from a directory of files, or from the hub. The XNLI development and test sets
are translations of one another row by row (Conneau et al. 2018, https://aclanthology.org/D18-1269).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from os import PathLike
from pathlib import Path

import numpy as np

from isogloss.errors import NliError
from isogloss.text.readers.languages import known_tags, language_code, languages_in_name
from isogloss.text.readers.nli_files import LABELS, NliRow, read_rows

__all__ = ["CHANCE", "LABELS", "XNLI_LANGUAGES", "NliData", "NliSet", "load_nli", "read_nli_file"]

CHANCE = 1 / len(LABELS)
"""The accuracy of guessing: the labels are equally frequent in XNLI."""

# fmt: off
XNLI_LANGUAGES = (
    "ar", "bg", "de", "el", "en", "es", "fr", "hi", "ru", "sw", "th", "tr", "ur", "vi", "zh",
)
# fmt: on
BUNDLED_DIRECTORY = Path(__file__).parents[1] / "bundled" / "nli"
HUB_ID = "facebook/xnli"

# What the files of a directory are called before their ending, the first found taken.
LANGUAGE_STEMS = ("{split}-{language}", "{split}.{language}", "{split}_{language}")
SHARED_STEMS = ("xnli.{split}",)
TRAIN_STEMS = (*LANGUAGE_STEMS, "multinli.{split}.{language}")
ENGLISH_STEMS = ("multinli_1.0_{split}", "snli_1.0_{split}")
ENDINGS = (".tsv", ".jsonl", ".txt")


@dataclass(frozen=True)
class NliSet:
    """Labelled pairs in one language; `labels` are places in `LABELS`, `name` is for people."""

    name: str
    language: str
    premises: tuple[str, ...]
    hypotheses: tuple[str, ...]
    labels: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.labels)

    @cached_property
    def content_hash(self) -> str:
        """SHA-256 of the texts and labels, whatever the file was called."""
        content = json.dumps([self.premises, self.hypotheses, self.labels])
        return hashlib.sha256(content.encode("ascii")).hexdigest()

    def sample(self, size: int | None, seed: int = 0) -> NliSet:
        """`size` pairs drawn without replacement, in the order of the set; all of them for None.

        The rows depend on the set's length, size and seed alone, so samples of parallel sets stay
        parallel; a smaller sample is part of every larger one with the same seed.
        """
        if size is None or size >= len(self):
            return self
        if size < 1:
            raise NliError(f"A sample of {size} pairs cannot be drawn; ask for at least one.")
        rows = np.sort(np.random.default_rng(seed).permutation(len(self))[:size])
        return replace(
            self,
            premises=tuple(self.premises[row] for row in rows),
            hypotheses=tuple(self.hypotheses[row] for row in rows),
            labels=tuple(self.labels[row] for row in rows),
        )


@dataclass(frozen=True)
class NliData:
    """What a model learns from, is chosen by and is tested on; dev and test by language.

    `small` says that it is the bundled set, whose accuracies are rough.
    """

    name: str
    train: NliSet
    dev: Mapping[str, NliSet]
    test: Mapping[str, NliSet]
    small: bool


def load_nli(
    data: str | PathLike[str] = "bundled",
    *,
    train: str | PathLike[str] | None = None,
    languages: Sequence[str] = ("en", "zh"),
    source_language: str = "en",
) -> NliData:
    """The sets of `data`: "bundled", "hub" (facebook/xnli), or a directory of files.

    Training pairs are in the source language, from `train` if it names a file. There is a test
    set for each of `languages`, and a development set for these and the source language, which
    chooses the model.
    """
    source = known_code(source_language)
    tested = tuple(dict.fromkeys(map(known_code, languages)))
    chosen_by = tuple(dict.fromkeys((source, *tested)))
    if data == "hub":
        return _load_from_hub(train, tested, chosen_by, source)
    directory = BUNDLED_DIRECTORY if data == "bundled" else Path(data)
    if not directory.is_dir():
        raise NliError(
            f"{data} is no directory of NLI files; give one that holds {_names('test', 'zh')}, "
            "or choose bundled or hub."
        )
    return NliData(
        name="bundled" if data == "bundled" else directory.resolve().name,
        train=_read_train(train or _find_train(directory, source), source),
        dev=_read_split(directory, "dev", chosen_by),
        test=_read_split(directory, "test", tested),
        small=data == "bundled",
    )


def read_nli_file(path: str | PathLike[str], language: str | None = None) -> dict[str, NliSet]:
    """The pairs of a file by language.

    Without a language column it is `language`, or what a name such as `dev-zh.tsv` says. Formats:
    XNLI's and MultiNLI's tables, three columns with or without a header, SNLI's JSON lines.
    """
    path = Path(path)
    own = known_code(language) if language else next(reversed(languages_in_name(path.name)), None)
    found: dict[str, list[NliRow]] = {}
    for row in read_rows(path):
        spoken = known_code(row.language) if row.language else own
        if spoken is None:
            raise NliError(
                f"{path.name} does not tell which language it is in; give it a name such as "
                "dev-zh.tsv or name the language."
            )
        found.setdefault(spoken, []).append(row)
    if not found:
        raise NliError(
            f"{path.name} holds no labelled pair; give it one premise, hypothesis and label a line."
        )
    return {
        code: NliSet(
            name=path.name if len(found) == 1 else f"{path.name} ({code})",
            language=code,
            premises=tuple(row.premise for row in rows),
            hypotheses=tuple(row.hypothesis for row in rows),
            labels=tuple(row.label for row in rows),
        )
        for code, rows in found.items()
    }


def _read_train(path: str | PathLike[str], source: str) -> NliSet:
    # What the name says is heeded, so that Chinese is not taken for English without a word.
    named = languages_in_name(Path(path).name)
    return _only(read_nli_file(path, None if named else source), source, Path(path))


def _read_split(directory: Path, split: str, languages: Sequence[str]) -> dict[str, NliSet]:
    """One set a language, from its own file or from one that holds all languages."""
    paths = {code: _find(directory, LANGUAGE_STEMS, split, code) for code in languages}
    shared_path = _find(directory, SHARED_STEMS, split) if None in paths.values() else None
    shared = read_nli_file(shared_path) if shared_path else {}
    missing = [code for code, path in paths.items() if path is None and code not in shared]
    if missing:
        besides = (
            f" and found only {known_tags(shared)} in {shared_path.name}" if shared_path else ""
        )
        raise NliError(
            f"There is no {split} set in {' or '.join(missing)} in {directory}: Isogloss looked "
            f"for {_names(split, missing[0])}{besides}; add the file or choose other languages."
        )
    return {
        code: shared[code] if path is None else _only(read_nli_file(path, code), code, path)
        for code, path in paths.items()
    }


def _only(sets: Mapping[str, NliSet], language: str, path: Path) -> NliSet:
    if language not in sets:
        raise NliError(
            f"{path.name} has pairs in {known_tags(sets)} but none in {language}; rename the file "
            "if that is not its language, or choose another."
        )
    return sets[language]


def _find_train(directory: Path, source: str) -> Path:
    stems = (*TRAIN_STEMS, *ENGLISH_STEMS) if source == "en" else TRAIN_STEMS
    path = _find(directory, stems, "train", source)
    if path is None:
        raise NliError(
            f"There is no training set in {source} in {directory}: Isogloss looked for "
            f"{_listed(stems, 'train', source)}; add one or name a training file."
        )
    return path


def _find(directory: Path, stems: Iterable[str], split: str, language: str = "") -> Path | None:
    for stem in stems:
        for ending in ENDINGS:
            for packed in ("", ".gz"):
                name = stem.format(split=split, language=language) + ending + packed
                if (directory / name).is_file():
                    return directory / name
    return None


def _names(split: str, language: str) -> str:
    return _listed((*LANGUAGE_STEMS, *SHARED_STEMS), split, language)


def _listed(stems: Iterable[str], split: str, language: str) -> str:
    """The names of files that were looked for, as a sentence has them."""
    *others, last = (stem.format(split=split, language=language) + ".tsv" for stem in stems)
    return f"{', '.join(others)} or {last} (also .jsonl, .txt and .gz)"


def known_code(language: str) -> str:
    """A language's code, whatever it is called by: zh for Chinese and zh-CN."""
    return language_code(language) or language.strip()


def _load_from_hub(
    train: str | PathLike[str] | None,
    tested: Sequence[str],
    chosen_by: Sequence[str],
    source: str,
) -> NliData:
    """XNLI as the hub has it: a folder per language with train, validation and test in Parquet."""
    if unknown := [code for code in chosen_by if code not in XNLI_LANGUAGES]:
        raise NliError(
            f"XNLI has no {' or '.join(unknown)}; choose among {', '.join(XNLI_LANGUAGES)}."
        )
    wanted = [
        *(f"{code}/validation*.parquet" for code in chosen_by),
        *(f"{code}/test*.parquet" for code in tested),
        *([] if train else [f"{source}/train*.parquet"]),
    ]
    directory = _download(wanted)
    return NliData(
        name="xnli",
        train=_read_train(train, source) if train else _read_parquet(directory, source, "train"),
        dev={code: _read_parquet(directory, code, "validation") for code in chosen_by},
        test={code: _read_parquet(directory, code, "test") for code in tested},
        small=False,
    )


def _download(wanted: Sequence[str]) -> Path:
    """The hub's files, downloaded or in its local cache, which may be without some of them."""
    from huggingface_hub import snapshot_download

    reason = "the hub cannot be reached"
    try:
        directory = Path(snapshot_download(HUB_ID, repo_type="dataset", allow_patterns=wanted))
        if all(any(directory.glob(pattern)) for pattern in wanted):
            return directory
    except OSError as error:
        reason = error.strerror or reason
    raise NliError(
        f"{HUB_ID} is not on this machine and cannot be downloaded ({reason}): choose the bundled "
        f"set, or give a directory that holds the XNLI files, such as {_names('test', 'zh')}."
    )


def _read_parquet(directory: Path, language: str, split: str) -> NliSet:
    import pyarrow as pa
    import pyarrow.parquet as pq

    name = f"{HUB_ID}/{language}/{split}"
    try:
        paths = sorted((directory / language).glob(f"{split}*.parquet"))
        columns = ["premise", "hypothesis", "label"]
        table = pa.concat_tables([pq.read_table(path, columns=columns) for path in paths])
    except (pa.ArrowException, OSError) as error:
        raise NliError(f"{name} is damaged; delete {directory} and load it again.") from error
    premises, hypotheses, labels = (tuple(table[column].to_pylist()) for column in columns)
    if not set(labels) <= set(range(len(LABELS))):
        raise NliError(f"{name} has labels other than 0, 1 and 2; give a directory of XNLI files.")
    return NliSet(name, language, premises, hypotheses, labels)
