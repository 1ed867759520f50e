"""What a page under test shows."""

import re

from streamlit.testing.v1 import AppTest


def said(app: AppTest) -> str:
    """All that the page says in words, notices of every kind included."""
    parts = (app.title, app.markdown, app.caption, app.info, app.success, app.warning, app.error)
    return as_read("\n".join(element.value for part in parts for element in part))


def unfolded(app: AppTest, title: str) -> AppTest:
    """The page with a section open that is made only when somebody opens it."""
    app.session_state[title] = True
    app.run()
    assert not app.exception, app.exception
    return app


def as_read(markdown: str) -> str:
    """Markdown without what keeps text from being read as more than text."""
    return re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", markdown).replace("\u2060", "")
