"""Charts of scores by layer: each curve has its own values, name and colour."""

import numpy as np

from isogloss.figures.curves import Reference
from isogloss.figures.layer_scores import (
    alignment_error_figure,
    dictionary_figure,
    geometry_figure,
    language_probe_figure,
    mappings_figure,
    retrieval_figure,
)
from isogloss.figures.rogue_dimensions import Contrast, rogue_dimensions_figure
from isogloss.figures.template import theme
from isogloss.measures.labels import Labels
from isogloss.measures.language_probe import LanguageProbe
from isogloss.measures.sentence_retrieval import METRICS, RetrievalScores
from isogloss.models.states import LayerStates
from isogloss.studies.coordinates import RogueCurves
from isogloss.studies.layer_geometry import GeometryCurves
from isogloss.studies.mapping import MappingScores, TranslationScores
from isogloss.studies.word_alignment import AlignmentCurve

LABELS = Labels(("en", "zh"), ("English", "Chinese"), LayerStates(2), LayerStates(2))


def scores(seed=0):
    values = np.random.default_rng(seed).random((3, 2, 4))
    return RetrievalScores(
        "csls", 50, values, values - 0.1, values + 0.1, 0.95, np.arange(4) / 100 + 0.02
    )


def curves(figure):
    return {trace.name: trace for trace in figure.data if trace.mode == "lines+markers"}


def level(figure):
    return next(shape.y0 for shape in figure.layout.shapes if shape.name == "reference")


def test_retrieval_has_a_curve_a_direction_and_the_chance_of_the_metric():
    found = scores()
    for index, metric in enumerate(METRICS):
        figure = retrieval_figure(found, LABELS, 1, "dark", metric.name)
        for direction, name in enumerate(("English → Chinese", "Chinese → English")):
            curve = curves(figure)[name]
            np.testing.assert_array_equal(curve.y, found.values[:, direction, index])
            assert curve.line.color == theme("dark").languages[direction]
        assert level(figure) == found.chance[index]
        assert figure.layout.yaxis.title.text == metric.title


def test_what_a_mapping_gives_is_drawn_beside_it_and_published_values_are_named():
    after, before = scores(1), scores(2)
    mapped = ("sentences mapped", MappingScores(after, before, 25, 25))
    figure = retrieval_figure(
        scores(), LABELS, 0, "light", "reciprocal_rank", mapped, [Reference("LASER", 0.9, True)]
    )
    for name, found in (("sentences mapped", after), ("the same, not mapped", before)):
        np.testing.assert_allclose(curves(figure)[name].y, found.values[:, :, 3].mean(1))
        assert curves(figure)[name].line.dash == "dash"
    assert any("LASER 0.9" in note.text for note in figure.layout.annotations)


def test_mappings_between_two_models():
    found = [("Sentences", scores(1)), ("Words", scores(2)), ("Word types", scores(3))]
    figure = mappings_figure(found, 2)
    for name, each in found:
        np.testing.assert_array_equal(curves(figure)[name].y, each.curve("precision@1"))
    assert level(figure) == found[0][1].chance[0]


def test_every_other_score_draws_its_own_numbers():
    rising, falling = np.array([0.1, 0.2, 0.3]), np.array([0.6, 0.5, 0.4])
    error = AlignmentCurve(falling, falling, falling, rising, rising, 0.95, 20)
    (drawn,) = curves(alignment_error_figure(error, LABELS, 1)).values()
    np.testing.assert_array_equal(drawn.y, falling)

    space = GeometryCurves(np.stack([rising, falling], 1), np.zeros((3, 2)), 10, 50)
    drawn = curves(geometry_figure(space, LABELS, 1))
    np.testing.assert_array_equal(drawn["English"].y, rising)
    np.testing.assert_array_equal(drawn["Chinese"].y, falling)

    probe = LanguageProbe(falling, falling, falling, 0.95, 50, 5)
    figure = language_probe_figure(probe, LABELS, 1)
    np.testing.assert_array_equal(curves(figure)["Language told rightly"].y, falling)
    assert level(figure) == 0.5

    values = np.random.default_rng(0).random((3, 4))
    words = TranslationScores(values, values, values, 0.95, np.full(4, 0.03), 9, 8, 7, 90)
    figure = dictionary_figure(words, LABELS, 1)
    np.testing.assert_array_equal(curves(figure)["Found first"].y, values[:, 0])
    np.testing.assert_array_equal(curves(figure)["Among the first 5"].y, values[:, 1])
    assert level(figure) == 0.03


def test_rogue_dimensions_stand_alone_or_above_scores():
    found = RogueCurves(*np.array([[0.5, 0.2, 0.1], [0.6, 0.4, 0.3]]), np.ones(3), np.ones(3), 64)
    alone = rogue_dimensions_figure(found, [], 0)
    above = rogue_dimensions_figure(found, [Contrast("Found", np.ones(3), np.zeros(3))], 0)
    assert len(list(alone.select_yaxes())) == 1
    assert len(list(above.select_yaxes())) == 2
    np.testing.assert_array_equal(alone.data[0].y, above.data[0].y)
