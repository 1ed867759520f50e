"""What the pages show, for scripts and notebooks: `import isogloss as ig`.

Everything here asks the same stored results as the pages, in the same store, so that what one
computed the other finds.

>>> import isogloss as ig
>>> study = ig.extract("mini-en-zh", [("Good morning!", "早上好！"), ("I like tea.", "我喜欢茶。"),
...     ("Where is he?", "他在哪里？"), ("It rains.", "下雨了。")], languages=("en", "zh"))
>>> study.n_layers
6
>>> found = ig.similarity(study)
>>> found.values.shape
(7, 7)
>>> list(found.frame().columns)[:5]
['layer', 'other_layer', 'state', 'other_state', 'value']
"""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from isogloss.errors import IsoglossError
from isogloss.interface.best_layers import BestLayers
from isogloss.interface.inner_language import lens, steer, swap
from isogloss.interface.languages_result import LanguagesResult
from isogloss.interface.layer_results import (
    AlignmentResult,
    GeometryResult,
    MappingResult,
    RetrievalResult,
    RogueResult,
    SimilarityResult,
)
from isogloss.interface.map_result import MapResult
from isogloss.interface.methods import Methods, write_methods
from isogloss.interface.results import Drawable, LayerResult
from isogloss.interface.studies import (
    extract,
    import_vectors,
    list_studies,
    open_study,
    read_text,
)
from isogloss.links.aligners import DEFAULT_ALIGNER
from isogloss.map.maps import MapOptions, make_map
from isogloss.measures.coordinates import DEFAULT_COORDINATES, Coordinates
from isogloss.measures.nearest_neighbours import DEFAULT_SCORE
from isogloss.measures.projection.layout import ProjectionOptions
from isogloss.measures.similarity.table import DEFAULT_MEASURE
from isogloss.store import Store
from isogloss.studies.best_layer.question import BestLayer
from isogloss.studies.best_layer.scores import LayerScores
from isogloss.studies.best_layer.wording import SCORES, ScoreName
from isogloss.studies.coordinates import RogueReport
from isogloss.studies.languages.listing import languages_studies
from isogloss.studies.languages.questions import (
    Distance,
    EveryPair,
    LanguageTrees,
    SentenceCompany,
)
from isogloss.studies.layer_geometry import LayerGeometry
from isogloss.studies.links.points import LinkOptions
from isogloss.studies.mapping import MappedRetrieval, MappingLevel
from isogloss.studies.paired_rows import Unit
from isogloss.studies.pooling import Points, Pooling
from isogloss.studies.retrieval import SentenceRetrieval
from isogloss.studies.similarity import LayerComparison, random_twin
from isogloss.studies.study import Study
from isogloss.studies.word_alignment import AlignmentQuality
from isogloss.text.parts import TextPart, Way

if TYPE_CHECKING:
    from isogloss.figures.template import Figure

__all__ = [
    "alignment",
    "best_layer",
    "extract",
    "geometry",
    "import_vectors",
    "languages",
    "lens",
    "list_studies",
    "mapping",
    "methods",
    "open_study",
    "read_text",
    "retrieval",
    "rogue",
    "save_figure",
    "similarity",
    "steer",
    "swap",
    "token_map",
]


def similarity(
    study: Study | str,
    measure: str = DEFAULT_MEASURE,
    *,
    other: Study | str | None = None,
    side: int = 0,
    other_side: int = 1,
    unit: Unit = "sentence",
    pooling: Pooling = "mean",
    coordinates: Coordinates = DEFAULT_COORDINATES,
) -> SimilarityResult:
    """Compare every layer reading one language with every layer reading the other.

    With `other`, a study of the same text, the second reader is another model. The measures are in
    docs/measures.md.

    >>> found = similarity(list_studies()[0], "mexa")
    >>> best = found.best()
    >>> best.low <= best.value <= best.high
    True
    >>> bool((found.calibrated <= 1).all())
    True
    """
    first = _study(study)
    second = _study(other).key if other is not None else ""
    question = LayerComparison(
        first.key, side, second, other_side, measure, unit, pooling, coordinates
    )
    return SimilarityResult(first, question, question.answer(first.entry.store))


