"""Your text by its name: licence before it is fetched, origin beside what was understood."""

import pytest
from huggingface_hub import constants

from isogloss.text.reading import LIMITS
from tests.helpers.hub import EN
from tests.helpers.pages import labelled, said


@pytest.fixture
def by_name(open_app, data_hub):
    """The form for a text by its name."""
    app = open_app("your_text")
    app.segmented_control[0].set_value("By name").run()
    assert not app.exception
    return app


def data_set(app):
    return labelled(app.selectbox, "Data set")


def fetch(app):
    labelled(app.button, "Fetch").click().run()
    assert not app.exception
    return app


def test_licence_paper_and_limits_are_said_before_anything_is_fetched(by_name, data_hub):
    assert "Licence CC BY-SA 4.0; cite Federmann, Kocmi and Xin 2022" in said(by_name)
    assert f"{LIMITS.pairs:,} rows" in by_name.multiselect[0].help
    data_set(by_name).set_value("flores").run()
    assert "is where its terms have to be accepted first" in said(by_name)
    assert not data_hub.asked
    assert not by_name.metric


def test_a_text_is_fetched_shown_with_its_origin_and_stays(by_name, data_hub):
    by_name.multiselect[0].set_value(["en", "zh", "de"]).run()
    app = fetch(by_name)
    assert [metric.value for metric in app.metric] == ["3", "3", "0"]
    assert app.dataframe[0].value.iloc[:, 0].tolist() == EN
    commit = data_hub.commit("mteb/NTREXBitextMining", "main")
    assert f"mteb/NTREXBitextMining at {commit[:12]}; licence CC BY-SA 4.0" in said(app)
    assert "Read as Parquet" in said(app)
    assert any(button.label == "Read the text" for button in app.button)
    app.switch_page("pages/studies.py").run()
    app.switch_page("pages/your_text.py").run()
    assert app.metric[0].value == "3"
    # What is chosen next is not taken for what was fetched.
    app.multiselect[0].set_value(["en", "de"]).run()
    assert not app.metric


def test_any_other_data_set_is_named_by_its_id(by_name):
    data_set(by_name).set_value("another").run()
    by_name.text_input[0].set_value("mteb/NTREXBitextMining/test:deu_Latn=de,eng_Latn=en#2").run()
    assert fetch(by_name).metric[0].value == "2"
    by_name.text_input[0].set_value("/etc/passwd").run()
    assert "write" in fetch(by_name).error[0].value


def test_a_language_that_is_not_there_and_no_network_are_each_a_sentence(by_name, monkeypatch):
    by_name.multiselect[0].set_value(["en", "sw"]).run()
    assert "NTREX-128 has no column for sw" in fetch(by_name).error[0].value
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    data_set(by_name).set_value("tatoeba").run()
    assert "hub cannot be reached" in fetch(by_name).error[0].value
