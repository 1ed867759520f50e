"""The work of an adaptation: one regime with one seed, measured every few steps."""

from __future__ import annotations

import copy
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from isogloss.errors import ModelError
from isogloss.lab.adaptation.language_training import LanguageTraining
from isogloss.lab.adaptation.regimes import Regime
from isogloss.lab.adaptation.settings import AdaptationSettings
from isogloss.lab.adaptation.training_map import Watch, probe_pairs, spread_moments
from isogloss.lab.runs.context import RunContext
from isogloss.lab.training.drift import PROBE_SENTENCES, Anchor, Probe, anchor_at
from isogloss.measures.stacks import Array
from isogloss.models.loading import LoadedModel, load_model
from isogloss.models.masking import (
    Batch,
    Sentence,
    Vocabulary,
    fixed_questions,
    measuring_batches,
    perplexity,
    read_sentences,
)
from isogloss.studies.extraction import software_versions

_EVALUATION_SEED = 20_200
"""What fixed masks are drawn from; a seed of its own, so that all runs answer the same."""


@dataclass(frozen=True, eq=False)
class AdaptationTask:
    """What all units share: the model as it was, and everything it is asked."""

    model: LoadedModel
    weights: Mapping[str, Any]
    vocabulary: Vocabulary
    train: tuple[Sentence, ...]
    target: tuple[Batch, ...]
    multilingual: tuple[Batch, ...]
    test: tuple[Batch, ...]
    probe: Probe
    before: Anchor
    reference: Anchor | None
    test_before: float


def prepare(plan: AdaptationSettings, context: RunContext) -> AdaptationTask:
    text = plan.read_data()
    model = load_model(
        plan.model, context.store, device=plan.device, precision="float32", language_head=True
    )
    longest = min(plan.longest, model.max_tokens)
    vocabulary = Vocabulary.of(model)

    def asked(texts: Sequence[str]) -> tuple[Batch, ...]:
        return _asked(model, texts, longest)

    watched = text.validation[:PROBE_SENTENCES]
    probe = Probe.of(read_sentences(model, watched, longest), vocabulary.padding)
    reference = None
    facts: dict[str, Any] = {}
    if plan.reference:
        native = _load_native(plan, context)
        sentences = read_sentences(native, watched, min(longest, native.max_tokens))
        reference = anchor_at(native, sentences, probe, model.n_layers)
        facts["reference"] = native.files.fingerprint
        facts["native"] = {
            "test": _native_perplexity(native, text.test, longest),
            "characters_per_token": [
                _characters_per_token(each, text.test) for each in (model, native)
            ],
        }
    test = asked(text.test)
    context.note(
        model={"name": model.name, "fingerprint": model.files.fingerprint},
        text=text.content_hashes,
        sentences={
            "train": len(text.train),
            "validation": len(text.validation),
            "test": len(text.test),
            **{f"multilingual {code}": len(each) for code, each in text.multilingual.items()},
        },
        device=model.device,
        versions=software_versions(),
        n_layers=model.n_layers,
        is_decoder=model.is_decoder,
        **facts,
    )
    return AdaptationTask(
        model=model,
        weights=copy.deepcopy(model.network.state_dict()),
        vocabulary=vocabulary,
        train=read_sentences(model, text.train, longest),
        target=asked(text.validation),
        multilingual=asked([s for sentences in text.multilingual.values() for s in sentences]),
        test=test,
        probe=probe,
        before=Anchor(probe.states(model.network), by_sentence=False),
        reference=reference,
        test_before=perplexity(model.network, test),
    )


def _asked(model: LoadedModel, texts: Sequence[str], longest: int) -> tuple[Batch, ...]:
    """What a model is asked of some texts: the same at every step and in every run."""
    vocabulary = Vocabulary.of(model)
    questions = fixed_questions(read_sentences(model, texts, longest), vocabulary, _EVALUATION_SEED)
    return measuring_batches(questions, vocabulary.padding)


def _load_native(plan: AdaptationSettings, context: RunContext) -> LoadedModel:
    """The native model, with the head that guesses tokens if it was saved with one."""
    load = partial(
        load_model, plan.reference, context.store, device=plan.device, precision="float32"
    )
    try:
        return load(language_head=True)
    except ModelError as error:
        native = load()  # whatever else is wrong with it is raised here
        context.log(f"no perplexity of the native model: {error}")
        return native


