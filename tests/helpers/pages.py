"""What a page under test shows."""

from streamlit.testing.v1 import AppTest


def said(app: AppTest) -> str:
    """All that the page says in words, notices of every kind included."""
    parts = (app.title, app.markdown, app.caption, app.info, app.success, app.warning, app.error)
    return "\n".join(element.value for part in parts for element in part)
