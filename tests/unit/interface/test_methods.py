"""What a paper says of a study is what was computed, and every paper that it names is there."""

import re
from importlib import import_module

import pytest

import isogloss as ig
from isogloss.measures.nearest_neighbours import SCORES
from isogloss.measures.projection.methods import PROJECTIONS
from isogloss.measures.similarity.table import SIMILARITY_MEASURES

module = import_module("isogloss.interface.methods")


@pytest.fixture
def study(encoder_directory, bitext, tmp_path, monkeypatch):
    monkeypatch.setenv("ISOGLOSS_CACHE", str(tmp_path / "store"))
    return ig.extract(str(encoder_directory), bitext, device="cpu")


def test_it_names_text_model_hashes_versions_values_and_intervals(study):
    similarity, retrieval = ig.similarity(study, "mexa"), ig.retrieval(study, score="csls")
    found = ig.methods(study, similarity, retrieval)
    record, facts = study.entry.record, study.entry.facts
    for part in (record["corpus"][:16], record["model"][:16], "10 English--Chinese", "ten pairs"):
        assert part in found.text
    for name, version in facts["versions"].items():
        assert f"{name} {version}" in found.text
    best = similarity.best()
    assert f"{best.value:.3f}" in found.text
    assert f"{best.low:.3f} to {best.high:.3f}" in found.text
    assert f"{best.calibrated:.3f} once calibrated" in found.text
    assert "for having picked the best layer" in found.text, "measure prints each layer's own"


def test_what_it_cites_is_what_it_brings(study):
    found = ig.methods(study, ig.similarity(study, "mexa"), ig.retrieval(study, score="csls"))
    cited = {
        key for keys in re.findall(r"\\citep\{([^}]*)\}", found.text) for key in keys.split(",")
    }
    assert cited == set(re.findall(r"^@\w+\{(\w+),", found.bibtex, re.MULTILINE))
    assert {"kargaran2024", "lample2018", "isogloss", "groger2026"} <= cited
    assert "kornblith2019" not in cited, "CKA was not computed"


def test_alone_it_speaks_of_the_best_layers_and_similarity(study):
    found = ig.methods(study)
    assert "hold together" in found.text
    assert "kornblith2019" in found.bibtex


def test_a_map_is_said_with_its_projection_score_and_coordinates(study):
    token_map = ig.token_map(study, "pca", coordinates="raw")
    found = ig.methods(study, token_map)
    assert "PCA of" in found.text
    assert module.plain(token_map.data.provenance["projection"]) in found.text
    assert module.plain(token_map.score.describe(study.states)) in found.text
    assert "timkey2021" not in found.bibtex, "these coordinates are the model's own"
    assert all("maaten" in key or "policar" in key for key in module.PROJECTIONS["tsne"])


def test_best_layers_name_their_coordinates(study):
    found = {
        name: ig.methods(study, ig.best_layer(study, coordinates=name)).text
        for name in ("standardised", "raw")
    }
    assert r"Coordinates: standardised \citep{timkey2021}" in found["standardised"]
    assert "timkey2021" not in found["raw"]


def test_every_measure_model_and_projection_has_its_papers():
    assert set(module.MEASURES) == set(SIMILARITY_MEASURES)
    assert set(module.PROJECTIONS) == set(PROJECTIONS)
    assert set(module.RETRIEVAL) <= set(SCORES)
    keys = {
        key
        for table in (module.MEASURES, module.RETRIEVAL, module.MODELS, module.PROJECTIONS)
        for t in table.values()
        for key in t
    }
    for entry in module.entries(sorted(keys)):
        assert entry.count("{") == entry.count("}")
        assert "title = " in entry
        assert "year = " in entry


def test_names_that_latex_would_read_are_plain():
    assert module.plain(r"a_b & 5% {x} \y ~^#$") == (
        r"a\_b \& 5\% \{x\} \textbackslash{}y \textasciitilde{}\textasciicircum{}\#\$"
    )