def _native_perplexity(native: LoadedModel, texts: Sequence[str], longest: int) -> float | None:
    """How well the native model, untrained here, guesses its own tokens of the test text."""
    if native.network.base_model is native.network:
        return None
    return perplexity(native.network, _asked(native, texts, min(longest, native.max_tokens)))


def _characters_per_token(model: LoadedModel, texts: Sequence[str]) -> float:
    """How much text a token is, which perplexities of two vocabularies have to be read by."""
    tokens = sum(int(s.ordinary.sum()) for s in read_sentences(model, texts, model.max_tokens))
    return round(sum(map(len, texts)) / max(tokens, 1), 3)


@dataclass(frozen=True, eq=False)
class Adaptation:
    """One regime with one seed, from the model as it was to its test."""

    plan: AdaptationSettings
    task: AdaptationTask
    regime: Regime
    seed: int
    context: RunContext

    def run(self) -> dict[str, Any]:
        import torch

        began = time.monotonic()
        with torch.random.fork_rng():
            torch.manual_seed(self.seed)
            result = self._train()
        return {**result, "seconds": round(time.monotonic() - began, 1)}

    def _train(self) -> dict[str, Any]:
        plan, network = self.plan, self.task.model.network
        network.load_state_dict(self.task.weights)
        training = LanguageTraining(
            network=network,
            n_layers=self.task.model.n_layers,
            sentences=self.task.train,
            vocabulary=self.task.vocabulary,
            regime=self.regime,
            schedule=plan.schedule,
            seed=self.seed,
        )
        total = training.total_steps
        looks = sorted({*range(0, total, plan.evaluate_every), total})
        is_first = self.seed == plan.seeds[0]
        watch = Watch(self.task.model, probe_pairs(plan.language)) if is_first else None
        moments = spread_moments(looks)
        evaluations: list[dict[str, Any]] = []
        best: _Best | None = None
        for step in training.steps():
            self.context.report(
                0.95 * step / total,
                f"{self.regime.title.lower()}, seed {self.seed}: step {step:,} of {total:,}",
            )
            if step not in looks:
                continue
            found = self._evaluate(step)
            evaluations.append(found)
            if best is None or found["target"] < best.target:
                best = _Best(step, found["target"], len(evaluations), _copy_learning(network))
            out_of_patience = 0 < plan.patience <= len(evaluations) - best.evaluation
            if watch is not None and (step in moments or out_of_patience):
                watch.look(step)
            if out_of_patience:
                break
        assert best is not None
        if watch is not None:
            self.context.report(0.95, f"{self.regime.title.lower()}: laying out the words")
            self.context.keep(map_name(self.regime.name), watch.lay_out().as_arrays())
        # What had not learned by the best step may have since, so it goes back to the start.
        network.load_state_dict(self.task.weights)
        network.load_state_dict(best.weights, strict=False)
        return {
            "regime": self.regime.name,
            "seed": self.seed,
            **{name: [each[name] for each in evaluations] for name in evaluations[0]},
            "phases": [[phase.step, phase.first_learning] for phase in training.phases()],
            "steps_an_epoch": training.steps_an_epoch,
            "best_step": best.step,
            "stopped_early": evaluations[-1]["steps"] < total,
            "test": perplexity(network, self.task.test),
            "test_before": self.task.test_before,
        }

    def _evaluate(self, step: int) -> dict[str, Any]:
        """Everything that is measured at one step, named as in the result."""
        task, network = self.task, self.task.model.network
        states = task.probe.states(network)
        distance, similarity = task.before.measure(task.probe, states)
        found = {
            "steps": step,
            "target": perplexity(network, task.target),
            "multilingual": perplexity(network, task.multilingual),
            "distance": _plain(distance),
            "similarity": _plain(similarity),
        }
        if task.reference is not None:
            distance, similarity = task.reference.measure(task.probe, states)
            found["reference_distance"] = _plain(distance)
            found["reference_similarity"] = _plain(similarity)
        return found


@dataclass(frozen=True, eq=False)
class _Best:
    """The step with the lowest perplexity so far, and the weights it had."""

    step: int
    target: float
    evaluation: int
    weights: Mapping[str, Any]


def map_name(regime: str) -> str:
    """What the moving map of a regime is kept as."""
    return f"map-{regime}"


def _copy_learning(network: Any) -> dict[str, Any]:
    return {
        name: weight.detach().clone()
        for name, weight in network.named_parameters()
        if weight.requires_grad
    }


def _plain(values: Array) -> list[float | None]:
    """Numbers that JSON has, in six digits; None for what is undefined."""
    return [None if np.isnan(value) else float(f"{value:.6g}") for value in values]
