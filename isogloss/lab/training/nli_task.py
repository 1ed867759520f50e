"""What every run that fine-tunes on NLI works with: tokenised data, and an outcome in values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from isogloss.lab.runs.context import RunContext
from isogloss.lab.training.fine_tuning import FineTuned, Source, TrainingOptions, fine_tune
from isogloss.lab.training.frozen_states import model_inputs
from isogloss.lab.training.nli_plan import NliPlan
from isogloss.lab.training.steps import use_fastest_threads
from isogloss.models.loading import LoadedModel, load_model
from isogloss.models.pair_examples import PairExamples, encode_pairs
from isogloss.studies.extraction import software_versions
from isogloss.tasks import OnProgress
from isogloss.text.nli import NliData, NliSet


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
