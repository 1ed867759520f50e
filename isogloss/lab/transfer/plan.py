"""What freezing buys: fine-tune on one language with the first N layers frozen, test on others.

The experiment of "Which layer preserves the best cross-lingual representations in
multilingual-BERT?": every N, several seeds, the same data. The outputs of frozen layers are
computed once for all epochs and seeds, and carried from one N to the next
(`isogloss.lab.training.frozen_states`).
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

from isogloss.errors import RunError
from isogloss.lab.runs.context import RunContext
from isogloss.lab.training.fine_tuning import FineTuned, Source
from isogloss.lab.training.frozen_states import (
    BYTES_A_NUMBER,
    DEFAULT_BUDGET_GB,
    FrozenStates,
    bytes_needed,
    discard,
    frozen_states,
)
from isogloss.lab.training.nli_plan import NliPlan, Part
from isogloss.lab.training.nli_task import EncodedTask, Judged, describe
from isogloss.lab.transfer.closeness import (
    CLOSENESS,
    FEWEST_LANGUAGES,
    measure_closeness,
    parallel_premises,
)
from isogloss.models.pair_examples import PairExamples
from isogloss.models.presets import display_name
from isogloss.options import option

ALL_UP_TO, SPREAD = 8, 7


def first_frozen(n_layers: int) -> tuple[int, ...] | None:
    """Every N of a small model, which is None; of a deeper one the ends and some between them."""
    if n_layers <= ALL_UP_TO:
        return None
    return (-1, *(round(n_layers * i / (SPREAD - 2)) for i in range(SPREAD - 1)))


@dataclass(frozen=True)
class TransferPlan(NliPlan):
    """Fine-tune once for every N in `frozen` (None: all, -1 to L) and every seed."""

    frozen: tuple[int, ...] | None = option(
        None,
        "every N to try, or all",
        title="N, how many layers to freeze",
        none="all",
        suited=f"all of a model of at most {ALL_UP_TO} layers, {SPREAD} of a deeper one",
    )
    rates: tuple[str, ...] = option(
        (),
        "learning rates of single N as N:rate, such as -1:1e-4; the others have the common one",
        title="Learning rates of single N",
        word=r"-?\d+:[\d.eE+-]+",
    )
    share_frozen: bool = option(
        True, "compute the outputs of frozen layers once for all epochs and seeds"
    )
    budget_gb: float = option(
        DEFAULT_BUDGET_GB,
        "disk that shared states may take; beyond it every run computes its own",
    )

    KIND: ClassVar[str] = "transfer"
    SUMMARY: ClassVar[str] = "fine-tune on NLI with the first N layers frozen, for every N"
    DESCRIPTION: ClassVar[str] = (
        "N = -1 trains everything, 0 freezes the embeddings, N freezes the embeddings and blocks 1 "
        "to N; with all blocks frozen only the head learns."
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        wrong = [n for n in self.frozen or () if not -1 <= n <= self.n_layers]
        if wrong:
            raise RunError(
                f"{self.model} has {self.n_layers} layers, so N goes from -1 to {self.n_layers}; "
                f"{wrong[0]} is outside."
            )
        rates_by_frozen(self.rates)

    @classmethod
    def suited(cls, n_layers: int, **values: Any) -> Self:
        return super().suited(n_layers, **{"frozen": first_frozen(n_layers), **values})

    @property
    def title(self) -> str:
        data = os.path.basename(self.data.rstrip("/")) or self.data
        return f"{display_name(self.model)} on {data}"

    @property
    def layers(self) -> tuple[int, ...]:
        """Every N of the run, from few frozen layers to many."""
        asked = range(-1, self.n_layers + 1) if self.frozen is None else self.frozen
        return tuple(sorted(set(asked)))

    def learning_rate_at(self, n: int) -> float:
        """The rate that layers learn with when N are frozen."""
        return rates_by_frozen(self.rates).get(n, self.learning_rate)

    def fine_tunings(self, tokens: float, width: int) -> tuple[Part, ...]:
        """They share frozen work where its states, two layers at a time, fit the budget."""
        fits = self.share_frozen and 2 * BYTES_A_NUMBER * tokens * width <= self.budget_gb * 1e9
        return tuple(Part(n, len(self.seeds), shared=fits and n > 0) for n in self.layers)

    def parts(self) -> dict[str, tuple[int, int]]:
        return {transfer_unit(n, seed): (n, seed) for n in self.layers for seed in self.seeds}

    def carry_out(
        self, todo: Sequence[str], context: RunContext
    ) -> Iterator[tuple[str, Mapping[str, Any]]]:
        context.report(0.0, "loading the model and the data")
        task = EncodedTask(self, context)
        parts = self.parts()
        if todo[0] == next(iter(parts)):  # once, however many workers share the units
            self._keep_closeness(task, context)
        shared = _SharedWork(self, task, context)
        for unit in todo:
            n, seed = parts[unit]
            shared.advance_to(n)
            yield unit, self._run_unit(n, seed, task, shared, context)

    def _keep_closeness(self, task: EncodedTask, context: RunContext) -> None:
        """How close each language lies to the source before anything is trained."""
        others = set(self.languages) - {self.source_language}
        if len(others) < FEWEST_LANGUAGES or context.kept(CLOSENESS) is not None:
            return
        premises = parallel_premises(self.read_all().dev)
        if premises is None:
            context.log("the dev sets are no translations of one another: closeness is left out")
            return
        closeness = measure_closeness(
            task.model,
            premises,
            context.store,
            report=lambda share, message: context.report(0.02 * share, message),
            borrow=context.borrow,
        )
        context.keep(CLOSENESS, closeness.as_arrays())

    def _run_unit(
        self, n: int, seed: int, task: EncodedTask, shared: _SharedWork, context: RunContext
    ) -> dict[str, Any]:
        began = time.monotonic()
        task.restore()
        found = task.fine_tune(
            n,
            seed,
            replace(self.options(), learning_rate=self.learning_rate_at(n)),
            lambda share, message: context.report(share, f"N = {n}, seed {seed}: {message}"),
            shared.source,
        )
        context.keep(transfer_unit(n, seed), Judged.of(found).as_arrays())
        tokens = block_passes(task, self, found, n, shared=shared.active)
        return {
            "frozen": n,
            "seed": seed,
            **describe(found),
            "seconds": round(time.monotonic() - began, 1),
            "passes": tokens,
            "shared_states": shared.active,
        }


def rates_by_frozen(rates: Sequence[str]) -> dict[int, float]:
    """The rate of each N out of words such as -1:1e-4; raises RunError if one is not like that."""
    found: dict[int, float] = {}
    for word in rates:
        n, _, rate = word.partition(":")
        try:
            frozen, value = int(n), float(rate)
        except ValueError:
            frozen, value = -2, 0.0
        if frozen < -1 or not 0 < value <= 1:
            raise RunError(f"{word!r} is no learning rate of an N: write it as -1:1e-4.")
        if frozen in found:
            raise RunError(f"N = {frozen} has two learning rates: leave one of them out.")
        found[frozen] = value
    return found


def transfer_unit(frozen: int, seed: int) -> str:
    return f"N={frozen} seed={seed}"


class _SharedWork:
    """The states of the last frozen layer, carried upwards as the run goes on."""

    def __init__(self, plan: TransferPlan, task: EncodedTask, context: RunContext) -> None:
        self._plan, self._task, self._context = plan, task, context
        self._layer = 0
        self._states: dict[int, FrozenStates] = {}
        needed = bytes_needed(task.everything, task.model.width)
        self._fits = plan.share_frozen and needed <= plan.budget_gb * 1e9
        if plan.share_frozen and not self._fits:
            context.log(
                f"frozen states would take {needed / 1e9:.1f} GB and {plan.budget_gb:g} GB are "
                "allowed: every run passes through its frozen layers itself"
            )

    @property
    def active(self) -> bool:
        """Whether training starts from stored states just now."""
        return bool(self._states)

    def advance_to(self, layer: int) -> None:
        """Have the states of `layer` ready; frozen embeddings alone are quicker to look up."""
        if not self._fits or layer in (-1, self._layer):
            return
        self._task.restore()
        before, total = self._states, len(self._task.everything)
        self._states = {}
        made: dict[int, FrozenStates] = {}
        for place, examples in enumerate(self._task.everything):
            made[id(examples)] = frozen_states(
                self._task.model,
                examples,
                layer,
                self._context.store,
                before.get(id(examples)),
                lambda share, at=place: self._context.report(  # type: ignore[misc]
                    0.02 * (at + share) / total, f"frozen states of layer {layer}"
                ),
            )
            self._context.borrow(made[id(examples)].entry.key)
        for old in before.values():
            discard(old, self._context.store)
        self._states, self._layer = made, layer
        self._context.log(f"frozen states of layer {layer} are ready")

    def source(self, examples: PairExamples) -> Source:
        return Source(examples, self._states.get(id(examples)))


def block_passes(
    task: EncodedTask, plan: TransferPlan, found: FineTuned, frozen: int, *, shared: bool
) -> dict[str, float]:
    """Passes of a token through a block, in millions: those made, and those of the plain way.

    A backward pass counts as two. The one pass that makes the shared states is not counted here.
    """
    blocks = task.model.n_layers
    below = max(frozen, 0)
    trained = float(task.train.lengths.sum()) * plan.epochs
    looked = sum(float(each.lengths.sum()) for each in task.dev.values()) * len(found.checks)
    for language, outcome in found.test.items():
        times = len({outcome.selected_step, outcome.oracle_step})
        looked += float(task.test[language].lengths.sum()) * times
    forward = trained + looked
    backward = 2 * trained * (blocks - below)
    plain = forward * blocks + backward
    made = forward * (blocks - below if shared else blocks) + backward
    return {"made": round(made / 1e6, 3), "plain": round(plain / 1e6, 3)}
