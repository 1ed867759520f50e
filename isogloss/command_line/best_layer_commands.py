"""`best-layer`: at which layer each study is best, and which layers cannot be told from it."""

from __future__ import annotations

from argparse import SUPPRESS, ArgumentParser, Namespace
from collections.abc import Callable
from typing import Any

import numpy as np

from isogloss import interface
from isogloss.command_line.arguments import (
    add_command,
    add_option,
    add_studies,
    settings_of,
)
from isogloss.command_line.output import print_found, print_table
from isogloss.interface.best_layers import BestLayers
from isogloss.interface.results import LayerResult
from isogloss.studies.best_layer.scores import LayerScores
from isogloss.studies.best_layer.wording import SCORES, Score, list_layers, within_chance
from isogloss.studies.mapping import LEVELS, MappedRetrieval
from isogloss.studies.retrieval import SentenceRetrieval
from isogloss.studies.study import Study
from isogloss.studies.word_alignment import AlignmentQuality

OPTIONS = settings_of(
    SentenceRetrieval, MappedRetrieval, AlignmentQuality, onto="onto", aligner="aligner"
)
"""The settings of the page, which this command has a flag for each of."""


def add_to(commands: Any) -> None:
    add_command(
        commands,
        "best-layer",
        run_best_layer,
        add_studies,
        _add_settings,
        csv=True,
        help="the layer where two languages align best, and which are as good",
        description="Print at which layer a study is best by words, sentences, similarity and "
        "alignment error, what that layer is better than, and which layers cannot be told from "
        "it; of several studies as a table. Intervals hold for all pairs of layers together. What "
        "the page unfolds is printed below where its settings are given: how sentences search "
        "(--score, --pooling), what a mapping adds (--mapping, --onto), and the error of words "
        "aligned against those aligned by hand (--aligner).",
    )


def _add_settings(parser: ArgumentParser) -> None:
    for each in OPTIONS:
        apart = each.name != "coordinates"
        add_option(parser, each.but(suited=each.default or "the same study") if apart else each)
    parser.add_argument(
        "--mapping",
        default=SUPPRESS,
        choices=tuple(LEVELS),
        help="learn a rotation per layer from one half of these and test it on the other",
    )


def run_best_layer(options: Namespace) -> int:
    found = interface.best_layer(options.studies, coordinates=options.coordinates)
    details = {
        name: [each(study, options) for study in found.studies]
        for name, (settings, each) in DETAILS.items()
        if any(hasattr(options, setting) for setting in settings)
    }
    document = {"best": found.rows(), "layers": found.layers()} | {
        name: [
            {"options": each.options(), "best": vars(each.best()), "rows": each.rows()}
            for each in results
        ]
        for name, results in details.items()
    }

    def say() -> None:
        if len(found.studies) == 1:
            print(found.describe())
        else:
            _print_table(found)
        for each in (each for results in details.values() for each in results):
            print(f"\n{each.describe()}")
            states = each.study.states
            rows = range(each.study.n_states)
            print_table([{"layer": states.name(layer)} | each.at(layer) for layer in rows])

    return print_found(options, document, say, found.rows)


def _asked(options: Namespace, *names: str) -> dict[str, Any]:
    """Those of some settings that were given."""
    return {name: getattr(options, name) for name in names if hasattr(options, name)}


def _retrieval(study: Study, options: Namespace) -> LayerResult:
    return interface.retrieval(study, **_asked(options, "score", "pooling", "coordinates"))


def _mapping(study: Study, options: Namespace) -> LayerResult:
    asked = _asked(options, "score", "pooling", "coordinates", "onto")
    return interface.mapping(study, getattr(options, "mapping", "sentence"), **asked)


def _alignment(study: Study, options: Namespace) -> LayerResult:
    return interface.alignment(study, options.aligner, coordinates=options.coordinates)


DETAILS: dict[str, tuple[tuple[str, ...], Callable[[Study, Namespace], LayerResult]]] = {
    "retrieval": (("score", "pooling"), _retrieval),
    "mapping": (("mapping", "onto"), _mapping),
    "alignment": (("aligner",), _alignment),
}
"""What is printed below, where one of its settings is given."""


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
