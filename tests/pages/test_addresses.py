"""What a visitor sets on a page is in its address: whoever opens the link sees the same."""

from collections.abc import Iterator
from dataclasses import MISSING, fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.testing.v1 import AppTest

from components.settings import PAGE_SETTINGS
from components.shared import background
from isogloss.lab.runs.queue import SHIPPED, Runs
from isogloss.measures.projection.layout import ProjectionOptions
from isogloss.options import from_query, options_of, to_query
from isogloss.studies.similarity import LayerComparison
from tests.helpers.settings import declared, values

PAGES = [
    "token_map", "similarity", "best_layer", "emergence", "transfer", "layers_needed", "sentences",
    "adaptation", "two_models", "inner_language",
]  # fmt: skip
KINDS = ("segmented_control", "selectbox", "select_slider", "slider", "toggle", "number_input")
FOLDED = {"best_layer": {"open": "sentences.alignment.language.space.two-models"}}
"""What opens the parts of a page whose widgets are folded away."""
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
        ("emergence", 0, "Begins with"),
        ("emergence", 1, "Begins with"),
        ("inner_language", 2, ""),
        ("inner_language", 0, "Part"),
    ],
)
def test_a_link_reopens_all_that_was_set(open_app, monkeypatch, page, nth, but):
    monkeypatch.setattr(Runs.__init__, "__defaults__", (SHIPPED,))
    app = open_app(page, **FOLDED.get(page, {}))
    first = {name: widget.value for name, widget in widgets(app).items()}
    turn_all(app, nth, but)
    left = {name: widget.value for name, widget in widgets(app).items()}
    assert left != first
    again = open_app(page, **{name: app.query_params[name] for name in app.query_params})
    assert not again.toast
    assert {name: widget.value for name, widget in widgets(again).items()} == left
    assert dict(again.query_params) == dict(app.query_params)


CURSORS = {"study", "run", "layer", "moment", "step"}
"""What is on show and where in it: always in the address, unlike all that is as it was."""
OF_THEIR_OWN = {"coordinates", "beside", "tour", "open"}
"""The sidebar's choice, which several pages share; a study; a text, which tests of tours hold;
which parts are unfolded."""


@pytest.mark.parametrize("page", PAGES)
def test_what_nobody_changed_is_not_in_the_address(open_app, study, monkeypatch, page):
    monkeypatch.setattr(Runs.__init__, "__defaults__", (SHIPPED,))
    assert set(open_app(page).query_params) <= CURSORS


OPENED = {"training": ("emergence", {"moment": "7"})}
"""What is opened by more than its page's name."""


@pytest.mark.parametrize("page", list(PAGE_SETTINGS))
def test_the_table_names_all_that_a_page_writes(open_app, study, monkeypatch, page):
    monkeypatch.setattr(Runs.__init__, "__defaults__", (SHIPPED,))
    known = {
        option.address
        for owner in (*PAGE_SETTINGS[page].questions, *PAGE_SETTINGS[page].views)
        for option in options_of(owner).values()
    } | {option.address for option in PAGE_SETTINGS[page].some}
    name, asked = OPENED.get(page, (page, {}))
    app = open_app(name, **asked, **FOLDED.get(page, {}))
    turn_all(app, 0, "Begins with")
    assert set(app.query_params) - CURSORS - OF_THEIR_OWN <= known


SETTINGS = [(owner, option) for owner, options in declared().items() for option in options]


@pytest.mark.parametrize(
    ("owner", "option"),
    SETTINGS,
    ids=[f"{owner.__name__}.{option.name}" for owner, option in SETTINGS],
)
@given(st.data())
def test_a_setting_that_was_written_is_read_as_it_was(owner, option, data):
    value = data.draw(values(option))
    ((name, text),) = option.written(value).items()
    assert (text == "") == (value == option.default)
    assert option.read({name: text} if text else {}) == value
    assert option.understands(text)


@pytest.mark.parametrize("owner", declared(), ids=lambda owner: owner.__name__)
@given(st.data())
def test_all_settings_together_are_read_as_they_were(owner, data):
    chosen = {
        option.name: data.draw(values(option)) for option in declared()[owner] if not option.digits
    }
    kept = {"study": "ab" * 16, "model": "some", "question": LayerComparison("ab" * 16)}
    given = {
        each.name: kept[each.name]
        for each in fields(owner)
        if each.default is MISSING and each.default_factory is MISSING
    }
    settings = owner(**given, **chosen)
    written = {name: text for name, text in to_query(settings).items() if text}
    assert from_query(owner, written, **given) == settings


@given(st.sampled_from(SETTINGS), st.text(max_size=20) | st.integers(-5, 300).map(str))
def test_nonsense_in_the_address_reads_as_a_value_there_is(setting, text):
    _, option = setting
    found = option.read({option.address: text})
    assert option.offers(found) or found == option.default
    if not option.understands(text):
        assert option.written(found)[option.address] != text


def test_no_page_has_two_settings_of_one_name():
    """Two questions that are asked in the same coordinates have one setting between them."""
    for page, settings in PAGE_SETTINGS.items():
        known = [
            (option.address, option.title)
            for owner in (*settings.questions, *settings.views)
            for option in options_of(owner).values()
        ]
        known += [(option.address, option.title) for option in settings.some]
        assert len(set(known)) == len({address for address, _ in known}), page


def test_a_widget_is_told_its_value_in_every_run():
    """What is in a closed popover is put together when that is opened, some runs later."""

    def draw():
        from components.shared.settings import setting_widget
        from components.transfer.view import TransferView
        from isogloss.options import options_of

        setting_widget(options_of(TransferView)["axis"], "some", buttons=True)

    app = AppTest.from_function(draw)
    app.query_params["axis"] = "share"
    for _ in range(2):
        app.run()
        widget = app.segmented_control(key="some-axis")
        assert (widget.value, list(widget.proto.default)) == ("share", [1])
    widget.set_value("n").run()
    assert list(app.run().segmented_control(key="some-axis").proto.default) == [0]
