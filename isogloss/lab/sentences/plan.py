"""Runs that measure sentence embeddings before and after fine-tuning on English alone."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from isogloss.errors import NliError, RunError
from isogloss.lab.runs.context import RunContext
from isogloss.lab.runs.options import device_option, model_option, seeds_option
from isogloss.lab.runs.plan import Plan, check_seeds
from isogloss.lab.sentences.encoder import (
    ENCODER_POOLINGS,
    build_encoder,
    correlate_sts,
    find_layer,
    find_pooling,
)
from isogloss.lab.sentences.training import (
    OBJECTIVES,
    SiameseOptions,
    draw_examples,
    find_objective,
    fine_tune_siamese,
    make_examples,
)
from isogloss.lab.sentences.translation_hits import find_translations, packed_hits
from isogloss.measures.stacks import Array
from isogloss.models.loading import LoadedModel, load_model
from isogloss.models.presets import DEFAULT_MODEL, display_name
from isogloss.models.sources.finding import find_model
from isogloss.options import option
from isogloss.studies.extraction import software_versions
from isogloss.tasks import OnShare
from isogloss.text.nli import NliSet, load_nli, read_nli_file
from isogloss.text.parallel import ParallelText
from isogloss.text.readers.languages import languages_in_name
from isogloss.text.reading import BUNDLED_NAMES, load_bundled, read_files
from isogloss.text.sts import StsSet, load_sts

BEFORE = "before"
PAIRS_AT_MOST = 2_000
"""Of a longer text so many pairs, evenly taken: each sentence is compared with all others."""
_TRAINING_SHARE = 0.9
_ENDING = re.compile(r"(\.(tsv|csv|txt|jsonl|tmx))?(\.gz)?$")


def first_examples(nli: str) -> int | None:
    """All of the bundled set; of a larger one so many that a first run ends in good time."""
    return None if nli == "bundled" else 2_000


@dataclass(frozen=True)
class SentencesPlan(Plan):
    """Fine-tune a model with each objective and seed, and measure it before and after.

    `nli` is bundled, hub, a directory or a file; `text` a bundled text or a file; `sts` are
    files, the bundled ones if there are none. Each seed draws its own `examples`, if not all.
    """

    KIND: ClassVar[str] = "sentences"
    SUMMARY: ClassVar[str] = "fine-tune sentence embeddings on English, measure two languages"
    DESCRIPTION: ClassVar[str] = (
        "Siamese fine-tuning on English inference pairs with frozen embeddings. Retrieval error in "
        "both directions and correlation with people's similarities, before and after."
    )

    model: str = model_option(DEFAULT_MODEL)
    objectives: tuple[str, ...] = option(
        ("softmax", "ranking"), "what to train for", title="Train to", choices=OBJECTIVES
    )
    seeds: tuple[int, ...] = seeds_option("one training for each")
    pooling: str = option(
        "mean",
        "how a sentence's vector is made of its tokens' states",
        title="Pooling",
        choices=ENCODER_POOLINGS,
    )
    layer: int = option(
        -1, "the layer that is pooled; negative from the top: -2 is the second-to-last"
    )
    frozen: int = option(0, "0 freezes the embeddings, N also blocks 1 to N, -1 nothing", least=-1)
    nli: str = option(
        "bundled",
        "English pairs to train on: bundled, hub, a directory or a file",
        paths=True,
        known=("bundled", "hub"),
    )
    examples: int | None = option(
        None,
        "how many pairs, or triples to rank, each seed draws, or all",
        title="Examples",
        least=2,
        none="all",
        suited="all bundled ones, 2000 of others",
    )
    epochs: int = option(1, "passes through the pairs", title="Epochs", least=1)
    learning_rate: float | None = option(
        None, "instead of the objective's own", least=1e-9, most=1.0, none="own"
    )
    text: str = option(
        "everyday.en-zh",
        "where translations are looked for: a bundled text (see `text ls`) or a file",
        title="Translations to find",
        paths=True,
        known=BUNDLED_NAMES,
    )
    sts: tuple[str, ...] = option(
        (),
        "files of sentence pairs with the similarity people gave them (sentence1, sentence2 and "
        "score with tabs between them, or the STS Benchmark's own layout), the bundled ones by "
        "default",
        paths=True,
    )
    max_tokens: int = option(128, "where a sentence is cut", least=8)
    device: str = device_option()

    def __post_init__(self) -> None:
        find_pooling(self.pooling)
        for objective in self.objectives:
            find_objective(objective)
        if not self.objectives or len(set(self.objectives)) != len(self.objectives):
            raise RunError("Give at least one objective, and each only once.")
        check_seeds(self.seeds)
        if self.examples is not None and self.examples < 2:
            raise RunError("A run needs at least two examples: ask for more.")
        super().__post_init__()

    @classmethod
    def suited(cls, n_layers: int, **values: Any) -> Self:
        plan = cls(**{"examples": first_examples(values.get("nli", cls.nli)), **values})
        find_layer(plan.layer, n_layers)
        return plan

    @property
    def title(self) -> str:
        text = self.text.rstrip("/").rpartition("/")[2]
        names = {-1: "the last layer", -2: "the second-to-last layer"}
        layer = names.get(self.layer, f"layer {self.layer}")
        return f"{display_name(self.model)} on {_ENDING.sub('', text)}, {self.pooling} of {layer}"

    def parts(self) -> dict[str, tuple[Any, ...]]:
        """The objective and the seed of each unit that trains; the first does not."""
        trained = {
            sentence_unit(objective, seed): (objective, seed)
            for seed in self.seeds
            for objective in self.objectives
        }
        return {BEFORE: (), **trained}

    def carry_out(
        self, todo: Sequence[str], context: RunContext
    ) -> Iterator[tuple[str, Mapping[str, Any]]]:
        files = find_model(self.model, context.store)
        data = self.read_data()
        parts = self.parts()
        for unit in todo:
            began = time.monotonic()
            # From the files each time, so that no unit depends on those before it.
            model = load_model(files, context.store, device=self.device, precision="float32")
            if unit == todo[0]:
                self._note(model, data, context)
            facts: dict[str, Any] = {}
            begin = 0.0
            if parts[unit]:
                facts = self._train(model, data.nli, context, *parts[unit])
                begin = _TRAINING_SHARE
            found, hits = self.measure(model, data, partial(_report_measuring, context, begin))
            context.keep(unit, packed_hits(hits))
            context.log(f"{unit}: {time.monotonic() - began:.0f} s")
            yield unit, {**facts, **found}

    def read_data(self) -> SentenceData:
        """The three kinds of data that the plan names."""
        return SentenceData(_read_nli(self.nli), _read_text(self.text), load_sts(self.sts))

    def _note(self, model: LoadedModel, data: SentenceData, context: RunContext) -> None:
        library = {"sentence-transformers": version("sentence-transformers")}
        context.note(
            model={"name": model.name, "fingerprint": model.files.fingerprint},
            n_layers=model.n_layers,
            layer=find_layer(self.layer, model.n_layers),
            languages=list(data.text.languages),
            data={
                "nli": _described(data.nli.name, data.nli),
                "corpus": _described(data.text.name, data.text),
                "sts": [_described(each.name, each) for each in data.sts],
            },
            device=model.device,
            versions=software_versions() | library,
        )

    def _train(
        self, model: LoadedModel, pairs: NliSet, context: RunContext, objective: str, seed: int
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
            report=lambda share, message: context.report(
                _TRAINING_SHARE * share, f"{objective}, seed {seed}: {message}"
            ),
        )
        parts = [float(np.mean(part)) for part in np.array_split(losses, min(20, len(losses)))]
        context.log(f"{objective}, seed {seed}: loss {parts[0]:.3f} to {parts[-1]:.3f}")
        return {"examples": len(examples), "steps": len(losses), "losses": parts}

    def measure(
        self, model: LoadedModel, data: SentenceData, report: OnShare
    ) -> tuple[dict[str, Any], Array]:
        """The figures, and the chance of each sentence to find its translation.

        `error` is [pooling][layer][direction]; the second value is the same before averaging, hits
        (poolings, layers, 2, n) from 0 to 1.
        """
        hits = find_translations(model, data.text, self.max_tokens, lambda part: report(0.9 * part))
        encoder = build_encoder(model, self.layer, self.pooling, self.max_tokens)
        sts: dict[str, dict[str, tuple[float | None, float | None]]] = {}
        for place, pairs in enumerate(data.sts):
            found = correlate_sts(encoder, pairs)
            sts[pairs.name] = {name: (each.pearson, each.spearman) for name, each in found.items()}
            report(0.9 + 0.1 * (place + 1) / len(data.sts))
        return {"error": (1 - hits.mean(-1)).tolist(), "rows": hits.shape[-1], "sts": sts}, hits


def _report_measuring(context: RunContext, begin: float, share: float) -> None:
    """Tell how far a unit is whose measuring comes after `begin`."""
    context.report(begin + (1 - begin) * share, "measuring")


@dataclass(frozen=True)
class SentenceData:
    """What a run learns from, finds translations in, and is compared with people on."""

    nli: NliSet
    text: ParallelText
    sts: tuple[StsSet, ...]


def sentence_unit(objective: str, seed: int) -> str:
    """What the unit of an objective and a seed is called."""
    return f"{objective}-{seed}"


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


def _read_text(name: str) -> ParallelText:
    bundled = name in BUNDLED_NAMES and not Path(name).exists()
    whole = load_bundled(name) if bundled else read_files(name).text
    text = whole.pair(*whole.first_two)
    if len(text) <= PAIRS_AT_MOST:
        return text
    rows = np.linspace(0, len(text) - 1, PAIRS_AT_MOST).round().astype(int)
    return text.select(rows.tolist())


def _described(name: str, data: NliSet | ParallelText | StsSet) -> dict[str, Any]:
    return {"name": name, "rows": len(data), "sha256": data.content_hash}
