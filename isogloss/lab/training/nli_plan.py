"""What every run that fine-tunes on NLI is asked for: model, data, sizes, training."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Self

from isogloss.lab.runs.options import device_option, model_option, rate_option, seeds_option
from isogloss.lab.runs.plan import Plan, check_seeds
from isogloss.lab.training.fine_tuning import TrainingOptions
from isogloss.models.heads import AUTO, HEADS, suited_head
from isogloss.models.presets import DEFAULT_LAYERS, DEFAULT_MODEL
from isogloss.options import Choice, option
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