def retrieval(
    study: Study | str,
    score: str = DEFAULT_SCORE,
    *,
    pooling: Pooling = "mean",
    coordinates: Coordinates = DEFAULT_COORDINATES,
) -> RetrievalResult:
    """Return how many sentences find their translation at every layer, in both directions.

    >>> found = retrieval(list_studies()[0], score="csls", pooling="mean")
    >>> found.curve("precision@1").max() == found.best().value
    np.True_
    """
    found = _study(study)
    question = SentenceRetrieval(found.key, score, pooling, coordinates)
    return RetrievalResult(found, question, question.answer(found.entry.store))


def languages(
    study: Study | str,
    *,
    measure: str = EveryPair.measure,
    score: str = EveryPair.score,
    distance: Distance = LanguageTrees.distance,
    coordinates: Coordinates = DEFAULT_COORDINATES,
) -> LanguagesResult:
    """Return whether sentences lie by meaning or by language, of a study in many languages.

    With every pair of them by `measure` (and `score`, where sentences look for translations), a
    tree of `distance` at each layer, and the same of random weights where there is such a study of
    the text. In coordinates about one mean; a pair's are its own.

    >>> everyday = next(each for each in languages_studies(Store()) if each.entry.demo)
    >>> print(languages(everyday).describe().splitlines()[1])  # doctest: +ELLIPSIS
    They cross at 4.5 (95 % interval over 40 sentences resampled: ...
    """
    found = _study_in_many_languages(study)
    key, store = found.entry.key, Store()
    twin = random_twin(found, languages_studies(store))
    random = SentenceCompany(twin.entry.key, coordinates).answer(store) if twin else None
    return LanguagesResult(
        found,
        SentenceCompany(key, coordinates).answer(store),
        EveryPair(key, measure, score, coordinates).answer(store),
        LanguageTrees(key, distance, coordinates).answer(store),
        random,
        LanguageTrees(twin.entry.key, distance, coordinates).answer(store) if twin else None,
        measure,
        distance,
    )


def mapping(
    study: Study | str,
    level: MappingLevel = "sentence",
    *,
    onto: Study | str | None = None,
    score: str = DEFAULT_SCORE,
    pooling: Pooling = "mean",
    coordinates: Coordinates = DEFAULT_COORDINATES,
) -> MappingResult:
    """Return how many find their translation after a rotation learned on half of the pairs.

    Of sentences, of words in their sentences ("word") or of word types ("type"), at every layer,
    tested on the other half. The target is read by the model of `onto`, another study of the text.

    >>> with_enough = next(study for study in list_studies() if len(study.text) > 20)
    >>> found = mapping(with_enough)
    >>> found.scores.learned_from + found.scores.tested_on == len(with_enough.text)
    True
    """
    first = _study(study)
    other = _study(onto).key if onto is not None else ""
    question = MappedRetrieval(first.key, other, level, score, pooling, coordinates)
    scores = question.answer(first.entry.store)
    return MappingResult(first, question, scores.after, scores)


def _study_in_many_languages(study: Study | str) -> Study:
    """A study by itself, its key or the key's beginning, those of means alone among them."""
    if isinstance(study, Study):
        return study
    known = languages_studies(Store())
    found = [each for each in known if each.entry.key.startswith(study)]
    return found[0] if len(found) == 1 else _study(study)


def best_layer(
    study: Study | str | Sequence[Study | str],
    *,
    coordinates: Coordinates = DEFAULT_COORDINATES,
) -> BestLayers:
    """Return at which layer a study, or each of several, is best by four scores.

    With what the best is better than, by how much, and the layers that cannot be told from it: the
    intervals of all pairs of layers hold together.

    >>> found = best_layer(list_studies()[0])
    >>> [row["score"] for row in found.rows()]
    ['words', 'sentences', 'similarity', 'alignment']
    >>> found.rows()[1]["verdict"].startswith("Best: ")
    True
    """
    asked = [study] if isinstance(study, str | Study) else study
    found = tuple(map(_study, asked))
    if not found:
        raise IsoglossError("There is no study to find the best layer of; give one or more.")
    twins = [random_twin(each, list_studies()) for each in found]
    return BestLayers(
        found,
        tuple(_best_layers(each, coordinates) for each in found),
        tuple(_best_layers(twin, coordinates) if twin else None for twin in twins),
        coordinates,
    )


def _best_layers(study: Study, coordinates: Coordinates) -> dict[ScoreName, LayerScores]:
    return {
        name: BestLayer(study.key, name, coordinates).answer(study.entry.store) for name in SCORES
    }


