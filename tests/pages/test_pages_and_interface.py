"""What a page shows and what a script gets: the same numbers from one store, drawn alike."""

import json

import pytest

import isogloss as ig
from isogloss.map.maps import MapOptions


def drawn(app):
    """What the page's charts show; their heights are the page's own affair."""
    assert not app.exception
    return [shown(chart.proto.spec) for chart in app.get("plotly_chart")]


def shown(spec):
    figure = json.loads(spec)
    figure["layout"].pop("height")
    return figure


def test_similarity(open_app, patience, study):
    found = ig.similarity(study.key[:12], "mexa")
    best = found.best().layer
    app = open_app("similarity", study=study.key[:12], measure="mexa", layer=str(best))
    assert shown(found.figure().to_json()) in drawn(app)
    assert app.metric[0].value == f"{found.values[best, best]:.3f}"


@pytest.mark.parametrize(
    ("part", "ask"),
    [
        ("sentences", lambda key: ig.retrieval(key, "cosine")),
        ("alignment", ig.alignment),
        ("space", ig.geometry),
    ],
)
def test_curves_below_the_best_layer(open_app, patience, study, part, ask):
    found = ask(study.key)
    layer = str(found.best().layer)
    app = open_app("best_layer", study=study.key[:12], score="cosine", open=part, layer=layer)
    assert shown(found.figure().to_json()) in drawn(app)


def test_the_best_layer(open_app, patience, study):
    found = ig.best_layer(study.key)
    best = found.answers[0]["sentences"].differences.best
    app = open_app("best_layer", study=study.key[:12], by="sentences", layer=str(best))
    assert drawn(app)[0] == shown(found.figure("sentences").to_json())


def test_the_map_of_a_script_is_the_map_of_the_page(study):
    assert ig.token_map(study).answer.options == MapOptions()
