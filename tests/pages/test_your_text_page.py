"""Your text: what was understood, what is wrong, and a study from one button."""

import re
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from components.your_text.extraction import _size_of_states
from isogloss.bundled import BUNDLED_MODEL
from isogloss.formatting import human_size
from isogloss.models.packaged import e5 as packaged_e5
from isogloss.studies.extraction import ExtractionOptions, bytes_of_states, extract
from isogloss.studies.study import Study, list_studies
from isogloss.text.language_names import language_name
from isogloss.text.parallel import ParallelText
from tests.helpers.pages import labelled, said
from tests.helpers.waiting import wait_until


def paste(app, text):
    app.segmented_control[0].set_value("Paste").run()
    app.text_area[0].set_value(text).run()
    return app


def chosen_model(app):
    return labelled(app.selectbox, "Model")


def choose(app, model):
    chosen_model(app).set_value(model).run()
    return app


def is_folded_away(app, element):
    """Whether an element stands in a section that is closed."""
    closed = [section for section in app.expander if not section.proto.expanded]
    return any(
        element.key == each.key
        for section in closed
        for each in (*section.selectbox, *section.toggle)
    )


def leave_and_return(app):
    app.switch_page("pages/studies.py").run()
    return app.switch_page("pages/your_text.py").run()


def test_limits_are_stated_before_anything_is_given(open_app):
    app = open_app("your_text")
    assert not app.exception
    assert "100,000 pairs" in app.get("file_uploader")[0].label


def test_pasted_pairs_are_understood(open_app):
    app = paste(open_app("your_text"), "Good morning!\t早上好！\nGreen tea.\t绿茶。")
    assert not app.exception
    assert app.metric[0].value == "2"
    assert "guessed from the script" in said(app)
    assert "known once it is loaded" in said(app)
    assert re.search(r"Each takes \d+\.\d kB of states on the disk", said(app))
    chosen = said(choose(app, "mini-en-zh"))
    assert "Tokens it will see" in chosen
    assert re.search(r"Their states take about \d+\.\d kB on the disk", chosen)


@pytest.mark.parametrize(
    ("kind", "states", "width"), [("encoder", 4, 32), ("decoder", 6, 32), ("gemma", 20, 640)]
)
def test_a_final_norm_counts_among_what_is_stored(app_store, request, kind, states, width):
    """A state more than embeddings and blocks, where a model has one."""
    name = "gemma-3-270m" if kind == "gemma" else str(request.getfixturevalue(f"{kind}_directory"))
    stored = bytes_of_states(states, 1_000_000, width)
    assert f"about {human_size(stored)} on the disk" in _size_of_states(name, 1_000_000)


def test_the_first_model_is_the_packaged_one_and_its_weights_are_said_to_be_rounded(open_app):
    app = paste(open_app("your_text"), "nl\ten\nGoedemorgen!\tGood morning!")
    assert chosen_model(app).value == "multilingual-e5-small"
    assert "100 languages; weights rounded to 4 bits; MIT" in said(app)
    assert "NLI among them" in said(app)
    app.toggle[-1].set_value(True).run()
    assert "rounded" not in said(app)
    assert "NLI among them" not in said(app)


def test_rounded_weights_of_the_study_on_show_are_said(open_app, app_store, encoder, bitext):
    files = replace(encoder.files, name="multilingual-e5-small")
    extract(replace(encoder, files=files), bitext, app_store)
    app = open_app("your_text")
    assert app.sidebar.selectbox[0].options == ["multilingual-e5-small · ten pairs en–zh"]
    assert any("width 32, 4-bit weights" in caption.value for caption in app.sidebar.caption)


def test_a_machine_that_the_package_is_not_built_for_is_told(open_app, monkeypatch):
    monkeypatch.setattr(packaged_e5, "is_packaged_here", lambda: False)
    app = paste(open_app("your_text"), "Good morning!\t早上好！")
    assert "no package of its 4-bit weights for this machine" in said(app)
    assert "493 MB download" in said(app)
    assert "rounded" not in said(app)


def test_a_language_that_a_model_was_not_trained_on_is_said(open_app):
    app = paste(open_app("your_text"), "en\tnl\nGood morning!\tGoedemorgen!")
    assert not app.warning
    warned = [warning.value for warning in choose(app, "mini-en-zh").warning]
    assert any("mini-en-zh was not trained on Dutch" in warning for warning in warned)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("only one side", "pasted text"),
        ("a\tb\tc\nd\te", "line 2"),
        ("Yes.\t\nNo.\t不。", "line 1"),
        ("a\x00b\t甲", "NUL"),
        ("x" * 10_001 + "\t甲", "10,000"),
        ("<script>alert(1)</script>", "pasted text"),
    ],
)
def test_bad_text_gets_a_sentence(open_app, text, problem):
    app = paste(open_app("your_text"), text)
    assert not app.exception
    assert problem in app.error[0].value
    assert not app.button or all(b.label != "Read the text" for b in app.button)


def test_markup_emoji_and_direction_marks_stay_text(open_app):
    source = "<img src=x onerror=alert(1)> \u202eabc 🙂"
    app = paste(open_app("your_text"), f"{source}\t<b>好的时候</b>，今天天气很好 \u200f")
    assert not app.exception
    assert app.metric[0].value == "1"
    assert "<img" in str(app.dataframe[0].value.iloc[0, 0])


