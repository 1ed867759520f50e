"""Wherever layers are listed, what a final norm gives is a stop of its own with its own name."""

import pytest

import isogloss as ig
from isogloss.command_line import main
from isogloss.errors import IsoglossError
from isogloss.studies.extraction import extract
from isogloss.studies.study import Study
from tests.unit.studies.test_named_extraction import study_of_before

TOP = "after the final norm"


@pytest.fixture
def study(decoder, bitext, store) -> Study:
    return Study(extract(decoder, bitext, store))


def test_tables_name_it(study):
    for found in (ig.retrieval(study), ig.rogue(study), ig.geometry(study), ig.alignment(study)):
        table = found.frame()
        assert sorted(set(table["layer"])) == [0, 1, 2, 3, 4, 5]
        names = dict(zip(table["layer"], table["state"], strict=True))
        assert [names[layer] for layer in (0, 4, 5)] == ["0", "4", TOP]
    pairs = ig.similarity(study).frame()
    assert list(pairs[["state", "other_state"]].iloc[-1]) == [TOP, TOP]
    assert list(pairs[["state", "other_state"]].iloc[0]) == ["0", "0"]


def test_charts_name_it(study):
    curves = ig.retrieval(study).figure()
    assert list(curves.layout.xaxis.ticktext) == ["0", "1", "2", "3", "4", "norm"]
    line = next(trace for trace in curves.data if trace.hovertext)
    assert TOP in line.hovertext[5]
    assert "layer 4:" in line.hovertext[4]
    heat = ig.similarity(study).figure()
    assert [name.strip("<b>▸ /") for name in heat.layout.yaxis.ticktext] == [*"01234", "norm"]
    points = next(trace for trace in heat.data if trace.hovertext)
    assert points.hovertext[-1].count(TOP) == 2
    assert list(ig.rogue(study).figure().layout.xaxis.ticktext) == [*"01234", "norm"]


def test_map_film_and_files_name_it(study, tmp_path):
    found = ig.token_map(study, "pca")
    assert list(found.data.stops) == ["0", "1", "2", "3", "4", "norm"]
    assert list(found.data.stop_names)[-2:] == ["Layer 4", "After the final norm"]
    assert found.data.stop_names[-1] == "After the final norm"
    assert found.figure(5).layout.title.text.startswith("After the final norm: ")
    assert found.frame()["state"].iloc[-1] == TOP
    assert "final norm" in found.data.provenance["top layer"]
    written = found.to_csv(tmp_path / "map.csv").read_text(encoding="utf-8")
    assert f"\n5,{TOP}," in written
    with pytest.raises(IsoglossError, match=f"has 0 to 5, 5 being {TOP}"):
        found.figure(6)


def test_the_command_line_names_it(study, capsys, monkeypatch):
    monkeypatch.setenv("ISOGLOSS_CACHE", str(study.entry.store.root))
    assert main(["measure", study.key, "--what", "retrieval"]) == 0
    assert TOP in capsys.readouterr().out


def test_an_encoder_has_no_such_stop(encoder, bitext, store):
    study = Study(extract(encoder, bitext, store))
    assert list(ig.retrieval(study).frame()["state"].unique()) == ["0", "1", "2", "3"]
    assert list(ig.retrieval(study).figure().layout.xaxis.ticktext) == ["0", "1", "2", "3"]


def test_a_study_of_before_says_that_its_top_layer_is_the_normed_one(decoder, bitext, store):
    old = study_of_before(decoder, bitext, store)
    assert old.states.title(4) == f"Layer 4, {TOP}"
    assert "stored before 0.4" in old.states.describe()
