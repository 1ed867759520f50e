"""A token map as the scrubber takes it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from isogloss.formatting import percent
from isogloss.links.sources import LINK_SOURCES, MUTUAL
from isogloss.map.headline import headline
from isogloss.map.maps import LinksAndScores, MapSoFar, TokenMap
from isogloss.map.payload import Language, Score, ScrubberData, kept_neighbours
from isogloss.measures.linked_points import chance_nearest
from isogloss.measures.projection.layout import LayerLayout
from isogloss.measures.projection.methods import PROJECTIONS
from isogloss.measures.stacks import Array
from isogloss.models.presets import display_name
from isogloss.studies.coordinates import describe_coordinates
from isogloss.studies.links.points import LinkScores
from isogloss.studies.study import Study
from isogloss.text.language_names import language_name

HIGHEST_RANK = 2**16 - 1
LOW_TRUST = 0.2
"""Page and picture warn of one that keeps a smaller share of the neighbourhoods than this."""


def scrubber_data(
    study: Study, token_map: TokenMap, random: LinksAndScores | None = None
) -> ScrubberData:
    """The points, links and scores of `token_map`, with only the sentences that occur in it.

    `random` is what the same map of a model with random weights rests on.
    """
    table, scores = token_map.table, token_map.scores
    strips = [*_headline(token_map, random), *_seen(token_map)]
    strips.append(kept_neighbours(token_map.layout.preservation.tolist(), len(table)))
    if scores is not None and scores.error_rate is not None:
        error = Score("1 − alignment error", (1 - scores.error_rate).tolist(), drawn=False)
        strips.append(replace(error, badge=LINK_SOURCES["gold"].badge))
    ranks = np.zeros((study.n_states, len(table))) if scores is None else _ranks(token_map, scores)
    return replace(
        _points_and_links(study, token_map, token_map.layout.positions, range(study.n_states)),
        ranks=np.minimum(np.ceil(ranks), HIGHEST_RANK).astype(np.uint16),
        scores=strips,
        links_at=token_map.lines,
        lines=_lines(token_map),
        ranks_rest_on="" if scores is None else token_map.scored.badge,
        notes=notes_on(token_map.layout),
        provenance=provenance(study, token_map) | _caveats(token_map),
    )


def provenance(study: Study, token_map: TokenMap) -> dict[str, str]:
    """How a map was made, for every file that leaves the app."""
    options, facts = token_map.options, study.entry.facts
    projection = token_map.layout.options
    details = {
        "pca": "",
        "tsne": f", perplexity {projection.perplexity}",
        "umap": f", {projection.neighbours} neighbours",
    }[projection.method]
    part = options.part.describe(study.bitext)
    return {
        "model": str(facts["model"]),
        "model fingerprint": str(study.entry.record["model"])[:40],
        **({"its makers pool sentences by": pools} if (pools := facts.get("pools")) else {}),
        "text": f"{facts['corpus']} ({facts['pairs']} pairs)",
        "text hash": str(study.entry.record["corpus"])[:16],
        **({"text from": study.origin.describe()} if study.origin else {}),
        **({"sentences cut": study.says_cut} if study.says_cut else {}),
        "points": f"{len(token_map.table)} {options.points}s of {part}",
        "coordinates": describe_coordinates(options.coordinates),
        "projection": f"{projection.method}{details}, seed {projection.seed}",
        "links scored": token_map.scored.describe(),
        "links drawn": token_map.says_drawn,
        "states": f"{study.entry.record['precision']}, stored as {study.entry.record['stored_as']}",
        **({"top layer": top} if (top := study.states.describe()) else {}),
        "made with": f"Isogloss {facts['versions']['isogloss']}",
        "study": study.key,
    }


def _caveats(token_map: TokenMap) -> dict[str, str]:
    """What the score cannot bear, for every file that leaves the app."""
    found = headline(token_map)
    return {"mind": " ".join(found.caveats)} if found is not None and found.caveats else {}


def _ranks(token_map: TokenMap, scores: LinkScores) -> Array:
    """The ranks of partners, none for a point with a line to a word that is no scored partner.

    Lines that the model on show made may lead there, and the rank of one word is not shown beside
    another.
    """
    scored = set(map(tuple, token_map.scored.pairs.tolist()))
    others = [pair for pair in token_map.drawn.pairs.tolist() if tuple(pair) not in scored]
    ranks = scores.ranks.copy()
    ranks[:, np.unique(np.array(others, int))] = 0
    return ranks


def _headline(token_map: TokenMap, random: LinksAndScores | None) -> list[Score]:
    found = headline(token_map, random)
    if found is None:
        return []
    band = found.values.tolist(), found.low.tolist(), found.high.tolist()
    random_curve = None if found.random is None else found.random.tolist()
    score = Score(found.name, *band, chance=found.chance, random=random_curve)
    return [replace(score, about=found.about, badge=found.badge)]


def _seen(token_map: TokenMap) -> list[Score]:
    """What the eye can see of scored words."""
    if token_map.scores is None:
        return []
    return [
        Score(
            "seen in the picture",
            token_map.seen.tolist(),
            chance=chance_nearest(token_map.table.side, token_map.scored.pairs),
            about="The same share in the picture itself: what the eye may believe",
            badge=token_map.scored.badge,
        )
    ]


def _lines(token_map: TokenMap) -> str:
    """What lines join, and whose opinion that is; what this model links may be no translation."""
    if token_map.lines is not None:
        return f"{MUTUAL}; {LINK_SOURCES['own'].badge}"
    if not token_map.drawn.evidence:
        return token_map.drawn.badge or "translations"
    return f"translations, {token_map.drawn.badge}"


def data_so_far(study: Study, so_far: MapSoFar) -> ScrubberData:
    """The layers that are fitted already, without any score."""
    fitted = so_far.fitted
    layers = range(fitted.first, fitted.first + len(fitted.positions))
    return _points_and_links(study, so_far, fitted.positions, layers)


def _points_and_links(
    study: Study, token_map: TokenMap | MapSoFar, positions: Array, layers: range
) -> ScrubberData:
    table, parallel = token_map.table, study.bitext
    shown, sentence_of = np.unique(table.sentence, return_inverse=True)
    topics = sorted({parallel.topics[i] for i in shown}) if parallel.topics else []
    topic_of = (
        np.array([topics.index(parallel.topics[i]) for i in table.sentence])
        if parallel.topics
        else None
    )
    first, second = (Language(code, language_name(code)) for code in study.languages)
    return ScrubberData(
        positions=positions,
        ranks=np.zeros(positions.shape[:2], np.uint16),
        texts=[str(text) for text in table.text],
        sides=table.side,
        sentence_of=sentence_of,
        links=token_map.drawn.pairs,
        sentences=[(parallel.source[i], parallel.target[i]) for i in shown],
        languages=(first, second),
        stops=[study.states.short(layer) for layer in layers],
        names=[study.states.title(layer) for layer in layers],
        topic_of=topic_of,
        topics=topics,
        spans=table.spans,
        caption=_caption(study, token_map, first, second),
    )


def _caption(
    study: Study, token_map: TokenMap | MapSoFar, first: Language, second: Language
) -> str:
    """What is on show, in a sentence that is also read in a talk."""
    pairs = len(np.unique(token_map.table.sentence))
    return (
        f"{display_name(study.model)} reading {first.name} and {second.name}: "
        f"{PROJECTIONS[token_map.options.projection.method].title} of {len(token_map.table):,} "
        f"{token_map.options.points}s, {pairs:,} of {len(study.bitext):,} sentence pairs"
    )


def notes_on(layout: LayerLayout) -> list[str]:
    """What must be said on the pictures of layers that keep few of the neighbourhoods."""
    return [
        ""
        if kept >= LOW_TRUST
        else f"This picture keeps {percent(kept, 0)} of the neighbourhoods: "
        "go by the numbers, not by it."
        for kept in layout.preservation
    ]
