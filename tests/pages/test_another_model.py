"""Another model for the text on show; the form itself is a dialog, which browser tests fill in."""

from isogloss.studies.extraction import extract
from isogloss.studies.study import Study
from tests.helpers.pages import labelled


def chosen(app):
    return labelled(app.sidebar.selectbox, "Study").value


def test_what_was_asked_for_becomes_the_choice_once_it_is_there(
    open_app, study, decoder, bitext, app_store
):
    app = open_app("your_text")
    assert chosen(app) == study.key
    asked = (decoder.name, bitext.content_hash)
    other = Study(extract(decoder, bitext, app_store))
    app.session_state["awaited-study"] = asked
    app.run()
    assert not app.exception
    assert (other.model, chosen(app)) == (decoder.name, other.key)
    assert "awaited-study" not in app.session_state
    picker = labelled(app.sidebar.selectbox, "Study")
    picker.set_value(study.key).run()
    assert chosen(app) == study.key, "it is chosen once, and then the user chooses"


def test_the_dialog_says_when_that_model_has_read_the_text(open_app, study):
    app = open_app("your_text")
    app.session_state["another-model-name"] = "Another model …"
    app.session_state["another-model-hub"] = study.model
    labelled(app.button, "Add another model").click().run()
    assert not app.exception
    assert any("has read this text" in info.value for info in app.info)


def test_a_server_that_only_shows_offers_no_other_model(open_app, study, monkeypatch):
    monkeypatch.setenv("ISOGLOSS_READ_ONLY", "1")
    app = open_app("your_text")
    assert not app.exception
    assert all(button.label != "Add another model" for button in app.button)
