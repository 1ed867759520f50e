"""A token map as the scrubber takes it."""

from __future__ import annotations

import numpy as np

from components.languages import language_name
from components.layer_scrubber import Language, Score, ScrubberData
from isogloss.animation import MovingMap
from isogloss.studies import Study
from isogloss.token_maps import TokenMap, provenance


def scrubber_data(study: Study, token_map: TokenMap) -> ScrubberData:
    """The points, links and scores of `token_map`, with only the sentences that occur in it."""
    table, scores = token_map.table, token_map.scores
    corpus = study.corpus
    shown, sentence_of = np.unique(table.sentence, return_inverse=True)
    topics = sorted({corpus.topics[i] for i in shown}) if corpus.topics else []
    topic_of = (
        np.array([topics.index(corpus.topics[i]) for i in table.sentence])
        if corpus.topics
        else None
    )
    strips = [
        Score(
            "translations that are nearest",
            scores.nearest_share.tolist(),
            scores.nearest_low.tolist(),
            scores.nearest_high.tolist(),
        )
    ]
    if scores.error_rate is not None:
        strips.append(Score("1 − alignment error", (1 - scores.error_rate).tolist()))
    first, second = (Language(code, language_name(code)) for code in study.languages)
    return ScrubberData(
        coordinates=token_map.layout.coordinates,
        ranks=scores.ranks,
        texts=[str(text) for text in table.text],
        sides=table.side,
        sentence_of=sentence_of,
        links=token_map.links.pairs,
        sentences=[(corpus.source[i], corpus.target[i]) for i in shown],
        languages=(first, second),
        stops=[str(layer) for layer in range(study.n_states)],
        scores=strips,
        trust=token_map.layout.preservation.tolist(),
        topic_of=topic_of,
        topics=topics,
        spans=table.spans,
        caption=f"{study.model} reading {first.name} and {second.name}",
        provenance=provenance(study, token_map),
    )


def moving_map(data: ScrubberData) -> MovingMap:
    """The same map as films take it."""
    return MovingMap(
        coordinates=data.coordinates,
        texts=data.texts,
        sides=np.asarray(data.sides),
        links=np.asarray(data.links),
        stops=data.stops,
        languages=(data.languages[0].name, data.languages[1].name),
        scores=data.scores[0].values,
        score_name=data.scores[0].name,
        title=data.title,
        caption=data.caption,
        provenance=data.provenance,
    )
