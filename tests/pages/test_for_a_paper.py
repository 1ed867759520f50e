"""Where results are shown, a button has the paragraph and the BibTeX that a paper needs of them."""

import pytest

import isogloss as ig


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
