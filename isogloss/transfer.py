"""What freezing buys: fine-tune on one language with the first N layers frozen, test on others.

The experiment of "Which layer preserves the best cross-lingual representations in
multilingual-BERT?": every N, several seeds, the same data. What frozen layers say is computed once
for all epochs and seeds, and carried from one N to the next (`isogloss.frozen_states`).
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar

from isogloss.activations import software_versions
from isogloss.desk import Desk
from isogloss.errors import RunError
from isogloss.fine_tuning import FineTuned, Source, TrainingOptions, fine_tune
from isogloss.frozen_states import (
    DEFAULT_BUDGET_GB,
    FrozenStates,
    bytes_needed,
    discard,
    frozen_states,
)
from isogloss.models import LoadedModel, load_model
from isogloss.nli import NliData, NliSet, known_code, load_nli
from isogloss.pair_examples import PairExamples, encode_pairs
from isogloss.plans import Plan, check_seeds

_LEAST = {"epochs": 1, "batch_size": 2, "checks": 1, "max_tokens": 8}
"""A batch of one pair has nothing to be normalised by."""


@dataclass(frozen=True)
class NliPlan(Plan):
    """What every run that fine-tunes on NLI says: model, data, seeds, sizes, training."""

    model: str = "mini-en-zh"
    data: str = "bundled"
    train: str | None = None
    languages: tuple[str, ...] = ("en", "zh")
    source_language: str = "en"
    seeds: tuple[int, ...] = (0, 1, 2)
    train_size: int | None = None
    dev_size: int | None = 500
    test_size: int | None = None
    epochs: int = 3
    learning_rate: float = 1e-4
    head_learning_rate: float = 1e-3
    batch_size: int = 16
    max_tokens: int = 96
    checks: int = 3
    dropout: bool = False
    head: str = "auto"
    device: str = "auto"

    def __post_init__(self) -> None:
        for name, least in _LEAST.items():
            if getattr(self, name) < least:
                raise RunError(f"{name.replace('_', ' ')} must be at least {least}.")
        if not 0 < self.learning_rate < 1 or not 0 < self.head_learning_rate < 1:
            raise RunError("A learning rate must lie between 0 and 1.")
        check_seeds(self.seeds)
        languages = dict.fromkeys(map(known_code, self.languages))
        object.__setattr__(self, "languages", tuple(languages))
        object.__setattr__(self, "source_language", known_code(self.source_language))

    def options(self) -> TrainingOptions:
        names = {field.name for field in fields(TrainingOptions)}
        return TrainingOptions(
            **{
                field.name: getattr(self, field.name)
                for field in fields(self)
                if field.name in names
            }
        )

    def load_data(self) -> NliData:
        """The sets, cut to the sizes asked for."""
        return self.cut(
            load_nli(
                self.data,
                train=self.train,
                languages=self.languages,
                source_language=self.source_language,
            )
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

    def common_words(self) -> list[str]:
        """The command line's words for what all plans on NLI share, defaults left out."""
        words = [self.model]
        for field in fields(NliPlan):
            value = getattr(self, field.name)
            if field.name == "model" or value == field.default:
                continue
            option = f"--{field.name.replace('_', '-')}"
            if isinstance(value, bool):
                words.append(option)
            elif isinstance(value, tuple):
                words.append(f"{option}={','.join(map(str, value))}")
            else:
                words.append(f"{option}={'all' if value is None else value}")
        return words


@dataclass(frozen=True)
class SweepPlan(NliPlan):
    """Fine-tune once for every N in `frozen` (None: all, -1 to L) and every seed."""

    frozen: tuple[int, ...] | None = None
    n_layers: int = 6
    share_frozen: bool = True
    budget_gb: float = DEFAULT_BUDGET_GB

    KIND: ClassVar[str] = "sweep"

    def __post_init__(self) -> None:
        super().__post_init__()
        wrong = [n for n in self.frozen or () if not -1 <= n <= self.n_layers]
        if wrong:
            raise RunError(
                f"{self.model} has {self.n_layers} layers, so N goes from -1 to {self.n_layers}; "
                f"{wrong[0]} is outside."
            )

    @property
    def title(self) -> str:
        return f"{self.model} on {os.path.basename(self.data.rstrip('/')) or self.data}"

    @property
    def layers(self) -> tuple[int, ...]:
        """Every N of the sweep, from few frozen layers to many."""
        asked = range(-1, self.n_layers + 1) if self.frozen is None else self.frozen
        return tuple(sorted(set(asked)))

    def units(self) -> tuple[str, ...]:
        return tuple(unit_name(n, seed) for n in self.layers for seed in self.seeds)

    def command(self) -> list[str]:
        words = ["sweep", *self.common_words()]
        if self.frozen is not None:
            words.append(f"--frozen={','.join(map(str, self.frozen))}")
        if not self.share_frozen:
            words.append("--no-share-frozen")
        if self.budget_gb != DEFAULT_BUDGET_GB:
            words.append(f"--budget-gb={self.budget_gb:g}")
        return words

    def carry_out(self, todo: Sequence[str], desk: Desk) -> Iterator[tuple[str, Mapping[str, Any]]]:
        if not todo:
            return
        desk.report(0.0, "loading the model and the data")
        bench = Bench(self, desk)
        shared = _SharedWork(self, bench, desk)
        wanted = set(todo)
        for n in self.layers:
            seeds = [seed for seed in self.seeds if unit_name(n, seed) in wanted]
            if not seeds:
                continue
            shared.advance_to(n)
            for seed in seeds:
                unit = unit_name(n, seed)
                yield unit, self._run_unit(n, seed, bench, shared, desk)

    def _run_unit(
        self, n: int, seed: int, bench: Bench, shared: _SharedWork, desk: Desk
    ) -> dict[str, Any]:
        began = time.monotonic()
        bench.restore()
        found = fine_tune(
            bench.model,
            shared.source(bench.train),
            {language: shared.source(each) for language, each in bench.dev.items()},
            {language: shared.source(each) for language, each in bench.test.items()},
            frozen=n,
            seed=seed,
            options=self.options(),
            report=lambda share, message: desk.report(share, f"N = {n}, seed {seed}: {message}"),
        )
        tokens = block_passes(bench, self, found, n, shared=shared.active)
        return {
            "frozen": n,
            "seed": seed,
            **describe(found),
            "seconds": round(time.monotonic() - began, 1),
            "passes": tokens,
            "shared_states": shared.active,
        }


