"""Adapting a multilingual model to one language: language-model training under unfreezing regimes.

The experiment of "Evolution of Representations in Cross-Lingual Fine-tuning" (Hussain & Dudev).
Every few steps: perplexity on held-out text of the language and of all languages, and how far each
layer has moved from where it was. A unit of work is one regime with one seed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar

from cache import Store
from isogloss.adaptation_units import Adaptation, prepare
from isogloss.desk import Desk
from isogloss.errors import RunError
from isogloss.language_training import Schedule
from isogloss.models import find_model, model_shape
from isogloss.monolingual import AdaptationText, Sizes, read_adaptation_text
from isogloss.plans import Plan, check_seeds
from isogloss.regimes import find_regime, regimes_for

SHORTEST = 8
"""Below so many tokens, cut sentences have hardly anything to hide or to predict."""


@dataclass(frozen=True)
class AdaptationPlan(Plan):
    """What to adapt, to what, and how; see `REGIMES` for the regimes.

    `text` and `multilingual` are sources as `isogloss.monolingual` reads them, none of them for the
    bundled ones. Training stops after `patience` evaluations without a better validation
    perplexity, never if it is 0. `reference` names a native model to measure the distance to.
    """

    KIND: ClassVar[str] = "adaptation"

    model: str = "mini-en-zh"
    language: str = "zh"
    text: tuple[str, ...] = ()
    multilingual: tuple[str, ...] = ()
    regimes: tuple[str, ...] = ("all", "last-3", "last-1", "gradual")
    seeds: tuple[int, ...] = (0, 1, 2)
    epochs: int = 3
    batch_size: int = 8
    learning_rate: float = 2e-4
    evaluate_every: int = 10
    patience: int = 0
    train_embeddings: bool = False
    dropout: bool = True
    train_sentences: int = 1_000
    validation_sentences: int = 150
    test_sentences: int = 300
    multilingual_sentences: int = 200
    longest: int = 64
    split_seed: int = 0
    reference: str = ""
    device: str = "auto"

    def __post_init__(self) -> None:
        for regime in self.regimes:
            find_regime(regime)
        if not self.regimes or len(set(self.regimes)) != len(self.regimes):
            raise RunError("Give at least one regime, and each only once.")
        check_seeds(self.seeds)
        if self.longest < SHORTEST:
            raise RunError(f"longest must be at least {SHORTEST} tokens: shorter ones say little.")
        for name in _POSITIVE:
            if getattr(self, name) <= 0:
                raise RunError(f"{name.replace('_', ' ')} must be above 0.")

    @property
    def title(self) -> str:
        text = ", ".join(source.rpartition("/")[2] for source in self.text) or "bundled text"
        return f"{self.model} adapted to {self.language} on {text}"

    @property
    def schedule(self) -> Schedule:
        """How a regime is trained."""
        return Schedule(
            self.epochs, self.batch_size, self.learning_rate, self.train_embeddings, self.dropout
        )

    def units(self) -> tuple[str, ...]:
        """One for each regime and seed; all regimes have their first seed before any its second."""
        return tuple(f"{regime} seed {seed}" for seed in self.seeds for regime in self.regimes)

    def carry_out(self, todo: Sequence[str], desk: Desk) -> Iterator[tuple[str, Mapping[str, Any]]]:
        wanted = [
            (f"{regime} seed {seed}", find_regime(regime), seed)
            for seed in self.seeds
            for regime in self.regimes
        ]
        desk.report(0.0, "reading the text and the model")
        task = prepare(self, desk)
        for unit, regime, seed in wanted:
            if unit in todo:
                yield unit, Adaptation(self, task, regime, seed, desk).run()

    def command(self) -> list[str]:
        """The words after `python -m isogloss` that ask for the same run."""
        words = ["adapt", self.model, "--language", self.language, "--regimes", *self.regimes]
        for each in fields(self):
            value = getattr(self, each.name)
            option = each.name.replace("_", "-")
            if each.name in ("model", "language", "regimes") or value == each.default:
                continue
            if isinstance(value, bool):
                words.append(f"--{option}" if value else f"--no-{option}")
            else:
                words += [f"--{option}", *map(str, value if isinstance(value, tuple) else [value])]
        return words

    def read_text(self) -> AdaptationText:
        """The text, split into its parts."""
        sizes = Sizes(
            self.train_sentences,
            self.validation_sentences,
            self.test_sentences,
            self.multilingual_sentences,
        )
        return read_adaptation_text(
            self.language, self.text, self.multilingual, sizes, self.split_seed
        )


_POSITIVE = (
    "epochs",
    "batch_size",
    "learning_rate",
    "evaluate_every",
    "train_sentences",
    "validation_sentences",
    "test_sentences",
    "multilingual_sentences",
)


def default_regimes(model: str, store: Store) -> tuple[str, ...]:
    """The regimes that differ for a model, by its depth."""
    depth = model_shape(find_model(model, store)).n_layers
    return tuple(regime.name for regime in regimes_for(depth))
