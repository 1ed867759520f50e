"""The Python interface: the same stored results, as tables, figures and files."""

import doctest
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from pypdf import PdfReader

import isogloss as ig
from isogloss import interface
from isogloss.errors import IsoglossError, TextError
from isogloss.measures.similarity.comparison import compare
from isogloss.store import Store
from isogloss.studies.pooling import sentence_pair_vectors
from isogloss.studies.similarity import LayerComparison
from tests.conftest import PAIRS

ROOT = Path(__file__).parents[3]


@pytest.fixture(autouse=True)
def own_store(tmp_path, monkeypatch):
    monkeypatch.setenv("ISOGLOSS_CACHE", str(tmp_path / "store"))


@pytest.fixture
def study(encoder_directory, bitext):
    return ig.extract(str(encoder_directory), bitext, device="cpu")


def test_the_name_alone_loads_next_to_nothing():
    code = """
import sys, typing
before = set(sys.modules)
import isogloss
assert isogloss.__version__
assert sys.modules.keys() - before == {"isogloss", "isogloss.version"}
isogloss.similarity
assert not {"pandas", "torch", "plotly", "pyarrow"} & set(sys.modules)
"""
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)
    assert ig.__all__ == ["__version__", *interface.__all__]
    assert all(callable(getattr(ig, name)) for name in interface.__all__)
    with pytest.raises(AttributeError, match="no attribute 'similarities'"):
        _ = ig.similarities


def test_examples_in_docstrings_run():
    for module in (interface, interface.studies, interface.inner_language):
        assert doctest.testmod(module).failed == 0
    without = [name for name in interface.__all__ if ">>>" not in getattr(ig, name).__doc__]
    # Computing and taking in a study has its examples in the module's own text and in
    # docs/own_vectors.md, which tests/unit/studies/test_own_vectors.py runs.
    assert without == ["extract", "import_vectors"]


def test_a_study_is_found_again_without_its_model(study, bitext, encoder_directory, monkeypatch):
    from isogloss.studies import named_extraction

    monkeypatch.setattr(named_extraction, "load_model", lambda *_, **__: pytest.fail("loaded"))
    assert ig.extract(str(encoder_directory), bitext).key == study.key
    assert ig.open_study(study.key[:10]).key == study.key
    assert ig.list_studies()[0].key == study.key
    assert ig.list_studies().frame()["pairs"][0] == 10
    assert study.key in ig.list_studies()._repr_html_()


def test_texts_of_every_kind(tmp_path):
    pairs = ig.read_text(PAIRS, languages=("en", "zh"), name="mine")
    file = tmp_path / "pairs.tsv"
    file.write_text("en\tzh\n" + "\n".join("\t".join(pair) for pair in PAIRS), encoding="utf-8")
    from_file = ig.read_text(file)
    assert from_file.source == pairs.source
    assert ig.read_text(pairs) is pairs
    assert ig.read_text("everyday.en-zh").gold is not None
    with pytest.raises(TextError, match="languages="):
        ig.read_text(PAIRS)


def test_similarity_is_the_stored_one_and_says_so(study):
    found = ig.similarity(study, coordinates="raw")
    stored = LayerComparison(study.key, coordinates="raw").find(Store())
    np.testing.assert_array_equal(found.values, stored.similarity.values)
    X, Y = sentence_pair_vectors(study, 2, "mean", "raw")
    assert found.values[2, 2] == pytest.approx(compare(X, Y).value, abs=1e-6)
    table = found.frame().set_index(["layer", "other_layer"])
    assert len(table) == 16
    assert table.loc[(1, 3), "value"] == found.values[1, 3]
    assert table.loc[(1, 3), "calibrated"] == found.calibrated[1, 3]
    assert found.best().value == max(found.values.diagonal())
    assert f"{found.best().value:.3f} at layer {found.best().layer}" in repr(found)
    heat = next(trace for trace in found.figure().data if trace.type == "heatmap")
    np.testing.assert_array_equal(heat.z, found.values)
    assert "<table" in found._repr_html_()
    assert found.options()["coordinates"] == "raw"


def test_measures_that_have_no_value_say_why(study):
    found = ig.similarity(study, "cknna")
    row = found.rows()[0]
    assert row["value"] is None
    assert "among the 10 nearest" in row["reason"]


def test_every_other_result_has_rows_figure_and_best(study, tmp_path):
    retrieval = ig.retrieval(study, score="cosine")
    rows = retrieval.rows()
    assert len(rows) == 4 * 2 * 4
    first = [row["value"] for row in rows if row["layer"] == 1 and row["metric"] == "precision@1"]
    assert retrieval.curve()[1] == pytest.approx(np.mean(first))
    assert retrieval.best().value == retrieval.curve().max()
    alignment = ig.alignment(study)
    assert alignment.best().value == min(row["error_rate"] for row in alignment.rows())
    rogue, geometry = ig.rogue(study), ig.geometry(study)
    assert len(rogue.frame()) == 4
    assert len(geometry.frame()) == 8
    for result in (retrieval, alignment, rogue, geometry):
        assert result.figure().data
        assert result.describe() in result._repr_html_().replace("&#x27;", "'")
    page = retrieval.to_html(tmp_path / "curves.html").read_text(encoding="utf-8")
    assert "plotly" in page
    assert 'src="http' not in page, "it must work offline"


