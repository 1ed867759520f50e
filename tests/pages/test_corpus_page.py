"""Your text: what was understood, what is wrong, and a study from one button."""

import time

import pytest

from isogloss.bundled import BUNDLED_MODEL


def paste(app, text):
    app.segmented_control[0].set_value("Paste").run()
    app.text_area[0].set_value(text).run()
    return app


def said(app):
    return " ".join(element.value for element in (*app.error, *app.caption, *app.warning))


def test_limits_are_stated_before_anything_is_given(open_app):
    app = open_app("corpus")
    assert not app.exception
    assert "100,000 pairs" in app.get("file_uploader")[0].label


def test_pasted_pairs_are_understood(open_app):
    app = paste(open_app("corpus"), "Good morning!\t早上好！\nGreen tea.\t绿茶。")
    assert not app.exception
    assert app.metric[0].value == "2"
    assert "guessed from the script" in said(app)
    assert "Tokens it will see" in said(app)


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
    app = paste(open_app("corpus"), text)
    assert not app.exception
    assert problem in app.error[0].value
    assert not app.button or all(b.label != "Extract activations" for b in app.button)


def test_markup_emoji_and_direction_marks_stay_text(open_app):
    source = "<img src=x onerror=alert(1)> \u202eabc 🙂"
    app = paste(open_app("corpus"), f"{source}\t<b>好的时候</b>，今天天气很好 \u200f")
    assert not app.exception
    assert app.metric[0].value == "1"
    assert "<img" in str(app.dataframe[0].value.iloc[0, 0])


@pytest.mark.skipif(not (BUNDLED_MODEL / "config.json").exists(), reason="no bundled model")
def test_one_button_makes_a_study(open_app, app_store):
    app = paste(open_app("corpus"), "Good morning!\t早上好！\nGreen tea.\t绿茶。")
    next(b for b in app.button if b.label == "Extract activations").click().run()
    for _ in range(120):
        if app.success:
            break
        time.sleep(0.5)
        app.run()
    assert "ready" in app.success[0].value
    assert [entry.description for entry in app_store.entries()] == ["mini-en-zh × pasted text"]
