"""The words of a run as the scrubber takes them: one layer, its stops the steps of training."""

from __future__ import annotations

import numpy as np

from components.layer_scrubber import Language, Score, ScrubberData, kept_neighbours
from isogloss import __version__
from isogloss.lab.adaptation.regimes import Regime
from isogloss.lab.adaptation.training_map import TrainingMap
from isogloss.lab.runs.run import Run
from isogloss.measures.projection.layout import ProjectionOptions
from isogloss.text.language_names import language_name


def scrubber_data(words: TrainingMap, layer: int, run: Run, regime: Regime) -> ScrubberData:
    """The map of one layer along the steps; ranks are not kept with a run, so there are none."""
    positions = np.ascontiguousarray(words.positions[:, layer])
    first, second = (Language(code, language_name(code)) for code in words.languages)
    return ScrubberData(
        positions=positions,
        ranks=np.zeros(positions.shape[:2], np.uint16),
        texts=words.texts,
        sides=words.sides,
        sentence_of=words.sentence_of,
        links=words.links,
        lines=f"translations, {words.badge}".removesuffix(", "),
        sentences=words.sentences,
        languages=(first, second),
        stops=[f"{step:,}" for step in words.steps],
        names=[step_name(step) for step in words.steps],
        title="Step",
        scores=[
            *_nearest(words, layer),
            kept_neighbours(words.preservation[:, layer].tolist(), len(words.texts)),
        ],
        caption=f"{layer_name(layer)} while it is trained: {regime.title.lower()}",
        provenance={
            "run": f"{run.id}, {run.plan.title}",
            "regime": f"{regime.title}, the first seed",
            "layer": layer_name(layer),
            "steps": ", ".join(f"{step:,}" for step in words.steps),
            "points": f"{len(words.texts)} words of {len(words.sentences)} sentence pairs",
            "projection": f"{ProjectionOptions().method}, one layout for all steps",
            "made with": f"Isogloss {__version__}",
        },
    )


def _nearest(words: TrainingMap, layer: int) -> list[Score]:
    """The score of words where links allow one."""
    if not words.scored:
        return []
    shares = words.nearest_share[:, layer].tolist()
    return [Score("words whose translation is nearest", shares, badge=words.badge)]


def step_name(step: int) -> str:
    """A moment of training as the slider calls it."""
    return f"Step {step:,}" if step else "Before training"


def layer_name(layer: int) -> str:
    """A layer as the page calls it."""
    return f"Layer {layer}" if layer else "Embeddings"
