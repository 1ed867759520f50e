"""Where results are shown, buttons have their charts, and the paragraph and BibTeX of a paper."""

import importlib
import inspect
import pkgutil
from functools import partial

import pytest

import isogloss as ig
from components.shared import charts
from isogloss import figures
from isogloss.figures.best_layers import best_layers_figure
from isogloss.figures.river import river_figure
from isogloss.models.states import LayerStates


def codes(app):
    return [code.value for code in app.code]


@pytest.mark.parametrize("coordinates", ["standardised", "raw"])
def test_best_layer_says_what_is_on_show(open_app, patience, study, coordinates):
    app = open_app("best_layer", study=study.key[:12], coordinates=coordinates)
    found = ig.methods(study.key, ig.best_layer(study.key, coordinates=coordinates))
    assert codes(app) == [found.text, found.bibtex]
    assert study.entry.record["model"][:16] in found.text


def test_similarity_says_the_measure_on_show(open_app, patience, study):
    app = open_app("similarity", study=study.key[:12], measure="mexa")
    found = ig.methods(study.key, ig.similarity(study.key, "mexa"))
    assert codes(app) == [found.text, found.bibtex]
    assert "kargaran2024" in found.bibtex


def test_the_map_says_how_it_was_drawn(open_app, patience, study):
    app = open_app("token_map", study=study.key[:12], method="pca")
    assert not app.code, "nothing is made before it is opened"
    app.session_state["Take it away"] = True
    app.run()
    found = ig.methods(study.key, ig.token_map(study.key, "pca"))
    assert codes(app) == [found.text, found.bibtex]
    assert "PCA of" in found.text


def test_a_chart_is_offered_in_its_corner_and_drawn_in_the_light(open_app, patience, study):
    app = open_app("best_layer", study=study.key[:12])
    assert not any(b.proto.label == "PDF" for b in app.get("download_button")), "not before asked"
    app.session_state["menu-best-layers"] = True
    app.run()
    offered = [button.proto.label for button in app.get("download_button")]
    assert [label for label in offered if label.isupper()] == ["PDF", "SVG", "PNG"]
    (width,) = (each for each in app.segmented_control if each.key == "columns-best-layers")
    assert width.value == 1


def test_a_drawing_of_the_dark_page_is_light_on_paper():
    drawing = partial(best_layers_figure, [], 0, "words", LayerStates(2), "dark")
    assert charts._in_light(drawing).args[-1] == "light"
    named = charts._in_light(partial(river_figure, None, 1, mode="dark"))
    assert "light" in (*named.args, *named.keywords.values())


def test_every_drawing_knows_its_mode():
    for module in pkgutil.walk_packages(figures.__path__, "isogloss.figures."):
        for name, each in vars(importlib.import_module(module.name)).items():
            if name.endswith("_figure") and name not in ("paper_figure", "save_figure"):
                assert "mode" in inspect.signature(each).parameters, name
