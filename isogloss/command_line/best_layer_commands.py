"""`best-layer`: at which layer each study is best, and which layers cannot be told from it."""

from __future__ import annotations

from argparse import Namespace
from functools import partial
from typing import Any

import numpy as np

from isogloss import interface
from isogloss.command_line.arguments import add_command, add_coordinates, add_studies
from isogloss.command_line.output import print_found, print_table
from isogloss.interface.best_layers import BestLayers
from isogloss.studies.best_layer.scores import LayerScores
from isogloss.studies.best_layer.wording import SCORES, Score, list_layers, within_chance
from isogloss.studies.study import Study


def add_to(commands: Any) -> None:
    add_command(
        commands,
        "best-layer",
        run_best_layer,
        add_studies,
        add_coordinates,
        csv=True,
        help="the layer where two languages align best, and which are as good",
        description="Print at which layer a study is best by words, sentences, similarity and "
        "alignment error, what that layer is better than, and which layers cannot be told from "
        "it; of several studies as a table. Intervals hold for all pairs of layers together.",
    )


def run_best_layer(options: Namespace) -> int:
    found = interface.best_layer(options.studies, coordinates=options.coordinates)
    document = {"best": found.rows(), "layers": found.layers()}
    said = found.describe() if len(found.studies) == 1 else partial(_print_table, found)
    return print_found(options, document, said, found.rows)


def _print_table(found: BestLayers) -> None:
    """One row a study: the best layer by each score, its value, and those as good in brackets."""
    print_table(
        [
            {
                "model and text": study.title,
                "pairs": len(study.bitext),
                **{
                    SCORES[name].title.lower(): _cell(study, SCORES[name], scores)
                    for name, scores in answers.items()
                },
            }
            for study, answers in zip(found.studies, found.answers, strict=True)
        ],
        empty="",
    )
    print("In brackets: layers that cannot be told from the best, all pairs of layers allowed for.")


def _cell(study: Study, score: Score, scores: LayerScores) -> str:
    if not scores.is_there:
        return "not scored"
    best = scores.differences.best
    found = f"{study.states.name(best)}: {score.say(scores.values[best])}"
    found += _as_good(study, scores)
    found += ", within chance" if within_chance(scores, score) else ""
    return f"{found}, {scores.badge}" if scores.badge else found


def _as_good(study: Study, scores: LayerScores) -> str:
    """In brackets the layers that cannot be told from the best; nothing where there are none."""
    apart = scores.differences
    if not apart.told_apart:
        return " (too few pairs to tell)"
    as_good = np.flatnonzero(apart.tied & (np.arange(len(scores.values)) != apart.best))
    if not len(as_good):
        return ""
    return f" ({list_layers(as_good, study.states) if apart.worse.any() else 'all'})"
