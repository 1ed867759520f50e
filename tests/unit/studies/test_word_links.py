"""Where the links that scores use come from, and that the model on show has no part in them."""

from dataclasses import replace

import numpy as np
import pytest

from isogloss.links.aligners import score_alignments
from isogloss.studies.extraction import extract
from isogloss.studies.links import words
from isogloss.studies.links.words import (
    aligner_links,
    default_link_layer,
    independent_links,
)
from isogloss.studies.study import Study
from isogloss.text.reading import load_bundled

EVERYDAY = load_bundled("everyday.en-zh")
ALIGNED = EVERYDAY.select([i for i, gold in enumerate(EVERYDAY.gold) if gold is not None])


@pytest.mark.parametrize("pairs", [10, len(ALIGNED)])
def test_the_aligner_agrees_with_hand_made_links_from_ten_pairs_on(pairs):
    text = replace(ALIGNED.select(range(pairs)), gold=None)
    found = aligner_links(text)
    scores = score_alignments([found[row] for row in range(pairs)], ALIGNED.gold[:pairs])
    assert scores.error_rate < 0.15


def test_hand_made_links_come_first_then_the_aligner(encoder, bitext, store):
    study = Study(extract(encoder, bitext, store))
    found = independent_links(study, np.array([2, 3]))
    assert found.source == {2: "aligner", 3: "gold"}
    assert found.links[3] == bitext.gold[3].sure
    assert found.links[2] == aligner_links(bitext)[2]


def test_other_languages_take_another_model_and_only_then_their_own(
    encoder, bitext, store, monkeypatch
):
    dutch = replace(bitext, languages=("en", "nl"), gold=None, words=None)
    study = Study(extract(encoder, dutch, store))
    monkeypatch.setattr(words, "_other_model_links", lambda study: {0: frozenset({(0, 0)})})
    monkeypatch.setattr(words, "is_packaged_here", lambda: True)
    by_other = independent_links(study, np.array([0]))
    assert by_other.source == {0: "other model"}
    assert by_other.links == {0: frozenset({(0, 0)})}
    monkeypatch.setattr(words, "is_packaged_here", lambda: False)
    own = independent_links(study, np.array([2]))
    assert own.source == {2: "own"}
    assert own.links == {2: frozenset()}, "its own links are none to score it on"


def test_a_long_text_of_other_languages_is_aligned_from_itself(encoder, bitext, store, monkeypatch):
    dutch = replace(bitext, languages=("en", "nl"), gold=None, words=None)
    monkeypatch.setattr(words, "FEWEST_PAIRS_ALONE", len(dutch))
    study = Study(extract(encoder, dutch, store))
    assert independent_links(study, np.array([0])).counts == {"aligner": 1}


def test_default_layer_is_eight_of_twelve():
    assert default_link_layer(12) == 8
