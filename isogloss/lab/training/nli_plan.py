"""What every run that fine-tunes on NLI has: settings, tokenised data, and an outcome in values."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any, Self, cast

import numpy as np

from isogloss.lab.runs.context import RunContext
from isogloss.lab.runs.options import device_option, model_option, rate_option, seeds_option
from isogloss.lab.runs.plan import Plan, check_seeds
from isogloss.lab.training.fine_tuning import FineTuned, Source, TrainingOptions, fine_tune
from isogloss.lab.training.frozen_states import model_inputs
from isogloss.lab.training.steps import use_fastest_threads
from isogloss.models.heads import AUTO, HEADS, suited_head
from isogloss.models.loading import LoadedModel, load_model
from isogloss.models.pair_examples import PairExamples, encode_pairs
from isogloss.models.presets import DEFAULT_LAYERS, DEFAULT_MODEL
from isogloss.options import Choice, option
from isogloss.studies.extraction import software_versions
from isogloss.tasks import OnProgress
from isogloss.text.nli import NliData, NliSet, known_code, load_nli


@dataclass(frozen=True)
class Part:
    """Some fine-tunings with the same number of frozen layers, `shared` upon stored states."""

    frozen: int
    runs: int
    shared: bool = False


_AS_USUAL = Choice("As usual", "The first token of an encoder, the last token of a decoder.")


def first_sizes(data: str) -> dict[str, int | None]:
    """All pairs of the bundled set; of a larger one so many that a first run ends in good time."""
    if data == "bundled":
        return {"train_size": None, "test_size": None}
    return {"train_size": 2_000, "test_size": 1_000}


@dataclass(frozen=True)
class NliPlan(Plan):
    """What every run that fine-tunes on NLI says: model, data, seeds, sizes, training."""

    model: str = model_option(DEFAULT_MODEL)
    data: str = option(
        "bundled",
        "bundled, hub (facebook/xnli), or a directory with files such as dev-zh.tsv",
        paths=True,
        known=("bundled", "hub"),
    )
    train: str | None = option(
        None,
        "a file of training pairs, where the data has none or others are wanted",
        title="Training file, if another",
        paths=True,
    )
    languages: tuple[str, ...] = option(
        ("en", "zh"), "what to test on", title="Test in", word="[a-z]{2,3}"
    )
    source_language: str = option("en", "what to train on")
    seeds: tuple[int, ...] = seeds_option("one fine-tuning for each")
    train_size: int | None = option(
        None,
        "how many training pairs, or all",
        title="Training pairs",
        least=2,
        none="all",
        suited="all bundled ones, 2000 of others",
    )
    dev_size: int | None = option(
        500, "how many dev pairs per language, or all", title="Dev pairs", least=2, none="all"
    )
    test_size: int | None = option(
        None,
        "how many test pairs per language, or all",
        title="Test pairs",
        least=2,
        none="all",
        suited="all bundled ones, 1000 of others",
    )
    epochs: int = option(3, "passes through the training pairs", title="Epochs", least=1)
    learning_rate: float = rate_option(1e-4, "at its highest; it falls linearly to 0", most=1)
    head_learning_rate: float = rate_option(
        1e-3, "the same for the classifier's head", "The head's learning rate", most=1
    )
    # A batch of one pair has nothing to be normalised by.
    batch_size: int = option(16, "pairs in a batch", title="Batch", least=2)
    max_tokens: int = option(96, "where a pair is cut", title="Tokens per pair", least=8)
    checks: int = option(
        3, "how often dev sets are looked at, evenly over the training", title="Checks", least=1
    )
    dropout: bool = option(False, "dropout in the layers that learn", title="Dropout")
    head: str = option(
        "",
        "what the classifier reads",
        title="Head",
        suited="what suits the model",
        choices={AUTO: _AS_USUAL, **HEADS},
    )
    device: str = device_option()
    n_layers: int = DEFAULT_LAYERS

    def __post_init__(self) -> None:
        if not self.head:
            object.__setattr__(self, "head", suited_head(self.model))
        super().__post_init__()
        check_seeds(self.seeds)
        languages = dict.fromkeys(map(known_code, self.languages))
        object.__setattr__(self, "languages", tuple(languages))
        object.__setattr__(self, "source_language", known_code(self.source_language))

    @classmethod
    def suited(cls, n_layers: int, **values: Any) -> Self:
        sizes = first_sizes(values.get("data", cls.data))
        return cls(**{**sizes, **values, "n_layers": n_layers})

    @abstractmethod
    def fine_tunings(self, tokens: float, width: int) -> tuple[Part, ...]:
        """What it consists of, with so many tokens in all sets and a model of this width."""

    def options(self) -> TrainingOptions:
        names = {field.name for field in fields(TrainingOptions)}
        return TrainingOptions(
            **{
                field.name: getattr(self, field.name)
                for field in fields(self)
                if field.name in names
            }
        )

    def read_data(self) -> NliData:
        """The sets, cut to the sizes asked for."""
        return self.cut(self.read_all())

    def read_all(self) -> NliData:
        """The sets as they are."""
        return load_nli(
            self.data,
            train=self.train,
            languages=self.languages,
            source_language=self.source_language,
        )

    def cut(self, data: NliData) -> NliData:
        """Samples of the sets, of the sizes asked for; those of parallel sets stay parallel."""

        def sample(sets: Mapping[str, NliSet], size: int | None) -> dict[str, NliSet]:
            return {language: each.sample(size) for language, each in sets.items()}

        return NliData(
            data.name,
            data.train.sample(self.train_size),
            sample(data.dev, self.dev_size),
            sample(data.test, self.test_size),
            data.small,
        )


def describe(found: FineTuned) -> dict[str, Any]:
    """A fine-tuning's outcome in plain values."""
    return {
        "checks": [
            {
                "step": check.step,
                "loss": round(check.loss, 5),
                "dev": {name: [count.correct, count.n] for name, count in check.dev.items()},
            }
            for check in found.checks
        ],
        "test": {
            language: {
                "selected_step": outcome.selected_step,
                "selected": [outcome.selected.correct, outcome.selected.n],
                "oracle_step": outcome.oracle_step,
                "oracle": [outcome.oracle.correct, outcome.oracle.n],
            }
            for language, outcome in found.test.items()
        },
        "padding": round(found.padding, 4),
    }


