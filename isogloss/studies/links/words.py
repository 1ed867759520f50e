"""Which words of a study's text translate each other, found without the model that is scored.

Links that a layer made flatter that layer: computed at the top, the top scores best. So scores use,
in this order: links made by hand; a statistical aligner, where there is a lexicon for the two
languages or enough text to learn from; another model's links. Where only the model's own would be
left, there are none: words are not scored.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from isogloss.links.aligners import (
    DEFAULT_ALIGNER,
    Links,
    align_words,
    word_similarities,
)
from isogloss.links.lexicons import load_lexicon
from isogloss.links.sources import OTHER_MODEL, OTHER_MODEL_LAYER, LinkSource
from isogloss.links.statistical_aligner import FEWEST_PAIRS_ALONE, align_text
from isogloss.measures.coordinates import DEFAULT_COORDINATES, Coordinates
from isogloss.models.loading import load_model
from isogloss.models.packaged.e5 import is_packaged_here
from isogloss.models.presets import RANDOM_PREFIX, find_preset
from isogloss.models.tokens import words_of
from isogloss.studies.extraction import extract
from isogloss.studies.pooling import point_table, point_vectors
from isogloss.studies.study import Study
from isogloss.text.reading import ParallelText

SAME_MODEL = 0.5
"""Models whose states of the same words have at least this cosine, on average, are one family."""
MOST_SENTENCES_COMPARED = 50


def default_link_layer(n_layers: int) -> int:
    """Two thirds up, where aligners read multilingual BERT (layer 8 of 12)."""
    return round(n_layers * 2 / 3)


@dataclass(frozen=True)
class WordLinks:
    """Links between the words of each sentence pair, and where those of a pair come from.

    A pair whose source is "own" has no links: none could be had but those of the model itself.
    """

    links: Mapping[int, Links]
    source: Mapping[int, LinkSource]

    @property
    def counts(self) -> dict[str, int]:
        """How many sentence pairs each source gave the links of."""
        return dict(Counter(self.source.values()))


def independent_links(
    study: Study, sentences: np.ndarray, beside: Sequence[Study] = ()
) -> WordLinks:
    """Return links of some sentence pairs that no layer of `study` made, where there are any.

    Nor did any layer of the studies of the same text that are scored `beside` it.
    """
    text = study.bitext
    gold = text.gold or (None,) * len(text)
    links: dict[int, Links] = {}
    source: dict[int, LinkSource] = {}
    for sentence in map(int, sentences):
        by_hand = gold[sentence]
        if by_hand is not None:
            links[sentence], source[sentence] = by_hand.sure, "gold"
    missing = [int(sentence) for sentence in sentences if int(sentence) not in links]
    if missing:
        found, name = _computed(study, beside)
        links |= {sentence: found.get(sentence, frozenset()) for sentence in missing}
        source |= dict.fromkeys(missing, name)
    return WordLinks(links, source)


def _computed(study: Study, beside: Sequence[Study]) -> tuple[Mapping[int, Links], LinkSource]:
    """Links of the whole text by the best source there is; none where only the model is left."""
    text = study.bitext
    if load_lexicon(text.first_two) is not None or len(text) >= FEWEST_PAIRS_ALONE:
        return aligner_links(text), "aligner"
    if is_packaged_here() and not any(map(is_other_model, (study, *beside))):
        return _other_model_links(study), "other model"
    return {}, "own"


def is_other_model(study: Study) -> bool:
    """Whether a study's model is the one that links for others, by another name or in part.

    So is a copy of it, the same in full precision, and what was trained further from it: same
    shape, and either its name within the name, the same files, or the same vocabulary with states
    that point the same way. A random model is nobody's copy.
    """
    preset = find_preset(OTHER_MODEL)
    assert preset is not None
    shape = preset.n_layers, preset.width, preset.kind == "decoder"
    own = study.n_layers, int(study.entry.facts["width"]), study.is_decoder
    if own != shape or study.model.startswith(RANDOM_PREFIX):
        return False
    return OTHER_MODEL in study.model.lower() or _reads_alike(study, _other_study(study))


def _reads_alike(study: Study, other: Study) -> bool:
    """Whether two models are the same files, or cut a text alike and have like states of it."""
    if study.entry.record["model"] == other.entry.record["model"]:
        return True
    if not np.array_equal(study.tokens.piece, other.tokens.piece):
        return False
    some = np.arange(min(len(study.bitext), MOST_SENTENCES_COMPARED))
    own, its = (
        point_vectors(each, OTHER_MODEL_LAYER, point_table(each, "word", some), "centred")
        for each in (study, other)
    )
    lengths = np.linalg.norm(own, axis=1) * np.linalg.norm(its, axis=1)
    cosines = (own * its).sum(axis=1) / np.maximum(lengths, np.finfo(np.float32).tiny)
    return bool(cosines.mean() >= SAME_MODEL)


@lru_cache(maxsize=8)
def aligner_links(text: ParallelText) -> Mapping[int, Links]:
    """Return the statistical aligner's links of every sentence pair of a text."""
    source, target = (
        [[word.text for word in words_of(text, row, side)] for row in range(len(text))]
        for side in (0, 1)
    )
    return dict(enumerate(align_text(source, target, load_lexicon(text.first_two))))


def _other_study(study: Study) -> Study:
    """The other model's study of the same text."""
    store = study.entry.store
    return Study(extract(load_model(OTHER_MODEL, store), study.bitext, store))


def _other_model_links(study: Study) -> Mapping[int, Links]:
    return model_links(_other_study(study), OTHER_MODEL_LAYER, np.arange(len(study.bitext)))


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
