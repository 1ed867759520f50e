"""What can be set on each page: one row a page.

Everything of a question is part of the key that its answer is kept under. A view says which answers
are shown, and how; it is never part of a key.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from components.adaptation.controls import AdaptationView
from components.best_layer.controls import RetrievalView
from components.best_layer.panel import BestLayerView
from components.best_layer.word_alignment import AlignmentView
from components.emergence.controls import EmergenceView
from components.emergence.recorded.controls import TrainingView
from components.inner_language.controls import InnerLanguageView
from components.languages.controls import PROJECTION, LanguagesView
from components.layers_needed.panel import LayersNeededView
from components.sentences.panel import SentencesView
from components.similarity.controls import SimilarityChoice
from components.transfer.view import TransferView
from components.two_models.panel import TwoModelsView
from isogloss.inner_language.read_along import ReadAlong
from isogloss.inner_language.river import River
from isogloss.inner_language.swap import Swap
from isogloss.inner_language.switch import Steered, Switch
from isogloss.map.maps import MapOptions
from isogloss.map.payload import MapView
from isogloss.measures.projection.layout import ProjectionOptions
from isogloss.options import Option
from isogloss.studies.languages.questions import EveryPair, LanguageTrees
from isogloss.studies.links.points import LinkOptions
from isogloss.studies.mapping import MappedRetrieval
from isogloss.studies.retrieval import SentenceRetrieval
from isogloss.studies.similarity import LayerComparison
from isogloss.studies.word_alignment import AlignmentQuality
from isogloss.text.parts import TextPart


@dataclass(frozen=True)
class PageSettings:
    """The dataclasses whose options a page shows, and the command that asks the same question.

    `some` are options of a question that has others, which the page does not offer.
    """

    questions: tuple[type, ...] = ()
    views: tuple[type, ...] = ()
    command: str = ""
    some: tuple[Option, ...] = ()


PAGE_SETTINGS: Mapping[str, PageSettings] = {
    "token_map": PageSettings(
        (MapOptions, TextPart, ProjectionOptions, LinkOptions), (MapView,), "token-map"
    ),
    "similarity": PageSettings((LayerComparison,), (SimilarityChoice,), "similarity"),
    "best_layer": PageSettings(
        (SentenceRetrieval, MappedRetrieval, AlignmentQuality),
        (BestLayerView, RetrievalView, AlignmentView),
        "best-layer",
    ),
    "languages": PageSettings(
        (EveryPair, LanguageTrees), (LanguagesView, MapView), "languages", (PROJECTION,)
    ),
    "emergence": PageSettings(views=(EmergenceView, MapView)),
    "training": PageSettings(views=(TrainingView, MapView)),
    "inner_language": PageSettings(
        (River, ReadAlong, Switch, Steered, Swap), (InnerLanguageView,), "inner-language"
    ),
    "transfer": PageSettings(views=(TransferView,)),
    "layers_needed": PageSettings(views=(LayersNeededView,)),
    "sentences": PageSettings(views=(SentencesView,)),
    "adaptation": PageSettings(views=(AdaptationView, MapView)),
    "two_models": PageSettings(views=(TwoModelsView,)),
}
