"""What a visitor sets on a page is in its address: whoever opens the link sees the same."""

import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from importlib import import_module

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.testing.v1 import AppTest

from components.shared import background, query
from isogloss.lab.runs.queue import SHIPPED, Runs
from isogloss.measures.projection.layout import ProjectionOptions
from tests.pages.conftest import ROOT

PAGES = [
    "token_map", "similarity", "retrieval", "training", "transfer", "layers_needed", "sentences",
    "adaptation", "two_models",
]  # fmt: skip
KINDS = ("segmented_control", "selectbox", "select_slider", "slider", "toggle", "number_input")
NOT_OF_THE_VIEW = {"Run", "Study"}
"""What is on show, and not how; tests of the panel of runs and of the map choose these."""


def widgets(app: AppTest) -> dict[str, object]:
    """What can be set on a page, by what it is called there."""
    return {
        widget.label: widget
        for kind in KINDS
        for widget in app.get(kind)
        if widget.label not in NOT_OF_THE_VIEW and not widget.disabled
    }


def others(widget) -> Iterator[WidgetState | int | bool]:
    """What a widget can be set to beside what it says, the last first."""
    if widget.type in ("slider", "number_input"):
        yield from (each for each in (int(widget.max), int(widget.min)) if each != widget.value)
    elif widget.type == "toggle":
        yield not widget.value
    else:
        there = widget._widget_state
        now = list(there.string_array_value.data) or [there.string_value]
        for option in reversed(widget.options):
            if [option] != now:
                state = WidgetState(id=widget.id)
                if widget.type == "selectbox":
                    state.string_value = option
                else:
                    state.string_array_value.data[:] = [option]
                yield state


def turn(app: AppTest, name: str, nth: int) -> None:
    """Set a widget as a browser would, by the text of its option, to the nth other value."""
    widget = widgets(app)[name]
    known = list(others(widget))
    if known:
        wanted = known[nth % len(known)]
        if isinstance(wanted, WidgetState):
            chosen = {"_widget_state": property(lambda _: wanted)}
            widget.__class__ = type("Chosen", (type(widget),), chosen)
        else:
            widget.set_value(wanted)
        app.run()
        assert not app.exception, (name, app.exception)


def turn_all(app: AppTest, nth: int, but: str = "") -> None:
    """Set everything on a page to something else, what appears on the way, too."""
    done = {but}
    while left := [name for name in widgets(app) if name not in done]:
        done.add(left[0])
        turn(app, left[0], nth)


@pytest.fixture
def drawn_plainly(monkeypatch):
    """Whatever the map's settings ask for, it is drawn by the projection that takes no time."""
    make, plain = background.map_of, ProjectionOptions("pca")
    monkeypatch.setattr(
        background, "map_of", lambda study, options: make(study, replace(options, projection=plain))
    )


@pytest.mark.usefixtures("study", "patience", "drawn_plainly")
@pytest.mark.parametrize(
    ("page", "nth", "but"),
    [
        *((page, nth, "") for page in PAGES for nth in (0, 1)),
        ("token_map", 0, "Projection"),
        ("similarity", 0, "Compare"),
        ("training", 0, "The map goes through"),
    ],
)
def test_a_link_reopens_all_that_was_set(open_app, monkeypatch, page, nth, but):
    monkeypatch.setattr(Runs.__init__, "__defaults__", (SHIPPED,))
    app = open_app(page)
    first = {name: widget.value for name, widget in widgets(app).items()}
    turn_all(app, nth, but)
    left = {name: widget.value for name, widget in widgets(app).items()}
    assert left != first
    again = open_app(page, **{name: app.query_params[name] for name in app.query_params})
    assert {name: widget.value for name, widget in widgets(again).items()} == left
    assert dict(again.query_params) == dict(app.query_params)


CURSORS = {"study", "run", "layer", "moment", "step"}
"""What is on show and where in it: always in the address, unlike all that is as it was."""


@pytest.mark.parametrize("page", PAGES)
def test_what_nobody_changed_is_not_in_the_address(open_app, study, monkeypatch, page):
    monkeypatch.setattr(Runs.__init__, "__defaults__", (SHIPPED,))
    assert set(open_app(page).query_params) <= CURSORS


@cache
def declared() -> dict[str, query.Choice[str] | query.Number]:
    """Every setting of a page that a module declares."""
    for path in (ROOT / "components").rglob("*.py"):
        import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))
    return {
        f"{module.__name__}.{name}": value
        for module in list(sys.modules.values())
        if (getattr(module, "__name__", "") or "").startswith("components.")
        for name, value in list(vars(module).items())
        if isinstance(value, query.Choice | query.Number)
    }


@given(st.data())
def test_a_setting_that_was_written_is_read_as_it_was(data):
    where = data.draw(st.sampled_from(sorted(declared())))
    setting = declared()[where]
    values = (
        st.sampled_from(list(setting.options))
        if isinstance(setting, query.Choice)
        else st.integers(setting.lowest, setting.highest)
    )
    value = data.draw(values)
    ((name, text),) = setting.written(value).items()
    assert (text == "") == (value == setting.default), where
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(query.st, "query_params", {name: text} if text else {})
        assert setting.read() == value, where


@given(st.text(max_size=20) | st.integers(-5, 300).map(str))
def test_nonsense_in_the_address_reads_as_a_value_there_is(text):
    for where, setting in declared().items():
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(query.st, "query_params", {setting.name: text})
            found = setting.read()
        if isinstance(setting, query.Choice):
            assert found in setting.options, where
        else:
            assert setting.lowest <= found <= setting.highest, where


def test_settings_are_found():
    assert {setting.name for setting in declared().values()} >= {
        "method", "points", "links", "seed", "metric", "score", "view", "axis", "walk", "color",
        "perplexity", "neighbours", "aligner", "against", "direction", "agree",
    }  # fmt: skip
