"""`measure`, `compare`, `similarity`, `languages`: numbers for a terminal, a script, a sheet."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Sequence
from typing import Any

from isogloss import interface
from isogloss.command_line.arguments import (
    add_command,
    add_device,
    add_engine,
    add_option,
    add_studies,
    engine_from,
    settings_of,
)
from isogloss.command_line.output import print_found, print_table, progress_bar
from isogloss.command_line.text_commands import add_text_options, read_named_text
from isogloss.errors import IsoglossError
from isogloss.interface.results import BestLayer, LayerResult, Row, say_ties
from isogloss.measures.similarity.table import SIMILARITY_MEASURES
from isogloss.models.presets import display_name
from isogloss.options import Option, options_of
from isogloss.studies.languages.questions import EveryPair, LanguageTrees
from isogloss.studies.retrieval import SentenceRetrieval
from isogloss.studies.similarity import LayerComparison
from isogloss.studies.study import Study
from isogloss.text.language_names import language_name
from isogloss.text.reading import ParallelText

Measurement = Callable[[Study, Namespace], LayerResult]
MEASUREMENTS: dict[str, Measurement] = {
    "similarity": lambda study, options: interface.similarity(
        study, options.measure, pooling=options.pooling, coordinates=options.coordinates
    ),
    "retrieval": lambda study, options: interface.retrieval(
        study, options.score, pooling=options.pooling, coordinates=options.coordinates
    ),
    "alignment": lambda study, options: interface.alignment(study, coordinates=options.coordinates),
    "rogue": lambda study, options: interface.rogue(study),
    "geometry": lambda study, options: interface.geometry(
        study, pooling=options.pooling, coordinates=options.coordinates
    ),
}
MEASURE = options_of(LayerComparison)["measure"]
ASKED = tuple(options_of(SentenceRetrieval)[name] for name in ("score", "pooling", "coordinates"))
COMPARISON = settings_of(LayerComparison)
"""The settings of the page Similarity, which `similarity` has a flag for each of."""
LANGUAGES = settings_of(EveryPair, LanguageTrees)
"""The same of the page Languages and `languages`."""
COMPARED = ("debiased_cka", "mexa")
"""The similarity measures that models are compared by unless others are named."""


def add_to(commands: Any) -> None:
    add_command(
        commands,
        "measure",
        run_measure,
        add_studies,
        _add_what,
        _add_asked,
        csv=True,
        help="print what the pages show of studies, layer by layer",
        description="Print what the pages show of studies, layer by layer. What was computed "
        "before, here or by the app, is found in the store.",
    )
    add_command(
        commands,
        "compare",
        run_compare,
        lambda parser: parser.add_argument(
            "models", metavar="MODEL", nargs="+", help="as `extract` takes them"
        ),
        add_text_options,
        _add_measures,
        add_device,
        add_engine,
        _add_asked,
        csv=True,
        help="models on one text: the best layer of each by every measure",
        description="Run models over one text, where that was not done before, and print the best "
        "layer of each by every measure, with its interval. Depth favours: the best of many "
        "layers is picked from more; where it is no more than the best of shuffled "
        "pairs, that is said.",
    )
    add_command(
        commands,
        "similarity",
        run_similarity,
        _add_study,
        lambda parser: _add_options(parser, COMPARISON),
        csv=True,
        help="every layer of one reader against every layer of the other",
        description="Print how alike each layer reading one language is to each layer reading the "
        "other, as the page Similarity shows it; with --other, a study of the same text, the "
        "second reader is another model. The table has each layer against itself, --csv and "
        "--json every pair of layers.",
    )
    add_command(
        commands,
        "languages",
        run_languages,
        _add_study,
        lambda parser: _add_options(parser, LANGUAGES),
        csv=True,
        help="of a study in many languages: by meaning or by language, and who is near whom",
        description="Print where translations overtake the own language as nearest neighbours, "
        "with its interval and what random weights do, and how well the tree of languages agrees "
        "with their families; with --csv a row a layer, with --json every pair of languages, too.",
    )


def _add_what(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--what",
        metavar="LIST",
        help=f"any of {','.join(MEASUREMENTS)} (default: all that the text has gold for)",
    )
    add_option(parser, MEASURE)


def _add_measures(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--measures",
        metavar="LIST",
        default=",".join(COMPARED),
        help=f"any of {', '.join(SIMILARITY_MEASURES)} (default: {','.join(COMPARED)})",
    )


def _add_asked(parser: ArgumentParser) -> None:
    _add_options(parser, ASKED)


def _add_options(parser: ArgumentParser, settings: Sequence[Option]) -> None:
    for each in settings:
        add_option(parser, each)


def _add_study(parser: ArgumentParser) -> None:
    parser.add_argument(
        "study", metavar="STUDY", help="a study's key, or its beginning: see `studies ls`"
    )


def run_measure(options: Namespace) -> int:
    studies = [interface.open_study(key) for key in options.studies]
    asked = _chosen(options.what, MEASUREMENTS, "--what") if options.what else None
    found = [(study, _measure(study, options, asked)) for study in studies]

    def say() -> None:
        for study, results in found:
            print(f"{study.title}, {_pairs(study)}, {study.key}")
            print_table(_layers(study, results))
            for said in _caveats(results):
                print(said)

    return print_found(
        options,
        lambda: [_document(study, results) for study, results in found],
        say,
        lambda: [row for study, results in found for row in _long_rows(study, results)],
    )


def _caveats(results: dict[str, LayerResult]) -> list[str]:
    """What the numbers cannot bear, each said once."""
    return list(dict.fromkeys(said for each in results.values() for said in each.caveats()))


def _measure(study: Study, options: Namespace, asked: list[str] | None) -> dict[str, LayerResult]:
    wanted = asked or [name for name in MEASUREMENTS if name != "alignment" or study.bitext.gold]
    return {name: MEASUREMENTS[name](study, options) for name in wanted}


def _chosen(text: str, known: Any, option: str) -> list[str]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if name not in known:
            raise IsoglossError(f"{option} knows no {name!r}; choose among {', '.join(known)}.")
    return names


def _document(study: Study, results: dict[str, LayerResult]) -> Row:
    return {
        "study": study.key,
        "model": study.model,
        "text": study.entry.facts["corpus"],
        "languages": study.languages,
        "pairs": len(study.bitext),
        "caveats": _caveats(results),
        **{
            name: {"options": result.options(), "best": vars(result.best()), "rows": result.rows()}
            for name, result in results.items()
        },
    }


def _pairs(study: Study) -> str:
    """How much text numbers rest on, and in which languages."""
    first, second = map(language_name, study.languages)
    return f"{len(study.bitext):,} pairs {first}–{second}"


def _long_rows(study: Study, results: dict[str, LayerResult]) -> list[Row]:
    text = {
        "text": study.entry.facts["corpus"],
        "languages": "–".join(study.languages),
        "pairs": len(study.bitext),
    }
    return [
        {"study": study.key, "model": study.model, **text, "what": name, **row}
        for name, result in results.items()
        for row in result.rows()
    ]


def _layers(study: Study, results: dict[str, LayerResult]) -> list[Row]:
    """One row a layer, the one number of each measurement that stands for it."""
    return [
        {
            "layer": study.states.name(layer),
            **{
                title: value
                for result in results.values()
                for title, value in result.at(layer).items()
            },
        }
        for layer in range(study.n_states)
    ]


def run_compare(options: Namespace) -> int:
    measures = _chosen(options.measures, SIMILARITY_MEASURES, "--measures")
    parallel = read_named_text(options).text
    documents = [_compare(model, parallel, options, measures) for model in options.models]
    languages = "–".join(parallel.languages[:2])
    text = {"text": parallel.name, "languages": languages, "pairs": len(parallel)}

    def rows() -> list[Row]:
        return [
            {"model": found["model"], "study": found["study"], **text, "score": name, **best}
            for found in documents
            for name, best in found["scores"].items()
        ]

    def say() -> None:
        first, second = map(language_name, parallel.languages)
        print(f"{parallel.name}: {len(parallel):,} pairs {first}–{second}")
        print_table([_compared(document) for document in documents])
        for said in dict.fromkeys(said for found in documents for said in found["caveats"]):
            print(said)

    return print_found(options, {**text, "models": documents}, say, rows)


def _compare(model: str, text: ParallelText, options: Namespace, measures: list[str]) -> Row:
    if sys.stderr.isatty():
        print(f"{model} on {text.name}", file=sys.stderr)
    study = interface.extract(
        model,
        text,
        device=options.device,
        on_progress=progress_bar(),
        engine=engine_from(options),
    )
    results = _results(study, options, measures)
    best = {name: result.best() for name, result in results.items()}
    return {
        "model": model,
        "study": study.key,
        "layers": study.n_layers,
        "caveats": _named_caveats(model, results),
        "scores": {
            name: {**vars(found), "state": study.states.name(found.layer)}
            for name, found in best.items()
        },
    }


def _named_caveats(model: str, results: dict[str, LayerResult]) -> list[str]:
    """The same of one model among others: what holds of the text alone names no model."""
    few = {said for said in _caveats(results) if "pairs are few" in said}
    return [said if said in few else f"{display_name(model)}: {said}" for said in _caveats(results)]


def _results(study: Study, options: Namespace, measures: list[str]) -> dict[str, LayerResult]:
    def similarity(measure: str) -> LayerResult:
        return MEASUREMENTS["similarity"](study, Namespace(**{**vars(options), "measure": measure}))

    found = {measure: similarity(measure) for measure in measures}
    found["retrieval"] = MEASUREMENTS["retrieval"](study, options)
    if study.bitext.gold:
        found["alignment"] = MEASUREMENTS["alignment"](study, options)
    return found


def _compared(document: Row) -> Row:
    cells = {name: _at_best(found) for name, found in document["scores"].items()}
    return {"model": display_name(document["model"]), "layers": document["layers"], **cells}


def _at_best(found: Row) -> str:
    best = BestLayer(**{name: value for name, value in found.items() if name != "state"})
    ends = "no interval" if best.low is None else f"{best.low:.3f}–{best.high:.3f}"
    chance = ", within chance" if best.within_chance else ""
    return f"{best.value:.3f} ({ends}) at {found['state']}{say_ties(best)}{chance}"


def run_similarity(options: Namespace) -> int:
    study = interface.open_study(options.study)
    asked = {each.name: getattr(options, each.name) for each in COMPARISON}
    found = interface.similarity(study, **asked | {"other": options.other or None})

    def document() -> Row:
        best = vars(found.best())
        return {
            "said": found.describe(),
            "caveats": found.caveats(),
            "options": found.options(),
            "best": best,
            "rows": found.rows(),
        }

    def say() -> None:
        layers = range(min(found.values.shape))
        print(found.describe())
        print_table([{"layer": study.states.name(each)} | found.at(each) for each in layers])
        for said in found.caveats():
            print(said)

    return print_found(options, document, say, found.rows)


def run_languages(options: Namespace) -> int:
    asked = {each.name: getattr(options, each.name) for each in LANGUAGES}
    found = interface.languages(options.study, **asked)
    said = found.describe()
    document = {"said": said, "layers": found.rows(), "pairs": found.pairs()}
    return print_found(options, document, said, found.rows)