def test_what_was_brought_stays_while_another_page_is_open(open_app):
    app = open_app("your_text")
    app.get("file_uploader")[0].upload("mine.en-nl.tsv", b"Yes.\tJa.\nNo.\tNee.\n", "text/plain")
    app.run()
    assert app.metric[0].value == "2"
    app = leave_and_return(app)
    assert not app.exception
    assert app.metric[0].value == "2"
    assert any("mine.en" in text.value for text in app.markdown)
    labelled(app.button, "Remove").click().run()
    assert not app.metric
    paste(app, "Good morning!\t早上好！")
    app = leave_and_return(app)
    assert app.text_area[0].value == "Good morning!\t早上好！"
    assert app.metric[0].value == "1"


def test_a_text_that_does_not_tell_its_languages_can_be_helped_at_once(open_app):
    app = paste(open_app("your_text"), "Good morning!\tGoedemorgen!")
    assert "does not tell which two languages" in app.error[0].value
    for label, code in (("First language", "en"), ("Second language", "nl")):
        box = labelled(app.selectbox, label)
        assert not is_folded_away(app, box)
        box.set_value(code).run()
    assert not app.error
    assert app.metric[2].label.startswith("Dutch")


def test_what_mends_a_problem_stands_open(open_app):
    def leave_out(app):
        return next(each for each in app.toggle if each.label.startswith("Leave bad rows out"))

    app = paste(open_app("your_text"), "en\tzh\nYes.\t是。")
    assert is_folded_away(app, leave_out(app))
    app.text_area[0].set_value("Yes.\t\nNo.\t不。").run()
    assert not is_folded_away(app, leave_out(app))
    leave_out(app).set_value(True).run()
    assert not app.error
    assert app.metric[0].value == "1"


@pytest.mark.skipif(not (BUNDLED_MODEL / "config.json").exists(), reason="no bundled model")
def test_one_button_makes_a_study(open_app, app_store):
    app = open_app("your_text")
    app.segmented_control[0].set_value("Paste").run()
    labelled(app.button, "Use the example").click().run()
    choose(app, "mini-en-zh")
    labelled(app.button, "Read the text").click().run()
    assert app.metric[0].value == "3", "the text is still there"
    wait_until(lambda: app.run().success)
    assert "ready" in app.success[0].value
    assert [entry.description for entry in app_store.entries()] == ["mini-en-zh × pasted text"]


def asking():
    from components.your_text import text_input

    text_input._ask_back("first-language")


@pytest.mark.parametrize(
    ("given", "meant"),
    [("Englsh", "en"), ("Spansih", "es"), ("english", ""), ("zh", ""), ("Quenya", "?")],
)
def test_a_language_that_is_not_in_the_list_is_asked_back(given, meant):
    app = AppTest.from_function(asking)
    app.session_state["kept-first-language"] = given
    app.run()
    assert bool(app.warning) == bool(meant)
    assert bool(app.button) == (meant not in ("", "?"))
    if app.button:
        assert f"did you mean {language_name(meant)}?" in app.warning[0].value
        app.button[0].click().run()
        assert not app.exception
        assert app.session_state["kept-first-language"] == meant
        assert not app.warning


def test_a_model_that_read_this_text_already_is_one_button_away(
    open_app, encoder, bitext, app_store
):
    plain = replace(bitext, gold=None, words=None)
    made = Study(extract(encoder, plain, app_store))
    pairs = zip(plain.source, plain.target, strict=True)
    app = paste(open_app("your_text"), "\n".join(map("\t".join, pairs)))
    app.button(key=f"read-by-{made.key}").click().run()
    assert not app.exception
    assert app.session_state["choice"].study == made.key
    assert app.title[0].value == "Where do translations meet?"


def test_of_many_languages_it_opens_the_page_of_many(open_app, encoder, app_store):
    lines = [("en", "zh", "de"), ("A red cat.", "一只红猫。", "Eine rote Katze.")]
    lines += [("Two trees.", "两棵树。", "Zwei Bäume."), ("The sea.", "大海。", "Das Meer.")]
    app = paste(open_app("your_text"), "\n".join(map("\t".join, lines)))
    text = ParallelText.of_sides("pasted", lines[0], tuple(zip(*lines[1:], strict=True)))
    made = Study(extract(encoder, text, app_store, ExtractionOptions(keep="means")))
    app.run()
    app.button(key=f"read-by-{made.key}").click().run()
    assert not app.exception
    assert app.title[0].value == "By meaning or by language?"
    assert app.session_state["languages-choice"].study == made.entry.key


def test_a_text_in_three_languages_leads_to_the_page_of_many(open_app, app_store, patience):
    lines = [("en", "zh", "de"), ("A red cat.", "一只红猫。", "Eine rote Katze.")]
    lines += [("Two trees.", "两棵树。", "Zwei Bäume."), ("The sea.", "大海。", "Das Meer.")]
    app = paste(open_app("your_text"), "\n".join(map("\t".join, lines)))
    choose(app, "mini-en-zh")
    next(b for b in app.button if b.label == "Read the text").click().run()
    wait_until(lambda: app.run().success)
    next(b for b in app.button if b.label == "See all languages").click().run()
    assert not app.exception
    assert app.title[0].value == "By meaning or by language?"
    (made,) = list_studies(app_store)
    assert next(box for box in app.selectbox if box.label == "Study").value == made.entry.key
    assert any("3 languages, 3 rows" in caption.value for caption in app.sidebar.caption)
