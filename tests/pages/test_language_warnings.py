"""A study of a language that its model does not know says so in the sidebar."""

from dataclasses import replace

import pytest

from components.shared.studies import language_warnings
from isogloss.studies.extraction import extract
from isogloss.studies.study import Study


@pytest.fixture
def warned(open_app, encoder, bitext, app_store):
    def open_study(text):
        study = Study(extract(encoder, text, app_store))
        app = open_app(page="best_layer", study=study.key)
        assert not app.exception
        return " ".join(warning.value for warning in app.sidebar.warning)

    return open_study


def test_tokens_that_are_unknown_are_counted(warned, bitext):
    greek = replace(bitext, target=("λόγος και σοφία",) * len(bitext), gold=None, words=None)
    assert "% of the Chinese tokens are unknown" in warned(greek)


def test_a_text_that_is_known_gives_no_warning(warned, bitext):
    assert warned(bitext) == ""


def test_two_sides_that_are_the_same_are_said_to_be(warned, bitext):
    same = replace(bitext, target=bitext.source, gold=None, words=None)
    assert "100\u00a0% of the sentences are the same in both languages" in warned(same)


def test_a_language_that_was_never_learned_is_named(warned, bitext, monkeypatch):
    monkeypatch.setattr(language_warnings, "unknown_languages", lambda model, codes: ("zh",))
    assert "never learned Chinese" in warned(bitext)


def test_sentences_that_the_model_could_not_read_whole_are_said(
    encoder, bitext, app_store, open_app, patience
):
    study = Study(extract(replace(encoder, max_tokens=12), bitext, app_store))
    said = " ".join(each.value for each in open_app("best_layer", study=study.key).sidebar.caption)
    assert "sentences were longer than the model takes, and cut there." in said
