"""Which words of a study's text translate each other, found without the model that is scored.

Links that a layer made flatter that layer: computed at the top, the top scores best. So scores use,
in this order: links made by hand; a statistical aligner, where there is a lexicon for the two
languages or enough text to learn from; another model's links; and only then the model's own, which
is said wherever such scores are shown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np

from isogloss.measures.coordinates import DEFAULT_COORDINATES, Coordinates
from isogloss.measures.statistical_alignment import FEWEST_PAIRS_ALONE, align_text
from isogloss.measures.word_alignment import (
    DEFAULT_ALIGNER,
    Links,
    align_words,
    word_similarities,
)
from isogloss.models.loading import load_model
from isogloss.models.packaged_e5 import is_packaged_here
from isogloss.models.tokens import words_of
from isogloss.studies.extraction import extract
from isogloss.studies.pooling import point_table, point_vectors
from isogloss.studies.study import Study
from isogloss.text.corpora import ParallelCorpus
from isogloss.text.lexicons import load_lexicon

LinkSource = Literal["gold", "aligner", "other model", "own"]
OTHER_MODEL = "multilingual-e5-small"
OTHER_MODEL_LAYER = 8
"""Where that model aligns well: see its alignment error by layer in docs/evidence.md."""


def default_link_layer(n_layers: int) -> int:
    """Two thirds up, where aligners read multilingual BERT (layer 8 of 12)."""
    return round(n_layers * 2 / 3)


@dataclass(frozen=True)
class WordLinks:
    """Links between the words of each sentence pair, and where those of a pair come from."""

    links: Mapping[int, Links]
    source: Mapping[int, LinkSource]

    @property
    def counts(self) -> dict[str, int]:
        """How many sentence pairs each source gave the links of."""
        return dict(Counter(self.source.values()))


def independent_links(study: Study, sentences: np.ndarray) -> WordLinks:
    """Return links of some sentence pairs that no layer of `study` made, where there are any."""
    corpus = study.corpus
    gold = corpus.gold or (None,) * len(corpus)
    links: dict[int, Links] = {}
    source: dict[int, LinkSource] = {}
    for sentence in map(int, sentences):
        by_hand = gold[sentence]
        if by_hand is not None:
            links[sentence], source[sentence] = by_hand.sure, "gold"
    missing = [int(sentence) for sentence in sentences if int(sentence) not in links]
    if missing:
        found, name = _computed(study)
        if found is None:
            found = model_links(study, default_link_layer(study.n_layers), np.array(missing))
        links |= {sentence: found.get(sentence, frozenset()) for sentence in missing}
        source |= dict.fromkeys(missing, name)
    return WordLinks(links, source)


def _computed(study: Study) -> tuple[Mapping[int, Links] | None, LinkSource]:
    """Links of the whole text by the best source there is, None where only the model is left."""
    corpus = study.corpus
    if load_lexicon(corpus.languages) is not None or len(corpus) >= FEWEST_PAIRS_ALONE:
        return aligner_links(corpus), "aligner"
    if study.model != OTHER_MODEL and is_packaged_here():
        return _other_model_links(study), "other model"
    return None, "own"


@lru_cache(maxsize=8)
def aligner_links(corpus: ParallelCorpus) -> Mapping[int, Links]:
    """Return the statistical aligner's links of every sentence pair of a text."""
    source, target = (
        [[word.text for word in words_of(corpus, row, side)] for row in range(len(corpus))]
        for side in (0, 1)
    )
    return dict(enumerate(align_text(source, target, load_lexicon(corpus.languages))))


def _other_model_links(study: Study) -> Mapping[int, Links]:
    store = study.entry.store
    other = Study(extract(load_model(OTHER_MODEL, store), study.corpus, store))
    return model_links(other, OTHER_MODEL_LAYER, np.arange(len(study.corpus)))


def model_links(
    study: Study,
    layer: int,
    sentences: np.ndarray,
    method: str = DEFAULT_ALIGNER,
    coordinates: Coordinates = DEFAULT_COORDINATES,
) -> dict[int, Links]:
    """Return the links that a word aligner reads off one layer of a model."""
    table = point_table(study, "word", sentences)
    vectors = point_vectors(study, layer, table, coordinates)
    links: dict[int, Links] = {}
    for sentence in map(int, np.unique(table.sentence)):
        rows = [np.flatnonzero((table.sentence == sentence) & (table.side == s)) for s in (0, 1)]
        if len(rows[0]) and len(rows[1]):
            similarities = word_similarities(vectors[rows[0]], vectors[rows[1]])
            links[sentence] = frozenset(
                (int(table.index[rows[0][i]]), int(table.index[rows[1][j]]))
                for i, j in align_words(similarities, method)
            )
    return links
