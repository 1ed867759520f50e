"""What a page under test shows."""

import json
import re
from collections.abc import Iterable
from typing import Any

from streamlit.testing.v1 import AppTest


def said(app: AppTest) -> str:
    """All that the page says in words, notices of every kind included."""
    parts = (app.title, app.markdown, app.caption, app.info, app.success, app.warning, app.error)
    return as_read("\n".join(element.value for part in parts for element in part))


def labelled(widgets: Iterable[Any], label: str) -> Any:
    """The one of these widgets that is called so."""
    (found,) = (each for each in widgets if each.label == label)
    return found


def metrics(app: AppTest) -> dict[str, str]:
    """Every number that stands large, by what stands above it."""
    return {metric.label: metric.value for metric in app.metric}


def figures(app: AppTest, key: str = "") -> list[dict[str, Any]]:
    """The figures on the page as Plotly takes them, or those with a key: Streamlit's ids end so."""
    charts = app.get("plotly_chart")
    return [json.loads(each.proto.spec) for each in charts if each.proto.id.endswith(key)]


def unfolded(app: AppTest, title: str) -> AppTest:
    """The page with a section open that is made only when somebody opens it."""
    app.session_state[title] = True
    app.run()
    assert not app.exception, app.exception
    return app


def as_read(markdown: str) -> str:
    """Markdown without what keeps text from being read as more than text."""
    return re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", markdown).replace("\u2060", "")
