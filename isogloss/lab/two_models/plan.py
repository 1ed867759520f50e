"""Two models that never met: a network trained on one language reads the other through a map.

The contextual alignment of Conneau et al. (2020), Emerging Cross-lingual Structure in Pretrained
Language Models (https://aclanthology.org/2020.acl-main.536, section 5.1.2): layer i of a model of
the target language is mapped onto layer i of a model of the source language by an orthogonal
matrix, learned from words in context that translate each other; a network on top of the source's
layer, trained on the source language alone, then reads the target.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from isogloss.errors import RunError
from isogloss.lab.runs.context import RunContext
from isogloss.lab.runs.options import device_option, model_option, rate_option, seeds_option
from isogloss.lab.runs.plan import Plan, check_seeds
from isogloss.lab.two_models.data import (
    BUNDLED,
    RunData,
    read_parallel,
    read_task,
    shown_sentences,
)
from isogloss.lab.two_models.model_reading import read_models
from isogloss.lab.two_models.networks import Settings
from isogloss.lab.two_models.reading import read_layer
from isogloss.lab.two_models.tasks import TASKS
from isogloss.models.presets import display_name
from isogloss.options import Choice, option
from isogloss.studies.extraction import software_versions
from isogloss.text.nli import known_code

SOURCE_MODEL, TARGET_MODEL, BILINGUAL_MODEL = (
    "all-MiniLM-L6-v2",
    "roformer-sim-zh-small",
    "mini-en-zh",
)
SOURCE_LAYERS = 6
BUNDLED_EPOCHS, MANY_EPOCHS = 40, 5


@dataclass(frozen=True)
class TwoModelsPlan(Plan):
    """Train a network on every layer of the source's model, for every task and seed."""

    model: str = model_option(SOURCE_MODEL)
    target_model: str = option(
        TARGET_MODEL, "the model of the target language", title="Target's model", models=True
    )
    bilingual_model: str | None = option(
        BILINGUAL_MODEL,
        "a model of both languages to compare with, or none",
        title="Bilingual model",
        models=True,
        none="none",
    )
    data: str = option(
        BUNDLED,
        "bundled, or a directory of treebanks such as en_ewt-train.conllu and zh_gsd-test.conllu",
        title="Treebanks",
        paths=True,
        known=(BUNDLED,),
    )
    tasks: tuple[str, ...] = option(
        ("upos",), "what to predict of each word", title="Tasks", choices=TASKS
    )
    evaluate: str = option(
        "test",
        "which split is scored",
        title="Score on",
        choices={
            "test": Choice("Test", "the final figure"),
            "dev": Choice("Dev", "while settings are chosen"),
        },
    )
    parallel: tuple[str, ...] = option(
        (BUNDLED,),
        "a parallel text to learn the map from, with a file of word alignments if there is one",
        title="Parallel text",
        paths=True,
        known=(BUNDLED,),
    )
    parallel_size: int | None = option(
        5_000, "how many sentence pairs of it, or all", title="Sentence pairs", least=8, none="all"
    )
    source_language: str = option("en", "what to train on")
    target_language: str = option("zh", "what to transfer to")
    layers: tuple[int, ...] | None = option(
        None, "which layers of the source's model, or all", title="Layers", none="all"
    )
    seeds: tuple[int, ...] = seeds_option("one network, and one order of parallel words, for each")
    train_size: int | None = option(
        2_000,
        "how many training sentences, or all",
        title="Training sentences",
        least=2,
        none="all",
    )
    test_size: int | None = option(
        None,
        "how many sentences to score in each language, or all",
        title="Test sentences",
        least=2,
        none="all",
    )
    depth: int = option(
        0,
        "transformer layers between the frozen layer and the head; the paper has 4, 0 is linear",
        title="Transformer layers",
        least=0,
        most=4,
    )
    epochs: int = option(
        BUNDLED_EPOCHS,
        "passes through the training sentences",
        title="Epochs",
        least=1,
        suited=f"{BUNDLED_EPOCHS} for the bundled sample, {MANY_EPOCHS} for larger ones",
    )
    learning_rate: float = rate_option(1e-3, "at its highest; it falls linearly to 0", most=1)
    batch_words: int = option(500, "words in a batch", title="Words per batch", least=16)
    device: str = device_option()
    n_layers: int = SOURCE_LAYERS

    KIND: ClassVar[str] = "two-models"
    SUMMARY: ClassVar[str] = "tag one language by a network of another, through a map of two models"
    DESCRIPTION: ClassVar[str] = (
        "MODEL reads the source language. At each layer, another model's states of the target "
        "language are mapped into its space by an orthogonal matrix learned from parallel words, "
        "and read by a network that was trained on the source alone (Conneau et al. 2020)."
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        check_seeds(self.seeds)
        for name in ("source_language", "target_language"):
            object.__setattr__(self, name, known_code(getattr(self, name)))
        if self.source_language == self.target_language:
            raise RunError("Source and target are the same language: choose two.")
        if not self.tasks:
            raise RunError(f"Choose at least one task: {', '.join(TASKS)}.")
        wrong = [layer for layer in self.layers or () if not 0 <= layer <= self.n_layers]
        if wrong:
            raise RunError(
                f"{self.model} has layers 0 to {self.n_layers}; {wrong[0]} is none of them."
            )

    @classmethod
    def suited(cls, n_layers: int, **values: Any) -> Self:
        bundled = values.get("data", cls.data) == BUNDLED
        epochs = BUNDLED_EPOCHS if bundled else MANY_EPOCHS
        return cls(**{"epochs": epochs, **values, "n_layers": n_layers})

    @property
    def title(self) -> str:
        tasks = " and ".join(TASKS[task].title.lower() for task in self.tasks)
        return f"{display_name(self.target_model)} into {display_name(self.model)}, {tasks}"

    @property
    def languages(self) -> tuple[str, str]:
        return self.source_language, self.target_language

    @property
    def measured_layers(self) -> tuple[int, ...]:
        return tuple(sorted(set(self.layers or range(self.n_layers + 1))))

    @property
    def settings(self) -> Settings:
        return Settings(self.depth, self.epochs, self.learning_rate, self.batch_words)

    def parts(self) -> dict[str, tuple[str, int, int]]:
        """Task, layer and seed of each unit; every layer has its first seed before any a second."""
        return {
            f"{task} layer={layer} seed={seed}": (task, layer, seed)
            for seed in self.seeds
            for task in dict.fromkeys(self.tasks)
            for layer in self.measured_layers
        }

    def read_data(self) -> RunData:
        tasks = {
            task: read_task(
                task, self.data, self.languages, self.evaluate, self.train_size, self.test_size
            )
            for task in dict.fromkeys(self.tasks)
        }
        banks = [bank for each in tasks.values() for bank in vars(each).values() if bank]
        shown = shown_sentences(self.languages)
        words = read_parallel(
            self.parallel, self.languages, self.parallel_size, [*banks, *(shown or ())]
        )
        return RunData(tasks, words, shown)

    def carry_out(
        self, todo: Sequence[str], context: RunContext
    ) -> Iterator[tuple[str, Mapping[str, Any]]]:
        context.report(0.0, "reading the treebanks and the parallel text")
        data = self.read_data()
        context.note(
            data={task: each.facts() for task, each in data.tasks.items()},
            text=data.words.facts,
            versions=software_versions(),
        )
        models = (self.model, self.target_model, self.bilingual_model)
        sides = read_models(*models, self.device, data, context)
        parts = self.parts()
        for unit in todo:
            task, layer, seed = parts[unit]
            began = time.monotonic()
            result = read_layer(
                task,
                layer,
                seed,
                data.tasks[task],
                sides,
                data.words,
                data.shown,
                self.settings,
                lambda share, name=unit: context.report(share, name),  # type: ignore[misc]
            )
            yield unit, {**result, "seconds": round(time.monotonic() - began, 1)}
