"""Adapting a multilingual model to one language: language-model training under unfreezing regimes.

The experiment of "Evolution of Representations in Cross-Lingual Fine-tuning" (Hussain & Dudev).
Every few steps: perplexity on held-out text of the language and of all languages, and how far each
layer has moved from where it was. A unit of work is one regime with one seed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from isogloss.lab.adaptation.regimes import find_regime
from isogloss.lab.adaptation.settings import AdaptationSettings
from isogloss.lab.adaptation.training import Adaptation, prepare
from isogloss.lab.runs.context import RunContext


@dataclass(frozen=True)
class AdaptationPlan(AdaptationSettings):
    """Carries an adaptation out: one unit for each regime and seed."""

    def carry_out(
        self, todo: Sequence[str], context: RunContext
    ) -> Iterator[tuple[str, Mapping[str, Any]]]:
        context.report(0.0, "reading the text and the model")
        task = prepare(self, context)
        parts = self.parts()
        for unit in todo:
            regime, seed = parts[unit]
            yield unit, Adaptation(self, task, find_regime(regime), seed, context).run()