def methods(study: Study | str, *results: LayerResult | BestLayers | MapResult) -> Methods:
    """Return what a paper says of a study and of what was computed, with BibTeX.

    Without results it speaks of the best layers and of the default similarity.

    >>> print(methods(list_studies()[0]).text[:11])
    We read the
    """
    found = _study(study)
    return write_methods(found, results or (best_layer(found), similarity(found)))


def save_figure(
    answer: Drawable | Figure, path: str | PathLike[str], columns: int = 1, **shown: Any
) -> Path:
    """Write the figure of an answer for a paper, PDF, SVG or PNG by the name's ending.

    One column is 84 mm wide, two are 175 mm; on white, fonts embedded. `shown` goes to the answer's
    `figure`, such as `layer=7`; a Plotly figure of our own is taken as it is. Returns the path.

    >>> from tempfile import mkdtemp
    >>> save_figure(rogue(list_studies()[0]), mkdtemp() + "/rogue.svg", columns=2).suffix
    '.svg'
    """
    from isogloss.figures.paper import save_figure as save

    figure = answer.figure(**shown) if isinstance(answer, Drawable) else answer
    title = answer.describe() if hasattr(answer, "describe") else ""
    return save(figure, path, columns, title)


def alignment(
    study: Study | str,
    method: str = DEFAULT_ALIGNER,
    *,
    coordinates: Coordinates = DEFAULT_COORDINATES,
) -> AlignmentResult:
    """Return the error of each layer's word alignments against those made by hand.

    >>> with_gold = next(study for study in list_studies() if study.text.gold)
    >>> list(alignment(with_gold).frame())
    ['layer', 'state', 'error_rate', 'low', 'high', 'precision', 'recall']
    """
    found = _study(study)
    question = AlignmentQuality(found.key, method, coordinates)
    return AlignmentResult(found, question, question.answer(found.entry.store))


def rogue(study: Study | str) -> RogueResult:
    """Return how much of each layer's variance lies in a few dimensions.

    >>> [row["layer"] for row in rogue(list_studies()[0]).rows()][:3]
    [0, 1, 2]
    """
    found = _study(study)
    question = RogueReport(found.key)
    return RogueResult(found, question, question.answer(found.entry.store))


def geometry(
    study: Study | str,
    *,
    pooling: Pooling = "mean",
    coordinates: Coordinates = DEFAULT_COORDINATES,
) -> GeometryResult:
    """Return how evenly each layer uses its directions, and how evenly sentences are found.

    >>> list(geometry(list_studies()[0]).frame())
    ['layer', 'state', 'language', 'iso_score', 'hubness']
    """
    found = _study(study)
    question = LayerGeometry(found.key, pooling, coordinates)
    return GeometryResult(found, question, question.answer(found.entry.store))


def token_map(
    study: Study | str,
    method: str = ProjectionOptions.method,
    *,
    perplexity: int = ProjectionOptions.perplexity,
    neighbours: int = ProjectionOptions.neighbours,
    points: Points = "word",
    pairs: int = TextPart.pairs,
    coordinates: Coordinates = DEFAULT_COORDINATES,
    seed: int = 0,
    part: Way = "spread",
    part_seed: int = 0,
    topic: str = "",
    search: str = "",
    links: str = LinkOptions.method,
    linklayer: int = LinkOptions.layer,
) -> MapResult:
    """Lay the words of some sentence pairs out at every layer, as the first page does.

    `part` says which pairs: "spread" over the text, the "first", "random" ones by `part_seed`,
    those of a "topic", or those that "search" finds. `links` may be an aligner's, read off this
    model at `linklayer`: they are drawn and never scored. `seed` is the projection's.

    >>> found = token_map(list_studies()[0])
    >>> list(found.frame())[:4]
    ['layer', 'state', 'point', 'text']
    >>> found.html().startswith("<!doctype html>")
    True
    """
    found = _study(study)
    if links != LinkOptions.method and linklayer >= found.n_states:
        raise IsoglossError(
            f"There is no layer {linklayer} to read links off: the last of this study is "
            f"{found.states.last}."
        )
    options = MapOptions(
        points=points,
        part=TextPart(pairs, part, part_seed, topic, search),
        coordinates=coordinates,
        projection=ProjectionOptions(method, perplexity, neighbours, seed),
        links=LinkOptions(links, linklayer),
    )
    return MapResult(found, make_map(found, found.entry.store, options))


def _study(study: Study | str) -> Study:
    return open_study(study) if isinstance(study, str) else study
