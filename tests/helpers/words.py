"""The words a page has in view before anything on it is opened.

A word is what stands between spaces and has a letter in it. Counted is all that is read: text,
notices, metrics, tables, and of widgets their labels, the choices that stand side by side, and the
one chosen from a list. Not counted is the sidebar, what is in closed expanders, popovers and tabs
behind the first, what a tooltip says, and what charts and maps draw.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Block, Element

from components.shared.charts import SAVE

COLLAPSED = 2
"""`label_visibility` of a widget whose label is for screen readers alone."""


def words_in_view(app: AppTest) -> list[str]:
    """Every word of the page, in the order in which it is read."""
    text = "\n".join(_read(app.main))
    return [word for word in text.split() if re.search(r"[^\W\d_]", word)]


def _read(block: Block) -> Iterator[str]:
    for place, child in enumerate(block.children.values()):
        if isinstance(child, Block):
            yield from _of_block(child, place)
        else:
            yield from _of_element(child)


def _of_block(block: Block, place: int) -> Iterator[str]:
    proto: Any = block.proto
    if block.type in ("expander", "status"):
        yield proto.label
        if not proto.expanded:
            return
    elif block.type == "popover":
        if proto.popover.label != SAVE:  # an icon
            yield proto.popover.label
        return
    elif block.type == "tab":
        yield proto.label
        if place:
            return
    elif block.type == "dialog":
        return
    yield from _read(block)


def _of_element(element: Element) -> Iterator[str]:
    proto: Any = element.proto
    kind = element.type
    if kind == "html":
        body = re.sub(r"<(style|script|svg).*?</\1>", " ", proto.body, flags=re.DOTALL)
        yield re.sub(r"<[^>]+>", " ", body)
    elif kind in ("arrow_data_frame", "arrow_table", "dataframe", "table"):
        yield " ".join(_cells(element.value))
    elif kind == "code":
        yield proto.code_text
    elif kind == "metric":
        yield f"{proto.label} {proto.body} {proto.delta}"
    elif hasattr(element, "value") and isinstance(element.value, str) and hasattr(proto, "body"):
        yield _shown(element.value)
    else:
        yield from _of_widget(element, proto)


def _of_widget(element: Element, proto: Any) -> Iterator[str]:
    hidden = getattr(getattr(proto, "label_visibility", None), "value", 0) == COLLAPSED
    if not hidden:
        yield _shown(getattr(proto, "label", "") or getattr(proto, "text", ""))
    if element.type in ("button_group", "segmented_control", "pills", "radio"):
        yield from (_shown(str(option)) for option in getattr(element, "options", ()))
    elif element.type in ("selectbox", "select_slider", "multiselect"):
        chosen = element.value if isinstance(element.value, list) else [element.value]
        name = getattr(element, "format_func", str)
        yield from (_shown(str(name(each))) for each in chosen if each is not None)
    else:
        yield _shown(str(getattr(proto, "placeholder", "")))


def _cells(frame: Any) -> Iterator[str]:
    yield from map(str, frame.columns)
    for row in frame.itertuples(index=False):
        yield from map(str, row)


def _shown(markdown: str) -> str:
    """Markdown without the addresses of its links and the names of its icons."""
    return re.sub(r":material/\w+:", " ", re.sub(r"\]\([^)]*\)", "]", markdown))