@dataclass(frozen=True, eq=False)
class Judged:
    """Which test pairs were judged right, (n,), by language and choice of model.

    Runs keep them, a bit each, so that two fine-tunings can be compared pair by pair. What was kept
    has more pairs than there were, up to a whole byte.
    """

    right: Mapping[tuple[str, str], np.ndarray]

    @classmethod
    def of(cls, found: FineTuned) -> Judged:
        return cls(
            {
                (language, selection): count.right
                for language, outcome in found.test.items()
                for selection, count in (("selected", outcome.selected), ("oracle", outcome.oracle))
            }
        )

    def as_arrays(self) -> dict[str, np.ndarray]:
        """The judgements as arrays that a run can keep."""
        return {" ".join(which): np.packbits(right) for which, right in self.right.items()}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, np.ndarray]) -> Judged:
        """The judgements as `as_arrays` gave them."""
        found = {tuple(name.rsplit(" ", 1)): np.unpackbits(kept) for name, kept in arrays.items()}
        return cls(cast(dict[tuple[str, str], np.ndarray], found))


class EncodedTask:
    """A model and its data, tokenised, with the model's weights as they were at first."""

    def __init__(self, plan: NliPlan, context: RunContext) -> None:
        data = plan.read_data()
        self.model: LoadedModel = load_model(
            plan.model, context.store, device=plan.device, precision="float32"
        )
        self.train, self.dev, self.test = self._encode(data, plan.max_tokens)
        network = self.model.network
        self._first = {name: value.clone() for name, value in network.state_dict().items()}
        context.note(
            model={"name": self.model.name, "fingerprint": self.model.files.fingerprint},
            device=self.model.device,
            precision=self.model.precision,
            threads=self._choose_threads(plan.batch_size),
            versions=software_versions(),
            data={
                "name": data.name,
                "small": data.small,
                "train": _facts(data.train),
                "dev": {language: _facts(each) for language, each in data.dev.items()},
                "test": {language: _facts(each) for language, each in data.test.items()},
            },
        )

    def _encode(
        self, data: NliData, max_tokens: int
    ) -> tuple[PairExamples, dict[str, PairExamples], dict[str, PairExamples]]:
        def encode(pairs: NliSet) -> PairExamples:
            return encode_pairs(self.model, pairs, max_tokens)

        dev = {language: encode(each) for language, each in data.dev.items()}
        test = {language: encode(each) for language, each in data.test.items()}
        return encode(data.train), dev, test

    def _choose_threads(self, pairs: int) -> int | None:
        """On a CPU, the number of threads that a training step is fastest with."""
        if self.model.device != "cpu":
            return None
        network = self.model.network
        inputs = model_inputs(self.model, self.train, range(min(pairs, len(self.train))))

        def step() -> None:
            network(**inputs).last_hidden_state.sum().backward()
            network.zero_grad(set_to_none=True)

        return use_fastest_threads(step)

    @property
    def everything(self) -> list[PairExamples]:
        return [self.train, *self.dev.values(), *self.test.values()]

    def fine_tune(
        self,
        frozen: int,
        seed: int,
        options: TrainingOptions,
        report: OnProgress,
        source: Callable[[PairExamples], Source] = Source,
    ) -> FineTuned:
        """Train on the training set, choose by the dev sets, count on the test sets."""
        dev, test = (
            {language: source(each) for language, each in sets.items()}
            for sets in (self.dev, self.test)
        )
        return fine_tune(
            self.model,
            source(self.train),
            dev,
            test,
            frozen=frozen,
            seed=seed,
            options=options,
            report=report,
        )

    def restore(self) -> None:
        """Give the network its first weights back."""
        self.model.network.load_state_dict(self._first)


def _facts(pairs: NliSet) -> dict[str, Any]:
    return {"name": pairs.name, "pairs": len(pairs), "sha256": pairs.content_hash}
