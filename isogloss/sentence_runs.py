"""Runs that measure sentence embeddings before and after fine-tuning on English alone."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from isogloss.activations import software_versions
from isogloss.alignment import score_pairs
from isogloss.corpora import bundled_corpora, load_bundled, read_corpus
from isogloss.desk import Desk
from isogloss.errors import NliError, RunError
from isogloss.models import LoadedModel, find_model, load_model
from isogloss.nli import NliSet, load_nli, read_nli_file
from isogloss.parallel import ParallelCorpus
from isogloss.plans import Plan, check_seeds
from isogloss.readers.languages import languages_in_name
from isogloss.sentence_encoder import build_encoder, encode_layers, find_layer, find_pooling
from isogloss.sentence_training import (
    SiameseOptions,
    draw_examples,
    find_objective,
    fine_tune_siamese,
    make_examples,
)
from isogloss.stacks import Array
from isogloss.sts import StsSet, correlate_sts, load_sts

BEFORE = "before"
SCORE = "cosine"
PAIRS_AT_MOST = 2_000
"""Of a longer corpus so many pairs, evenly taken: each sentence is compared with all others."""
FEWEST_TOKENS = 8
_TRAINING_SHARE = 0.9
_ENDING = re.compile(r"(\.(tsv|csv|txt|jsonl|tmx))?(\.gz)?$")


@dataclass(frozen=True)
class SentencePlan(Plan):
    """Fine-tune a model with each objective and seed, and measure it before and after.

    `nli` is bundled, hub, a directory or a file; `corpus` a bundled corpus or a file; `sts` are
    files, the bundled ones if there are none. Each seed draws its own `examples`, if not all.
    """

    KIND: ClassVar[str] = "sentences"

    model: str = "mini-en-zh"
    objectives: tuple[str, ...] = ("softmax", "ranking")
    seeds: tuple[int, ...] = (0, 1, 2)
    pooling: str = "mean"
    layer: int = -1
    frozen: int = 0
    nli: str = "bundled"
    examples: int | None = None
    epochs: int = 1
    learning_rate: float | None = None
    corpus: str = "everyday.en-zh"
    sts: tuple[str, ...] = ()
    max_tokens: int = 128
    device: str = "auto"

    def __post_init__(self) -> None:
        find_pooling(self.pooling)
        for objective in self.objectives:
            find_objective(objective)
        if not self.objectives or len(set(self.objectives)) != len(self.objectives):
            raise RunError("Give at least one objective, and each only once.")
        check_seeds(self.seeds)
        if self.learning_rate is not None and not 0 < self.learning_rate < 1:
            raise RunError("A learning rate must lie between 0 and 1.")
        if self.max_tokens < FEWEST_TOKENS:
            raise RunError(f"max tokens must be at least {FEWEST_TOKENS}.")
        if self.epochs < 1 or (self.examples is not None and self.examples < 2):
            raise RunError("A run needs at least one epoch and two examples: ask for more.")

    @property
    def title(self) -> str:
        model, corpus = (name.rstrip("/").rpartition("/")[2] for name in (self.model, self.corpus))
        names = {-1: "the last layer", -2: "the second-to-last layer"}
        layer = names.get(self.layer, f"layer {self.layer}")
        return f"{model} on {_ENDING.sub('', corpus)}, {self.pooling} of {layer}"

    def units(self) -> tuple[str, ...]:
        return (BEFORE, *self._trained())

    def _trained(self) -> dict[str, tuple[str, int]]:
        """The objective and the seed of each unit that trains."""
        return {
            unit_name(objective, seed): (objective, seed)
            for seed in self.seeds
            for objective in self.objectives
        }

    def command(self) -> list[str]:
        """The words after `python -m isogloss` that ask for the same run."""
        words = ["sentences", self.model]
        standard = SentencePlan()
        for name in _SINGLE_OPTIONS:
            if getattr(self, name) != getattr(standard, name):
                words += [f"--{name.replace('_', '-')}", str(getattr(self, name))]
        for name in _LIST_OPTIONS:
            if getattr(self, name) != getattr(standard, name):
                words += [f"--{name}", ",".join(map(str, getattr(self, name)))]
        return [*words, "--sts", *self.sts] if self.sts else words

    def carry_out(self, todo: Sequence[str], desk: Desk) -> Iterator[tuple[str, Mapping[str, Any]]]:
        files = find_model(self.model, desk.store)
        data = self.read_data()
        trained = self._trained()
        for unit in todo:
            began = time.monotonic()
            # From the files each time, so that no unit depends on those before it.
            model = load_model(files, desk.store, device=self.device, precision="float32")
            if unit == todo[0]:
                self._note(model, data, desk)
            facts: dict[str, Any] = {}
            measuring = _Part(desk, 0.0)
            if unit in trained:
                facts = self._train(model, data.nli, *trained[unit], desk)
                measuring = _Part(desk, _TRAINING_SHARE)
            found, hits = self.measure(model, data, measuring.report)
            desk.keep(unit, {"found": np.packbits(hits, axis=-1)})
            desk.log(f"{unit}: {time.monotonic() - began:.0f} s")
            yield unit, {**facts, **found}

    def read_data(self) -> SentenceData:
        """The three kinds of data that the plan names."""
        return SentenceData(_read_nli(self.nli), _read_corpus(self.corpus), load_sts(self.sts))

    def _note(self, model: LoadedModel, data: SentenceData, desk: Desk) -> None:
        library = {"sentence-transformers": version("sentence-transformers")}
        desk.note(
            model={"name": model.name, "fingerprint": model.files.fingerprint},
            n_layers=model.n_layers,
            layer=find_layer(self.layer, model.n_layers),
            languages=list(data.corpus.languages),
            data={
                "nli": _described(data.nli.name, data.nli),
                "corpus": _described(data.corpus.name, data.corpus),
                "sts": [_described(each.name, each) for each in data.sts],
            },
            device=model.device,
            versions=software_versions() | library,
        )

    def _train(
        self, model: LoadedModel, pairs: NliSet, objective: str, seed: int, desk: Desk
    ) -> dict[str, Any]:
        examples = draw_examples(make_examples(objective, pairs), self.examples, seed)
        losses = fine_tune_siamese(
            model,
            examples,
            objective,
            seed=seed,
            options=SiameseOptions(
                pooling=self.pooling,
                layer=self.layer,
                frozen=self.frozen,
                epochs=self.epochs,
                learning_rate=self.learning_rate,
                max_tokens=self.max_tokens,
            ),
            report=lambda share, message: desk.report(
                _TRAINING_SHARE * share, f"{objective}, seed {seed}: {message}"
            ),
        )
        parts = [float(np.mean(part)) for part in np.array_split(losses, min(20, len(losses)))]
        desk.log(f"{objective}, seed {seed}: loss {parts[0]:.3f} to {parts[-1]:.3f}")
        return {"examples": len(examples), "steps": len(losses), "losses": parts}

    def measure(
        self, model: LoadedModel, data: SentenceData, report: Callable[[float], None]
    ) -> tuple[dict[str, Any], Array]:
        """The figures, and which sentences found their translation.

        `error` is [pooling][layer][direction]; the second value is the same before averaging, hits
        (poolings, layers, 2, n) of booleans.
        """
        hits = find_translations(
            model, data.corpus, self.max_tokens, lambda part: report(0.9 * part)
        )
        encoder = build_encoder(model, self.layer, self.pooling, self.max_tokens)
        sts: dict[str, dict[str, tuple[float | None, float | None]]] = {}
        for place, pairs in enumerate(data.sts):
            found = correlate_sts(encoder, pairs)
            sts[pairs.name] = {name: (each.pearson, each.spearman) for name, each in found.items()}
            report(0.9 + 0.1 * (place + 1) / len(data.sts))
        return {"error": (1 - hits.mean(-1)).tolist(), "rows": hits.shape[-1], "sts": sts}, hits


_SINGLE_OPTIONS = (
    "pooling", "layer", "frozen", "nli", "examples", "epochs",
    "learning_rate", "corpus", "max_tokens", "device",
)  # fmt: skip
_LIST_OPTIONS = ("objectives", "seeds")


@dataclass(frozen=True)
class _Part:
    """The part of a unit that comes after `begin`, of which the desk is told."""

    desk: Desk
    begin: float

    def report(self, share: float) -> None:
        self.desk.report(self.begin + (1 - self.begin) * share, "measuring")


@dataclass(frozen=True)
class SentenceData:
    """What a run learns from, finds translations in, and is compared with people on."""

    nli: NliSet
    corpus: ParallelCorpus
    sts: tuple[StsSet, ...]


def unit_name(objective: str, seed: int) -> str:
    """What the unit of an objective and a seed is called."""
    return f"{objective}-{seed}"


def find_translations(
    model: LoadedModel,
    corpus: ParallelCorpus,
    max_tokens: int,
    report: Callable[[float], None] = lambda share: None,
) -> Array:
    """Whether each sentence's nearest by cosine is its translation: (poolings, layers, 2, n)."""
    count = len(corpus)
    vectors = encode_layers(model, (*corpus.source, *corpus.target), max_tokens, report)
    return np.array(
        [
            [
                [ranks == 1 for ranks in score_pairs(layer[:count], layer[count:], SCORE)]
                for layer in pooled
            ]
            for pooled in vectors
        ]
    )


def _read_nli(name: str) -> NliSet:
    """English pairs; a file in which there are none is refused, or it would not be zero-shot."""
    if not Path(name).is_file():
        return load_nli(name, languages=("en",)).train
    file = Path(name).name
    sets = read_nli_file(name, None if languages_in_name(file) else "en")
    if "en" not in sets:
        raise NliError(
            f"{file} has pairs in {', '.join(sets)} but none in English, which training is on; "
            "rename the file if that is not its language, or choose another."
        )
    return sets["en"]


def _read_corpus(name: str) -> ParallelCorpus:
    bundled = name in {each.name for each in bundled_corpora()} and not Path(name).exists()
    corpus = load_bundled(name) if bundled else read_corpus(name).corpus
    if len(corpus) <= PAIRS_AT_MOST:
        return corpus
    rows = np.linspace(0, len(corpus) - 1, PAIRS_AT_MOST).round().astype(int)
    return corpus.select(rows.tolist())


def _described(name: str, data: NliSet | ParallelCorpus | StsSet) -> dict[str, Any]:
    return {"name": name, "rows": len(data), "sha256": data.content_hash}
