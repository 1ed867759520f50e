"""The figure of the best layers: what it marks is what the sentence names."""

from __future__ import annotations

import numpy as np

from isogloss.figures.best_layers import best_layers_figure
from isogloss.store import Store
from isogloss.studies.best_layer.question import BestLayer
from isogloss.studies.best_layer.wording import SCORES
from isogloss.studies.study import list_studies


def test_every_layer_that_is_best_has_a_ring_and_only_chance_is_dotted():
    store = Store()
    study = next(s for s in list_studies(store) if s.entry.demo and "everyday-48" in s.text_title)
    found = BestLayer(study.key, "sentences").answer(store)
    best = found.values == found.values[found.differences.best]
    assert 1 < best.sum() < len(best), "several are best, and not all"
    drawn = best_layers_figure({"sentences": found}, None, 3, "sentences", study.states)
    curve = next(trace for trace in drawn.data if trace.name == SCORES["sentences"].title)
    np.testing.assert_array_equal(np.array(curve.marker.size) > min(curve.marker.size), best)
    dotted = [trace for trace in drawn.data if trace.line.dash == "dot"]
    np.testing.assert_array_equal([trace.y for trace in dotted], [found.chance])
    (cursor,) = (shape for shape in drawn.layout.shapes if shape.type == "line")
    assert (cursor.x0, cursor.line.dash) == (3, None)
