"""The words of a training from nothing as the scrubber takes them: along its looks, or layers."""

from __future__ import annotations

from typing import Any

import numpy as np

from components.emergence.controls import SCORES, Walk
from components.emergence.live import Shown
from components.layer_scrubber import Language, Score, ScrubberData, kept_neighbours
from isogloss import __version__
from isogloss.lab.emergence.conditions import condition_title
from isogloss.lab.emergence.pictures import WordMap
from isogloss.lab.emergence.results import Fit, What
from isogloss.lab.emergence.text import COPY
from isogloss.lab.emergence.watching import plan_of
from isogloss.lab.runs.run import Run
from isogloss.text.language_names import language_name


def scrubber_data(
    run: Run, shown: Shown, words: WordMap, walk: Walk, layer: int, look: int, what: What
) -> ScrubberData:
    """The map along training at `layer`, or along the layers at a look; no ranks are kept.

    Maps of one training are one series: what is on show stays when a look is added.
    """
    line = (slice(None), layer) if walk == "training" else (look, slice(None))
    positions = np.ascontiguousarray(words.positions[line])
    copied = bool(words.words.links)
    return ScrubberData(
        positions=positions,
        ranks=np.zeros(positions.shape[:2], np.uint16),
        texts=words.words.texts,
        sides=words.words.sides,
        sentence_of=words.words.sentence_of,
        links=np.array(words.words.links, int).reshape(-1, 2),
        lines="counterparts" if copied else "none are known",
        sentences=words.words.sentences,
        languages=_languages(run),
        scores=[
            *_scores(shown.fit, line, what),
            kept_neighbours(words.preservation[line].tolist(), len(words.words.texts)),
        ],
        provenance=_provenance(run, shown, words),
        series=f"{run.id} {shown.condition} {walk} {layer if walk == 'training' else look}",
        **_axis(words, shown.condition, walk, layer, look),
    )


def step_name(step: int) -> str:
    """A moment of training by its updates."""
    return f"step {step:,}" if step else "before training"


def _languages(run: Run) -> tuple[Language, Language]:
    plan = plan_of(run)
    first = Language(plan.language, language_name(plan.language))
    if plan.second == COPY:
        return first, Language("", f"{first.name} in other words")
    return first, Language(plan.second, language_name(plan.second))


def _scores(fit: Fit, line: tuple[Any, ...], what: What) -> list[Score]:
    """Both scores, the chosen one first, as an area."""
    return [
        Score(
            f"{name.lower()} whose counterpart is nearest",
            fit.scores(each)[line].tolist(),
            chance=fit.chance[each],
            drawn=each == what,
        )
        for each, name in sorted(SCORES.items(), key=lambda item: item[0] != what)
        if fit.has(each)
    ]


def _axis(words: WordMap, condition: str, walk: Walk, layer: int, look: int) -> dict[str, Any]:
    title = condition_title(condition)
    if walk == "layers":
        moment = step_name(words.steps[look])
        return {
            "stops": [str(i) for i in range(words.positions.shape[1])],
            "caption": f"{title}: the layers, {moment}",
        }
    names = [step_name(step) for step in words.steps]
    return {
        "title": "Step",
        "stops": [f"{step:,}" for step in words.steps],
        "names": [name[0].upper() + name[1:] for name in names],
        "caption": f"{title}: layer {layer} while it is trained",
    }


def _provenance(run: Run, shown: Shown, words: WordMap) -> dict[str, str]:
    how = (
        "t-SNE, each layer in one layout for all looks"
        if words.whole
        else "a plane for each look, turned onto the one before"
    )
    return {
        "run": f"{run.id}, {run.plan.title}",
        "condition": f"{condition_title(shown.condition)}, the first seed",
        "points": f"{len(words.words.texts)} words of {len(words.words.sentences)} sentences",
        "projection": how,
        "made with": f"Isogloss {__version__}",
    }
