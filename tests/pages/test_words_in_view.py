"""A page says what was found and keeps the rest folded: at most so many words before it is opened.

`tests/helpers/words.py` says what is counted.
"""

import pytest
from streamlit.testing.v1 import AppTest

from isogloss.lab.runs.queue import SHIPPED, Runs
from isogloss.store import Store
from isogloss.store.store import DEMO_ROOTS
from tests.helpers.words import words_in_view
from tests.pages.conftest import ROOT

MOST = 120
PAGES = sorted(path.stem for path in (ROOT / "pages").glob("*.py"))


@pytest.mark.parametrize("page", PAGES)
def test_a_page_opens_with_few_words(open_app, monkeypatch, page):
    monkeypatch.setattr(Runs.__init__, "__defaults__", (SHIPPED,))
    monkeypatch.setattr(Store.__init__, "__kwdefaults__", {"demo": DEMO_ROOTS, "limit_bytes": None})
    words = words_in_view(open_app(page))
    assert words
    assert len(words) <= MOST, " ".join(words)


def everything():
    import streamlit as st

    st.title("One")
    st.html("<style>p { none: 0 }</style><p>two <b>three</b></p>")
    st.caption("12.5 % :material/info: [four](https://nobody.reads.this)", help="a tooltip")
    st.segmented_control("five", ["six", "seven"])
    st.selectbox("hidden", ["eight", "not this"], label_visibility="collapsed")
    with st.popover("nine"):
        st.markdown("not this")
    with st.expander("ten"):
        st.markdown("not this")
    with st.expander("eleven", expanded=True):
        st.metric("twelve", "13", "14 fifteen")
    st.dataframe({"sixteen": ["seventeen", "18"]})
    st.code("nineteen")
    first, second = st.tabs(["twenty", "twenty-one"])
    first.button("twenty-two")
    second.markdown("not this")
    st.sidebar.markdown("not this")


def test_what_is_read_before_anything_is_opened_is_counted_and_nothing_else():
    app = AppTest.from_function(everything).run()
    assert not app.exception
    assert words_in_view(app) == [
        "One", "two", "three", "[four]", "five", "six", "seven", "eight", "nine", "ten", "eleven",
        "twelve", "fifteen", "sixteen", "seventeen", "nineteen", "twenty", "twenty-two",
        "twenty-one",
    ]  # fmt: skip
