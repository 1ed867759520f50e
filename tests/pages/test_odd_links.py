"""What a link asks for and cannot be: one sentence says so, and the address is put right."""

import pytest

from components.shared import query
from isogloss.lab.runs.queue import SHIPPED, Runs
from tests.helpers.pages import as_read

pytestmark = pytest.mark.usefixtures("study", "patience")
LAYERS = 3
"""Blocks of the small encoder that reads the study."""


def toasts(app) -> list[str]:
    return [as_read(toast.value) for toast in app.toast]


@pytest.mark.parametrize("page", ["token_map", "similarity", "best_layer"])
@pytest.mark.parametrize(("asked", "shown"), [("99", LAYERS), ("-4", 0), ("two", 2)])
def test_a_layer_that_the_model_does_not_have(open_app, page, asked, shown):
    app = open_app(page, layer=asked)
    assert toasts(app) == [
        f"The link asks for layer={asked}, which is not there: this page shows {shown}."
    ]
    assert app.query_params["layer"] == str(shown)
    app.run()
    assert not toasts(app)


@pytest.mark.parametrize(
    ("page", "asked", "instead"),
    [
        ("similarity", {"view": "everything"}, "this page shows Two languages"),
        ("similarity", {"colors": "maybe"}, "this page shows off"),
        ("similarity", {"pair": "en-sw"}, "this page shows en-zh"),
        ("best_layer", {"open": "language.attic"}, "this page shows Which language a layer reads"),
        ("best_layer", {"coordinates": "polar"}, "this page shows standardised"),
        ("token_map", {"beside": "nobody"}, "it is left out"),
        ("token_map", {"curves": "0.x"}, "this page shows 0"),
        ("inner_language", {"part": "ocean"}, "this page shows River"),
    ],
)
def test_a_choice_that_there_is_not(open_app, page, asked, instead):
    app = open_app(page, **asked)
    ((name, value),) = asked.items()
    assert toasts(app) == [f"The link asks for {name}={value}, which is not there: {instead}."]
    assert app.query_params.get(name) != value


@pytest.mark.parametrize("page", ["token_map", "similarity", "best_layer", "inner_language"])
def test_a_name_that_no_page_gives_to_anything(open_app, page):
    app = open_app(page, flavour="*sweet*")
    assert toasts(app) == [
        "The link asks for flavour=*sweet*, which this page does not know: it is left out."
    ]
    assert "flavour" not in app.query_params


@pytest.mark.parametrize(
    ("page", "asked", "instead"),
    [
        ("emergence", {"layer": "99"}, "this page shows 4"),
        ("emergence", {"step": "late"}, "it is left out"),
        ("emergence", {"moment": "99"}, "this page shows 7"),
        ("adaptation", {"step": "1"}, "this page shows 180"),
        ("two_models", {"layer": "x"}, "this page shows 2"),
        ("transfer", {"axis": "time"}, "this page shows N"),
    ],
)
def test_pages_of_runs_say_it_in_the_same_way(open_app, monkeypatch, page, asked, instead):
    monkeypatch.setattr(Runs.__init__, "__defaults__", (SHIPPED,))
    app = open_app(page, **asked)
    ((name, value),) = asked.items()
    assert toasts(app) == [f"The link asks for {name}={value}, which is not there: {instead}."]


def test_what_a_page_wrote_itself_is_no_link(monkeypatch):
    """A setting may be gone when the study changes, and nobody asked for it by a link."""
    session: dict[str, dict[str, str]] = {}
    address = {"layer": "7"}
    monkeypatch.setattr(query.st, "session_state", session)
    monkeypatch.setattr(query.st, "query_params", address)
    assert query.number("layer", 9, 0) == 7
    assert query.number("layer", 3, 0) == 3
    assert query._SENTENCES not in session
    address["layer"] = "8"
    assert query.number("layer", 3, 0) == 3
    assert list(session[query._SENTENCES]) == [
        "The link asks for layer=8, which is not there: this page shows 3."
    ]
