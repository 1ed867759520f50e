"""`best-layer` prints what Python returns: sentences of one study, a table of several."""

import csv
import io
import json

import pytest

import isogloss as ig
from isogloss.command_line import main
from isogloss.errors import IsoglossError
from isogloss.text.reading import load_bundled


@pytest.fixture(autouse=True)
def own_store(tmp_path, monkeypatch):
    monkeypatch.setenv("ISOGLOSS_CACHE", str(tmp_path / "store"))


@pytest.fixture
def key() -> str:
    return next(
        study.key
        for study in ig.list_studies()
        if study.model == "multilingual-e5-small" and "everyday-48" in study.text_title
    )


@pytest.fixture
def dutch(encoder_directory, monkeypatch):
    """A study whose words have no links but the model's own."""
    monkeypatch.setattr("isogloss.studies.links.words.is_packaged_here", lambda: False)
    text = load_bundled("everyday.en-nl").select(range(10))
    return ig.extract(str(encoder_directory), text, device="cpu")


def test_of_one_study_a_sentence_for_each_score(key, capsys):
    assert main(["best-layer", key[:8]]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines == ig.best_layer(key).describe().splitlines()
    assert len(lines) == 4
    assert all(
        "everyday-48" in line and "en–zh" in line and "Best: layer" in line for line in lines
    )
    assert "(537 linked words, links by hand)" in lines[0]


def test_of_several_studies_a_table(key, dutch, capsys):
    assert main(["best-layer", key, dutch.key]) == 0
    head, first, second, *_ = capsys.readouterr().out.splitlines()
    assert head.split("  ")[0] == "model and text"
    assert "7: 16\u00a0% (4 to 6, 8 and 9), links by hand" in first
    assert second.count("not scored") == 2


def test_rows_for_scripts_and_spreadsheets(key, capsys):
    assert main(["best-layer", key, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    found = ig.best_layer(key)
    assert document == {"best": found.rows(), "layers": found.layers()}
    assert len(found.layers()) == 4 * 13
    (best,) = [row for row in found.rows() if row["score"] == "alignment"]
    same = [row for row in found.layers() if row["score"] == "alignment"]
    as_good = [row["layer"] for row in same if row["difference_low"] <= 0]
    assert sorted([*best["as_good"], best["layer"]]) == as_good
    assert main(["best-layer", key, "--csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [row["verdict"] for row in rows] == [row["verdict"] for row in found.rows()]


def test_what_the_page_unfolds_is_printed_where_it_is_asked_for(key, capsys):
    assert main(["best-layer", key, "--pooling", "max", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert {"best", "layers", "retrieval"} == set(document)
    assert document["retrieval"][0]["rows"] == ig.retrieval(key, pooling="max").rows()
    flags = ["--mapping", "type", "--score", "cosine", "--aligner", "match"]
    assert main(["best-layer", key, *flags, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["mapping"][0]["rows"] == ig.mapping(key, "type", score="cosine").rows()
    assert document["alignment"][0]["rows"] == ig.alignment(key, "match").rows()
    assert main(["best-layer", key, *flags]) == 0
    printed = capsys.readouterr().out
    for each in (ig.mapping(key, "type", score="cosine"), ig.alignment(key, "match")):
        assert each.describe() in printed
    other = next(
        study.key
        for study in ig.list_studies()
        if study.key != key and study.text.source == ig.open_study(key).text.source
    )
    assert main(["best-layer", key, "--onto", other, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["mapping"][0]["rows"] == ig.mapping(key, onto=other).rows()
    assert document["mapping"][0]["options"]["other"] == other


def test_the_figure_has_a_strip_for_each_score_that_there_is(key, dutch):
    figure = ig.best_layer(key).figure("alignment")
    named = [trace for trace in figure.data if trace.name]
    assert [trace.name for trace in named] == [
        "Words",
        "Sentences",
        "Similarity",
        "Alignment error",
    ]
    shades = [shape for shape in figure.layout.shapes if shape.type == "rect"]
    tied = sum(
        int(found.differences.tied.sum()) for found in ig.best_layer(key).answers[0].values()
    )
    assert sum(shape.x1 - shape.x0 for shape in shades) == tied
    assert sum(trace.line.dash == "dot" for trace in figure.data) == 4, "chance"
    assert sum(trace.line.width == 1.2 for trace in figure.data) == 8, "and the random model"
    assert sum(bool(trace.name) for trace in ig.best_layer(dutch).figure().data) == 2
    with pytest.raises(IsoglossError, match="one study"):
        ig.best_layer([key, dutch]).figure()


def test_no_study_is_a_sentence():
    with pytest.raises(IsoglossError, match="give one or more"):
        ig.best_layer([])
