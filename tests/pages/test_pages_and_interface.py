"""What a page shows and what a script gets are the same numbers from the same store."""

import json
from base64 import b64decode

import numpy as np

import isogloss as ig
from isogloss.map.maps import MapOptions


def numbers(values):
    if isinstance(values, dict):
        flat = np.frombuffer(b64decode(values["bdata"]), values["dtype"])
        shape = values.get("shape")
        return flat.reshape([int(size) for size in shape.split(",")]) if shape else flat
    return np.array(values, float)


def traces(app, kind):
    figures = [json.loads(chart.proto.spec) for chart in app.get("plotly_chart")]
    return [trace for figure in figures for trace in figure["data"] if trace["type"] == kind]


def test_similarity(open_app, patience, study):
    app = open_app("similarity", study=study.key[:12], measure="mexa", layer="2")
    shown = traces(app, "heatmap")[0]
    found = ig.similarity(study.key[:12], "mexa")
    np.testing.assert_array_equal(numbers(shown["z"]), found.values)
    assert app.metric[0].value == f"{found.values[2, 2]:.3f}"


def test_retrieval_and_alignment(open_app, patience, study):
    app = open_app("best_layer", study=study.key[:12], score="cosine", open="sentences.alignment")
    curves = {trace.get("name"): trace for trace in traces(app, "scatter")}
    retrieval = ig.retrieval(study.key, "cosine")
    np.testing.assert_array_equal(
        numbers(curves["English → Chinese"]["y"]), retrieval.values[:, 0, 0]
    )
    np.testing.assert_array_equal(
        numbers(curves["Alignment error rate"]["y"]), ig.alignment(study.key).values
    )


def test_the_map_of_a_script_is_the_map_of_the_page(study):
    assert ig.token_map(study).answer.options == MapOptions()