def unit_name(frozen: int, seed: int) -> str:
    return f"N={frozen} seed={seed}"


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
    }


class Bench:
    """A model and its data, tokenised, with the model's weights as they were at first."""

    def __init__(self, plan: NliPlan, desk: Desk) -> None:
        data = plan.load_data()
        self.model: LoadedModel = load_model(
            plan.model, desk.store, device=plan.device, precision="float32"
        )
        self.train, self.dev, self.test = self._encode(data, plan.max_tokens)
        network = self.model.network
        self._first = {name: value.clone() for name, value in network.state_dict().items()}
        desk.note(
            model={"name": self.model.name, "fingerprint": self.model.files.fingerprint},
            device=self.model.device,
            precision=self.model.precision,
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

    @property
    def everything(self) -> list[PairExamples]:
        return [self.train, *self.dev.values(), *self.test.values()]

    def restore(self) -> None:
        """Give the network its first weights back."""
        self.model.network.load_state_dict(self._first)


def _facts(pairs: NliSet) -> dict[str, Any]:
    return {"name": pairs.name, "pairs": len(pairs), "sha256": pairs.content_hash}


class _SharedWork:
    """The states of the last frozen layer, carried upwards as the sweep goes on."""

    def __init__(self, plan: SweepPlan, bench: Bench, desk: Desk) -> None:
        self._plan, self._bench, self._desk = plan, bench, desk
        self._states: dict[int, FrozenStates] = {}
        needed = bytes_needed(bench.everything, bench.model.width)
        self._fits = plan.share_frozen and needed <= plan.budget_gb * 1e9
        if plan.share_frozen and not self._fits:
            desk.log(
                f"frozen states would take {needed / 1e9:.1f} GB and {plan.budget_gb:g} GB are "
                "allowed: every run passes through its frozen layers itself"
            )

    @property
    def active(self) -> bool:
        """Whether training starts from stored states just now."""
        return bool(self._states)

    def advance_to(self, layer: int) -> None:
        """Have the states of `layer` ready, if there is something to share."""
        if not self._fits or layer < 0:
            return
        self._bench.restore()
        before, total = self._states, len(self._bench.everything)
        self._states = {}
        made: dict[int, FrozenStates] = {}
        for place, examples in enumerate(self._bench.everything):
            made[id(examples)] = frozen_states(
                self._bench.model,
                examples,
                layer,
                self._desk.store,
                before.get(id(examples)),
                lambda share, at=place: self._desk.report(  # type: ignore[misc]
                    0.02 * (at + share) / total, f"frozen states of layer {layer}"
                ),
            )
            self._desk.borrow(made[id(examples)].entry.key)
        for old in before.values():
            discard(old, self._desk.store)
        self._states = made
        self._desk.log(f"frozen states of layer {layer} are ready")

    def source(self, examples: PairExamples) -> Source:
        return Source(examples, self._states.get(id(examples)))


def block_passes(
    bench: Bench, plan: SweepPlan, found: FineTuned, frozen: int, *, shared: bool
) -> dict[str, float]:
    """Passes of a token through a block, in millions: those made, and those of the plain way.

    A backward pass counts as two. The one pass that makes the shared states is not counted here.
    """
    blocks = bench.model.n_layers
    below = max(frozen, 0)
    trained = float(bench.train.lengths.sum()) * plan.epochs
    looked = sum(float(each.lengths.sum()) for each in bench.dev.values()) * len(found.checks)
    for language, outcome in found.test.items():
        times = len({outcome.selected_step, outcome.oracle_step})
        looked += float(bench.test[language].lengths.sum()) * times
    forward = trained + looked
    backward = 2 * trained * (blocks - below)
    plain = forward * blocks + backward
    made = forward * (blocks - below if shared else blocks) + backward
    return {"made": round(made / 1e6, 3), "plain": round(plain / 1e6, 3)}
