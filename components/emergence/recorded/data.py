"""The bundled model's training as the scrubber takes it: one line through layers and moments."""

from __future__ import annotations

from typing import Any

import numpy as np

from components.layer_scrubber import Language, Score, ScrubberData, kept_neighbours
from isogloss import __version__
from isogloss.bundled import BUNDLED_MODEL
from isogloss.figures.training_surface import Walk
from isogloss.formatting import human_count
from isogloss.links.sources import LINK_SOURCES
from isogloss.measures.projection.layout import ProjectionOptions
from isogloss.studies.training_surface import SURFACE_SCORES, Trajectory, training_surface

LANGUAGES = (Language("en", "English"), Language("zh", "Chinese"))


def scrubber_data(
    trajectory: Trajectory, walk: Walk, layer: int, moment: int, measure: str
) -> ScrubberData:
    """The words' map along training at `layer`, or along the layers at `moment`.

    The score of `measure` comes first. The trajectory keeps where words lie and not the rank of
    their partners, so there are no ranks.
    """
    line = (slice(None), layer) if walk == "training" else (moment, slice(None))
    positions = trajectory.positions[line].astype(np.float32)
    return ScrubberData(
        positions=positions,
        ranks=np.zeros(positions.shape[:2], np.uint16),
        texts=trajectory.texts,
        sides=trajectory.sides,
        sentence_of=trajectory.sentence_of,
        links=trajectory.links,
        lines=f"translations, {LINK_SOURCES['gold'].badge}",
        sentences=trajectory.sentences,
        languages=LANGUAGES,
        scores=[
            *(
                Score(
                    SURFACE_SCORES[name].title.lower(),
                    training_surface(trajectory, name).values[line].tolist(),
                    drawn=name == measure,
                    badge=LINK_SOURCES["gold"].badge if name == "words" else "",
                )
                for name in sorted(SURFACE_SCORES, key=lambda name: name != measure)
            ),
            kept_neighbours(trajectory.preservation[line].tolist(), len(trajectory.texts)),
        ],
        provenance=_provenance(trajectory),
        **_axis(trajectory, walk, layer, moment),
    )


def moment_name(tokens: int) -> str:
    """A moment of training by what was read until then."""
    return f"{human_count(tokens)} tokens seen" if tokens else "before training"


def _axis(trajectory: Trajectory, walk: Walk, layer: int, moment: int) -> dict[str, Any]:
    """What the slider's stops are called, and what stays as it is while it moves."""
    model = BUNDLED_MODEL.name
    if walk == "layers":
        return {
            "stops": [str(i) for i in range(trajectory.retrieval.shape[1])],
            "caption": f"The layers of {model}, {moment_name(trajectory.tokens[moment])}",
        }
    return {
        "title": "Tokens seen",
        "stops": [human_count(tokens) for tokens in trajectory.tokens],
        "names": [_capitalised(moment_name(tokens)) for tokens in trajectory.tokens],
        "caption": f"Layer {layer} of {model} while it was trained",
    }


def _capitalised(name: str) -> str:
    return name[0].upper() + name[1:]


def _provenance(trajectory: Trajectory) -> dict[str, str]:
    moments, layers = trajectory.retrieval.shape
    projection = ProjectionOptions()
    return {
        "model": BUNDLED_MODEL.name,
        "moments": ", ".join(f"{tokens:,}" for tokens in trajectory.tokens) + " tokens seen",
        "points": f"{len(trajectory.texts)} words of {len(trajectory.sentences)} sentence pairs",
        "projection": f"{projection.method}, perplexity {projection.perplexity}, seed "
        f"{projection.seed}, one layout for all {moments * layers} layers and moments",
        "links": "made by hand",
        "made with": f"Isogloss {__version__}",
    }
