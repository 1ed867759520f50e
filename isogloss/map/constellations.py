"""The map of all sentences in all languages of a study, translations joined to stars."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from isogloss.map.data import notes_on
from isogloss.map.payload import Language, Score, ScrubberData, kept_neighbours
from isogloss.measures.languages.company import Company
from isogloss.measures.projection.layout import LayerLayout
from isogloss.measures.projection.methods import PROJECTIONS
from isogloss.measures.stacks import Array
from isogloss.models.presets import display_name
from isogloss.studies.coordinates import describe_coordinates
from isogloss.studies.languages.constellations import Constellations, points_of_text
from isogloss.studies.study import Study
from isogloss.text.language_names import language_name

TRANSLATION = "sentences nearest to a translation"
OWN = "sentences nearest to their own language"


def constellation_data(
    study: Study,
    question: Constellations,
    layout: LayerLayout,
    company: Company | None,
    of_languages: Sequence[Sequence[str]] = (),
) -> ScrubberData:
    """Every sentence as a point, coloured by language, and a star for each row of the text."""
    text = study.text
    there = np.array([[bool(cell) for cell in side] for side in text.sides], bool)
    language, row = points_of_text(there)
    shown, sentence_of = np.unique(row, return_inverse=True)
    middles = len(shown)
    topics = sorted(set(text.topics)) if text.topics else []
    preserved = layout.preservation.tolist()
    topic_of = np.array([topics.index(text.topics[i]) for i in row]) if text.topics else None
    return ScrubberData(
        positions=with_middles(layout.positions, sentence_of),
        ranks=np.zeros((study.n_states, len(row) + middles), np.uint16),
        texts=[text.sides[k][i] for k, i in zip(language, row, strict=True)] + [""] * middles,
        sides=np.concatenate([language, np.zeros(middles, int)]),
        sentence_of=np.concatenate([sentence_of, np.arange(middles)]),
        links=np.column_stack([np.arange(len(row)), len(row) + sentence_of]),
        sentences=[tuple(side[i] for side in text.sides) for i in shown],
        languages=tuple(Language(code, language_name(code)) for code in text.languages),
        stops=[study.states.short(layer) for layer in range(study.n_states)],
        names=[study.states.title(layer) for layer in range(study.n_states)],
        scores=[*_scores(company), kept_neighbours(preserved, len(row), "sentence")],
        topic_of=None if topic_of is None else np.concatenate([topic_of, np.full(middles, -1)]),
        topics=topics,
        lines="translations of one sentence, around their middle",
        of_languages=of_languages,
        notes=notes_on(layout),
        caption=_caption(study, layout, len(row), middles),
        provenance=_provenance(study, question, layout, len(row), middles),
        middles=middles,
        shapes_of_topics=bool(topics),
    )


def with_middles(positions: Array, group: Array) -> Array:
    """Add to points (layers, n, 2) the mean of each group, which `group` (n,) numbers."""
    sizes = np.bincount(group)
    sums = np.zeros((len(sizes), len(positions), 2))
    np.add.at(sums, group, positions.transpose(1, 0, 2))
    middles = sums.transpose(1, 0, 2) / sizes[:, None]
    return np.concatenate([positions, middles], axis=1).astype(np.float32)


def _scores(company: Company | None) -> list[Score]:
    if company is None:
        return []
    return [
        Score(
            TRANSLATION,
            company.translation.tolist(),
            company.translation_low.tolist(),
            company.translation_high.tolist(),
            chance=company.chance_translation,
            about=f"The share of {company.sentences:,} sentences whose nearest neighbour among all "
            "others, in all languages, says the same, in the full space",
        ),
        Score(
            OWN,
            company.own.tolist(),
            company.own_low.tolist(),
            company.own_high.tolist(),
            chance=company.chance_own,
            about="The share of sentences whose nearest neighbour is in their own language",
        ),
    ]


def _caption(study: Study, layout: LayerLayout, points: int, rows: int) -> str:
    languages: Sequence[str] = study.all_languages
    return (
        f"{display_name(study.model)} reading {rows:,} of {len(study.text):,} sentences in "
        f"{len(languages)} languages: {PROJECTIONS[layout.options.method].title} of {points:,} "
        "sentences"
    )


def _provenance(
    study: Study, question: Constellations, layout: LayerLayout, points: int, rows: int
) -> dict[str, str]:
    facts = study.entry.facts
    perplexity = f", perplexity {layout.options.perplexity}"
    return {
        "model": str(facts["model"]),
        "model fingerprint": str(study.entry.record["model"])[:40],
        "text": f"{facts['corpus']} ({len(study.all_languages)} languages)",
        "text hash": str(study.entry.record["corpus"])[:16],
        "points": f"{points} means of sentences, {rows} rows of the text",
        "coordinates": f"{describe_coordinates(question.coordinates)}, over all languages",
        "projection": layout.options.method
        + (perplexity if layout.options.method == "tsne" else "")
        + f", seed {layout.options.seed}",
        "made with": f"Isogloss {facts['versions']['isogloss']}",
        "study": study.entry.key,
    }