def test_a_map_says_and_takes_what_a_notebook_shows(study):
    token_map = ig.token_map(study, "pca", pairs=4)
    assert (token_map.layer, *token_map.pins, *token_map.selection) == (0,)
    token_map.layer, token_map.pins, token_map.selection = 2, [3], np.array([1, 4])
    assert (token_map.widget.layer, token_map.widget.pins) == (2, [3])
    assert token_map.widget.payload == token_map.data.blob
    table = token_map.selection.frame()
    assert sorted(set(table["point"])) == [1, 4]
    assert set(table["text"]) == set(token_map.selection.texts)
    assert len(table) == 4 * len(token_map.selection)
    token_map.widget.pins = [5]  # as the browser does
    assert list(token_map.pins) == [5]
    with pytest.raises(IsoglossError, match="no layer 9"):
        token_map.layer = 9
    with pytest.raises(IsoglossError, match="no point 999"):
        token_map.selection = [1, 999]
    assert token_map.layer == 2


def test_without_anywidget_a_map_is_the_page_and_says_what_is_missing(study, monkeypatch):
    shown = []
    monkeypatch.setattr("isogloss.interface.map_result.find_spec", lambda name: None)
    monkeypatch.setattr("IPython.display.display", lambda what, **_: shown.append(what))
    token_map = ig.token_map(study, "pca", pairs=4)
    token_map._ipython_display_()
    (page,) = shown
    assert "iframe" in page["text/html"]
    with pytest.raises(IsoglossError, match="pip install"):
        token_map.layer = 1


def test_the_map_is_a_page_a_picture_a_film_and_a_table(study, tmp_path):
    token_map = ig.token_map(study, "pca", pairs=4)
    page = token_map.to_html(tmp_path / "map.html", layer=2).read_text(encoding="utf-8")
    assert page == token_map.html(2)
    assert "&lt;!doctype html&gt;" in token_map._repr_html_()
    figure = token_map.figure(layer=3)
    points = [trace for trace in figure.data if trace.mode == "markers"]
    assert sum(len(trace.x) for trace in points) == len(token_map.data.texts)
    np.testing.assert_allclose(points[0].x[0], token_map.data.positions[3][0, 0])
    table = token_map.frame()
    assert len(table) == 4 * len(token_map.data.texts)
    film = token_map.film(
        tmp_path / "map.gif", size=(640, 360), seconds_per_layer=0.2, frames_per_second=5
    )
    assert film.read_bytes().startswith(b"GIF89a")
    with pytest.raises(IsoglossError, match="0 to 3"):
        token_map.figure(layer=4)
    with pytest.raises(IsoglossError, match="gif or mp4"):
        token_map.film(tmp_path / "map.avi")
    sheet = token_map.contact_sheet(tmp_path / "all.pdf")
    assert "Layer 3" in PdfReader(sheet).pages[0].extract_text()


def test_what_is_not_there_is_told(study):
    with pytest.raises(IsoglossError, match="no study whose key begins with 'zz'"):
        ig.open_study("zz")
    with pytest.raises(IsoglossError, match="whose key begins with ''"):
        ig.similarity("")
    with pytest.raises(IsoglossError, match="no measure 'nearness'"):
        ig.similarity(study, "nearness")


@pytest.mark.parametrize(
    ("sentences", "says"),
    [
        ({"en": ["", ""], "de": ["a", "b"]}, "no sentence in English"),
        ({"en": ["a"], "eng": ["b"]}, "en and eng are one language"),
        ({"en": ["a"], "EN": ["b"], "de": ["c"]}, "en and EN are one language"),
        ({"en": ["a"], "qq": ["b"]}, "'qq' is no language known here"),
        ({"en": ["a"], "Germn": ["b"]}, "did you mean de"),
        ({"en": ["a", None], "de": ["b", "c"]}, "Row 2 of en is None"),
        ({"en": ["a"]}, "Two languages are needed"),
    ],
)
def test_sentences_that_are_no_text_get_a_sentence(sentences, says):
    with pytest.raises(TextError, match=says):
        ig.read_text(sentences)


def test_languages_may_be_named_as_files_name_them():
    assert ig.read_text({"english": ["a"], "deu": ["b"]}).languages == ("en", "de")
    assert ig.read_text({"pt-BR": ["a"], "pt-PT": ["b"]}).languages == ("pt-BR", "pt-PT")
    assert ig.read_text({"en": ["a"], "x-mine": ["b"]}).languages == ("en", "x-mine")
