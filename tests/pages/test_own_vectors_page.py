"""States computed elsewhere: their form on Your text, and every page on their study."""

import json

import numpy as np
import pytest

from isogloss.studies.own_vectors.study import import_vectors
from isogloss.studies.retrieval import SentenceRetrieval
from isogloss.studies.similarity import LayerComparison
from isogloss.studies.study import Study
from isogloss.studies.word_alignment import AlignmentQuality
from tests.helpers.pages import labelled

PAGES = ("token_map", "similarity", "best_layer")


@pytest.fixture
def files(study, tmp_path):
    """The states and tokens of the small study, as another program would write them."""
    tokens = study.tokens
    columns = {
        name: getattr(tokens, name).tolist() for name in ("sentence", "side", "start", "end")
    }
    columns["text"] = tokens.text.tolist()
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    layers = {f"layer.{i}": np.array(study.entry.layer(i)) for i in range(study.n_states)}
    np.savez(tmp_path / "states.npz", **layers)
    (tmp_path / "tokens.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return tmp_path / "states.npz", tmp_path / "tokens.jsonl"


def arrays(answer):
    """The numbers of an answer, whatever it is."""
    answer = getattr(answer, "similarity", answer)
    found = [value for value in vars(answer).values() if isinstance(value, np.ndarray)]
    assert found
    return found


def bring_text(app, bitext):
    text = "\n".join(map("\t".join, zip(bitext.source, bitext.target, strict=True)))
    app.segmented_control[0].set_value("Paste").run()
    app.text_area[0].set_value(text).run()
    app.segmented_control[1].set_value("I have its vectors").run()


def submit(app, files, name):
    for uploader, file in zip(app.file_uploader, files, strict=True):
        uploader.set_value((file.name, file.read_bytes(), "application/octet-stream"))
    app.text_input[-1].set_value(name)
    labelled(app.button, "Make the study").click().run()


def test_two_files_become_a_study_that_opens_on_the_map(open_app, app_store, bitext, files):
    app = open_app("your_text")
    bring_text(app, bitext)
    submit(app, files, "my model")
    assert not app.exception
    assert not app.error
    assert app.sidebar.selectbox[0].value == next(
        entry.key for entry in app_store.entries() if entry.facts["model"] == "my model"
    )
    assert any("vectors from elsewhere of 3 layers" in each.value for each in app.sidebar.caption)


def test_what_does_not_fit_is_said_on_the_page(open_app, bitext, files):
    app = open_app("your_text")
    bring_text(app, bitext.select(range(3)))
    submit(app, files, "my model")
    assert "the token table is of another text" in app.error[0].value
    submit(app, files, "")
    assert "Vectors need a name" in app.error[0].value


def test_every_page_shows_it_with_the_numbers_of_the_same_states(
    open_app, app_store, bitext, study, files
):
    mine = Study(import_vectors(*files, bitext, "my model", app_store))
    for question in (SentenceRetrieval, AlignmentQuality, LayerComparison):
        ours, theirs = (question(each.key).answer(app_store) for each in (mine, study))
        for found, expected in zip(arrays(ours), arrays(theirs), strict=True):
            np.testing.assert_array_equal(found, expected)
    for page in PAGES:
        app = open_app(page, study=mine.key[:12])
        assert not app.exception, page
        assert not app.error, page
        assert app.sidebar.selectbox[0].value == mine.key


def test_vectors_have_no_random_model_to_compare_with(open_app, app_store, bitext, study, files):
    mine = Study(import_vectors(*files, bitext, "my model", app_store))
    for each, offered in ((study, True), (mine, False)):
        labels = [button.label for button in open_app(study=each.key[:12]).button]
        assert ("Compare with a random model" in labels) == offered, each.kind
