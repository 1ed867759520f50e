"""What retrieval scores, chosen by widgets and by the address; and what its numbers mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import streamlit as st

from components.shared import loading, query
from components.shared.layout import control_row
from components.shared.studies import coordinates
from components.shared.studies.model_names import model_name
from isogloss.measures.nearest_neighbours import DEFAULT_SCORE
from isogloss.measures.sentence_retrieval import METRICS, SCORES
from isogloss.studies.mapping import LEVELS, MappedRetrieval, MappingLevel
from isogloss.studies.pooling import STUDY_POOLINGS, Pooling
from isogloss.studies.retrieval import SentenceRetrieval
from isogloss.studies.similarity import same_text
from isogloss.studies.study import Study

METRIC_NAMES = [metric.name for metric in METRICS]
METRIC_TITLES = {metric.name: metric.title for metric in METRICS}
NO_MAPPING = "none"
_METRIC = query.Choice("metric", METRIC_NAMES, "precision@1")
_SCORE = query.Choice("score", list(SCORES), DEFAULT_SCORE)
_POOLING = query.Choice("pooling", list(STUDY_POOLINGS), "mean")
_LEVEL = query.Choice("mapping", [NO_MAPPING, *LEVELS], NO_MAPPING)
_SHORT_METRICS = {
    "precision@1": "P@1",
    "precision@5": "P@5",
    "precision@10": "P@10",
    "reciprocal_rank": "MRR",
}
METRIC_HELP = (
    "**P@k**: the share of sentences whose translation is among the k nearest of the other "
    r"language, $\frac1n \sum_i [\,\mathrm{rank}_i \le k\,]$. **MRR**: the mean of one over its "
    r"rank, $\frac1n \sum_i 1/\mathrm{rank}_i$. Sentences that are equally near count as in random "
    "order, so that alike vectors read what chance would. *Can't tell:* whether what was found "
    "instead was nearly right; and all fall as the text grows, because there is more to confuse "
    "(Artetxe & Schwenk 2019; the Tatoeba task)."
)


@dataclass(frozen=True)
class RetrievalChoice:
    """What the curves show; `mapping` is None where no mapping is added."""

    metric: str
    retrieval: SentenceRetrieval
    mapping: MappedRetrieval | None


def choose(study: Study) -> RetrievalChoice:
    """Show the settings; returns them."""
    with control_row():
        metric = cast(
            str,
            st.segmented_control(
                "Metric",
                METRIC_NAMES,
                format_func=_SHORT_METRICS.__getitem__,
                default=_METRIC.read(),
                required=True,
                key="retrieval-metric",
                help=METRIC_HELP,
            ),
        )
        score = _choose_score()
        pooling = _choose_pooling()
        mapping = _choose_mapping(study, score, pooling)
    choice = RetrievalChoice(
        metric, SentenceRetrieval(study.key, score, pooling, coordinates.current()), mapping
    )
    _write(choice)
    return choice


def _choose_score() -> str:
    names = list(SCORES)
    return st.selectbox(
        "Nearness",
        names,
        index=names.index(_SCORE.read()),
        format_func=lambda name: SCORES[name].title,
        key="retrieval-score",
        width=190,
        help="\n\n".join(
            f"**{score.title}** {score.explanation} ${score.formula}$"
            + (f" ({score.paper})" if score.paper else "")
            for score in SCORES.values()
        )
        + "\n\n$r_Y(x)$ is the mean cosine of $x$ with its K nearest rows of $Y$.",
    )


def _choose_pooling() -> Pooling:
    names = list(STUDY_POOLINGS)
    return st.selectbox(
        "Sentence vector",
        names,
        index=names.index(_POOLING.read()),
        format_func=lambda name: STUDY_POOLINGS[name].title,
        key="retrieval-pooling",
        width=150,
        help="\n\n".join(f"**{way.title}**: {way.explanation}." for way in STUDY_POOLINGS.values()),
    )


def _choose_mapping(study: Study, score: str, pooling: Pooling) -> MappedRetrieval | None:
    levels = [NO_MAPPING, *LEVELS]
    level = st.selectbox(
        "Add a mapping of",
        levels,
        index=levels.index(_LEVEL.read()),
        format_func=lambda name: "None" if name == NO_MAPPING else LEVELS[name],
        key="retrieval-mapping",
        width=190,
        help=r"Learns, layer by layer, the rotation $W = UV^\top$, $X^\top Y = U\Sigma V^\top$, "
        "that brings one half of the pairs closest, after iterative normalisation, and tests it "
        "on the other half: of sentences, of words in their sentences, or of word types (all "
        "occurrences averaged; at layer 0 that is the embedding output). *Can't tell* rotation "
        "from memory when pairs are fewer than features (Schönemann 1966; Zhang et al. 2019; "
        "Conneau et al. 2020).",
    )
    if level == NO_MAPPING:
        return None
    others = same_text(study, loading.studies())
    names = {"": "this model"} | {other.key: model_name(other) for other in others}
    keys = list(names)
    onto = st.selectbox(
        "Onto the space of",
        keys,
        index=keys.index(query.key("onto", keys) or keys[0]),
        format_func=names.__getitem__,
        key="retrieval-onto",
        width=190,
        help="The model that reads the second language. Another model may have another width; of "
        "another depth, layers meet at the same share of the way up.",
    )
    return MappedRetrieval(
        study.key, onto, cast(MappingLevel, level), score, pooling, coordinates.current()
    )


def _write(choice: RetrievalChoice) -> None:
    retrieval, mapping = choice.retrieval, choice.mapping
    query.add(
        **_METRIC.written(choice.metric),
        **_SCORE.written(retrieval.score),
        **_POOLING.written(retrieval.pooling),
        **_LEVEL.written(mapping.level if mapping else NO_MAPPING),
        onto=mapping.other[:12] if mapping else "",
    )
