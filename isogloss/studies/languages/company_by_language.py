"""Whose company the sentences of each language keep, layer by layer."""

from __future__ import annotations

import numpy as np

from isogloss.measures.coordinates import Coordinates
from isogloss.measures.languages.company import choose_rows, layer_company, shares_by_language
from isogloss.measures.stacks import Array
from isogloss.studies.languages.sentence_means import find_sentence_means
from isogloss.studies.languages.sides import cells_of, read_sides
from isogloss.studies.study import Study

MOST_SENTENCES = 1_500
"""So many are had at once, and nothing is kept; of more, nothing is said."""


def company_by_language(study: Study, coordinates: Coordinates) -> Array | None:
    """The shares nearest to a translation and to the own language, (L, K, 2).

    None where there are many sentences or their means are not there yet.
    """
    means = find_sentence_means(study)
    if means is None or int(cells_of(means).sum()) > MOST_SENTENCES:
        return None
    rows, count = choose_rows(cells_of(means)), len(means.languages)
    found = []
    for layer in range(means.n_states):
        sides = read_sides(means, layer, rows)
        company = layer_company(sides, coordinates)
        found.append(shares_by_language(company, sides.rows()[0], count))
    return np.stack(found)
