"""Whatever the address says, there is a page."""

import re

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from components.shared import query
from isogloss.lab.runs.queue import SHIPPED, Runs
from tests.helpers.settings import declared
from tests.pages.conftest import ROOT

PAGES = sorted(path.stem for path in (ROOT / "pages").glob("*.py"))
READ = re.compile(r'(?:query\.\w+|query_params\.get)\(\s*"(\w+)"|_QUERY = "(\w+)"')
NAMES = sorted(
    {option.address for options in declared().values() for option in options}
    | {
        name
        for path in (ROOT / "components").rglob("*.py")
        for names in READ.findall(path.read_text(encoding="utf-8"))
        for name in names
        if name
    }
)
"""Every name that a page reads from its address."""

NASTY = ["²", "٣", "９", "1" * 5_000, "-1", "1e3", "", " ", "\x00", "1.²", "**", "mini-en-zh"]
VALUES = st.one_of(st.sampled_from(NASTY), st.integers(0, 10).map(str), st.text(max_size=20))


@settings(max_examples=2, suppress_health_check=list(HealthCheck))
@example(dict.fromkeys(NAMES, "²") | {"study": ""})
@given(st.fixed_dictionaries({}, optional=dict.fromkeys(NAMES, VALUES)))
def test_any_query_gives_a_page(open_app, study, monkeypatch, asked):
    monkeypatch.setattr(Runs.__init__, "__defaults__", (SHIPPED,))
    for page in PAGES:
        assert open_app(page, **asked).title, page


@given(VALUES, st.integers(0, 50))
def test_a_number_in_the_address_is_one_there_is(text, count):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(query.st, "session_state", {})
        patch.setattr(query.st, "query_params", {"one": text})
        assert 0 <= query.number("one", count, count) <= count
        if text in map(str, range(count)):
            assert query.number("one", count, 0) == int(text)
            assert query._SENTENCES not in query.st.session_state


def test_the_names_are_found():
    assert {"study", "run", "layer", "pins", "sentence", "block", "objective"} <= set(NAMES)
