"""What retrieval scores, chosen by widgets and by the address; and what its numbers mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from components.shared import loading, query
from components.shared.layout import control_row
from components.shared.settings import kept_setting
from components.shared.studies import coordinates
from components.shared.studies.model_names import model_name
from isogloss.measures.nearest_neighbours import SCORES
from isogloss.measures.sentence_retrieval import DIRECTIONS, METRICS
from isogloss.measures.similarity.table import DEFAULT_MEASURE, SIMILARITY_MEASURES
from isogloss.options import Option, option, options_of, titled
from isogloss.studies.mapping import LEVELS, MappedRetrieval, MappingScores
from isogloss.studies.retrieval import SentenceRetrieval
from isogloss.studies.similarity import same_text
from isogloss.studies.study import Study

PAGE = "best-layer"
_METRICS = {metric.name: metric for metric in METRICS}
METRIC_HELP = (
    "**P@k**: the share of sentences whose translation is among the k nearest of the other "
    r"language, $\frac1n \sum_i [\,\mathrm{rank}_i \le k\,]$. **MRR**: the mean of one over its "
    r"rank, $\frac1n \sum_i 1/\mathrm{rank}_i$. Sentences that are equally near count as in random "
    "order, so that alike vectors read what chance would. *Can't tell:* whether what was found "
    "instead was nearly right; and all fall as the text grows, because there is more to confuse "
    "(Artetxe & Schwenk 2019; the Tatoeba task)."
)


NEARNESS_HELP = (
    "\n\n".join(
        f"**{score.title}** {score.explanation} ${score.formula}$"
        + (f" ({score.paper})" if score.paper else "")
        for score in SCORES.values()
    )
    + "\n\n$r_Y(x)$ is the mean cosine of $x$ with its K nearest rows of $Y$."
)
AddedMapping = Literal["none", "sentence", "word", "type"]


@dataclass(frozen=True)
class RetrievalView:
    """What of retrieval is on show, and what is put beside it."""

    metric: str = option(
        "precision@1",
        METRIC_HELP,
        title="Metric",
        choices=_METRICS,
    )
    mapping: AddedMapping = option(
        "none",
        r"Learns, layer by layer, the rotation $W = UV^\top$, $X^\top Y = U\Sigma V^\top$, "
        "that brings one half of the pairs closest, after iterative normalisation, and tests it "
        "on the other half: of sentences, of words in their sentences, or of word types (all "
        "occurrences averaged; at layer 0 that is the embedding output). *Can't tell* rotation "
        "from memory when pairs are fewer than features (Schönemann 1966; Zhang et al. 2019; "
        "Conneau et al. 2020).",
        title="Add a mapping of",
        choices=titled({"none": "None", **LEVELS}),
    )
    against: str = option(
        DEFAULT_MEASURE,
        "Each point is a layer: how alike its two languages are, and how often a sentence "
        "finds its translation there. Conneau et al. 2020 report a Pearson correlation over 0.9 "
        "for plain CKA and retrieval after a mapping. Layers are few and each resembles the "
        "next, so a correlation describes and proves nothing.",
        title="Against similarity by",
        choices=SIMILARITY_MEASURES,
        explain=False,
    )
    direction: str = option(
        DIRECTIONS[0],
        "Which language searches in the other.",
        title="Direction",
        choices=titled({name: name.capitalize() for name in DIRECTIONS}),
    )


SETTINGS = options_of(RetrievalView)
_ASKED = options_of(SentenceRetrieval)
_MAPPED = options_of(MappedRetrieval)


@dataclass(frozen=True)
class RetrievalChoice:
    """What the curves show; `mapping` is None where no mapping is added."""

    metric: str
    retrieval: SentenceRetrieval
    mapping: MappedRetrieval | None

    @property
    def title(self) -> str:
        """What the metric is called."""
        return _METRICS[self.metric].title

    @property
    def place(self) -> int:
        """Where the metric is among those that are measured."""
        return list(_METRICS).index(self.metric)


def choose(study: Study) -> RetrievalChoice:
    """Show the settings; returns them."""
    with control_row():
        metric = kept_setting(SETTINGS["metric"], PAGE, buttons=True)
        score = kept_setting(_ASKED["score"], PAGE, width=190, help=NEARNESS_HELP)
        pooling = kept_setting(_ASKED["pooling"], PAGE, width=150)
        retrieval = SentenceRetrieval(study.key, score, pooling, coordinates.current())
        level = kept_setting(SETTINGS["mapping"], PAGE, width=190)
        if level == SETTINGS["mapping"].default:
            query.add(**_MAPPED["other"].written(""))
            return RetrievalChoice(metric, retrieval, None)
        other = kept_setting(_onto(study), PAGE, width=190)
        mapping = MappedRetrieval(study.key, other, level, score, pooling, retrieval.coordinates)
        return RetrievalChoice(metric, retrieval, mapping)


def tested(scores: MappingScores) -> str:
    """How many rows tested a mapping, and whose links paired them."""
    return ", ".join(filter(None, (f"{scores.tested_on:,} tested", scores.badge)))


def _onto(study: Study) -> Option:
    """The models that read the same text, this one by default."""
    others = same_text(study, loading.studies())
    names = {"": "this model"} | {other.key: model_name(other) for other in others}
    return _MAPPED["other"].but(choices=titled(names))
