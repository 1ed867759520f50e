"""The map in notebooks: a widget that Python looks at and moves, and a page where no kernel is."""

import json
import os
import re
import sys

import nbformat
import pytest
from playwright.sync_api import Page, expect

import isogloss as ig
from tests.helpers.server import ROOT, free_port, serving
from tests.helpers.waiting import wait_until

pytestmark = pytest.mark.browser

SHOWN = """\
import json
from pathlib import Path

import isogloss as ig

view = ig.token_map(ig.open_study("{key}"), "pca", pairs=4)

def write(_):
    seen = {{"layer": view.layer, "pins": view.pins.points, "selection": view.selection.points}}
    Path("seen.json").write_text(json.dumps(seen))

view.widget.observe(write)
"""
MOVED = "view.layer, view.pins = 1, [3]"


@pytest.fixture
def study(encoder_directory, bitext, tmp_path, monkeypatch):
    monkeypatch.setenv("ISOGLOSS_CACHE", str(tmp_path / "store"))
    return ig.extract(str(encoder_directory), bitext, device="cpu")


def environment(tmp_path) -> dict[str, str]:
    kept = {"JUPYTER_CONFIG_DIR": "jupyter", "IPYTHONDIR": "ipython", "XDG_CONFIG_HOME": "config"}
    return os.environ | {
        "PYTHONPATH": str(ROOT),
        "HF_HUB_OFFLINE": "1",
        **{name: str(tmp_path / folder) for name, folder in kept.items()},
    }


def watch_sockets(page: Page) -> list[str]:
    """What the page will have sent over its sockets; makes it high enough to see all of a map."""
    page.set_viewport_size({"width": 1280, "height": 1500})
    sent: list[str] = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda text: sent.append(str(text))))
    return sent


def drag(page: Page, slider, sent: list[str]) -> list[str]:
    """Drag to the last layer in many steps; returns what was sent before the button is let go."""
    box = slider.bounding_box()
    page.mouse.move(box["x"] + 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    before = len(sent)
    page.mouse.move(box["x"] + box["width"] - 2, box["y"] + box["height"] / 2, steps=25)
    during = sent[before:]
    page.mouse.up()
    return during


def lasso_all(page: Page) -> None:
    page.get_by_role("button", name="Lasso").click()
    box = page.locator(".scrubber .stage canvas").first.bounding_box()
    left, top = box["x"] + 3, box["y"] + 3
    right, bottom = box["x"] + box["width"] - 3, box["y"] + box["height"] - 3
    page.mouse.move(left, top)
    page.mouse.down()
    for x, y in ((right, top), (right, bottom), (left, bottom), (left, top)):
        page.mouse.move(x, y, steps=4)
    page.mouse.up()


def wait_for(page: Page, path, holds) -> dict:
    """What Python has seen, once it is as it must be."""
    while True:
        try:
            seen = json.loads(path.read_text())
            if holds(seen):
                return seen
        except (OSError, ValueError):
            pass
        page.wait_for_timeout(100)


def look_and_move(page: Page, seen, sent: list[str], move) -> None:
    """Drag, lasso and pin in the browser, which Python sees; then Python moves the map."""
    slider = page.get_by_role("slider").first
    expect(slider).to_be_visible()
    assert [
        text for text in drag(page, slider, sent) if "comm_msg" in text or "layer" in text
    ] == []
    wait_for(page, seen, lambda found: found["layer"] == 3)
    lasso_all(page)
    found = wait_for(page, seen, lambda found: len(found["selection"]) > 10)
    assert max(found["selection"]) < 100
    move()
    expect(slider).to_have_attribute("aria-valuetext", re.compile("1"))
    # Layer and pins come one after the other.
    shown = page.locator(".scrubber").first
    wait_until(lambda: shown.evaluate("root => root.scrubber.pins") == [3])


def test_jupyterlab_shows_what_python_sets_and_tells_what_was_done(page, study, tmp_path):
    cells = [
        nbformat.v4.new_code_cell(text) for text in (SHOWN.format(key=study.key), "view", MOVED)
    ]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook = nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel})
    nbformat.write(notebook, tmp_path / "map.ipynb")
    port = free_port()
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"]
    command += [f"--ServerApp.port={port}", "--ServerApp.token=", "--ServerApp.open_browser=False"]
    sent = watch_sockets(page)
    with serving(command, port, tmp_path, environment(tmp_path), "/api") as address:
        page.goto(f"{address}/lab/tree/map.ipynb?reset")
        expect(page.locator(".jp-Notebook .jp-CodeCell")).to_have_count(3)
        page.locator(".jp-Notebook .jp-CodeCell .cm-content").first.click()
        page.keyboard.press("Shift+Enter")
        page.keyboard.press("Shift+Enter")
        look_and_move(
            page,
            tmp_path / "seen.json",
            sent,
            lambda: (
                page.locator(".jp-Notebook .jp-CodeCell .cm-content").last.click(),
                page.keyboard.press("Shift+Enter"),
            ),
        )
        assert page.locator("iframe[data-isogloss]").count() == 0  # the widget took its place


MARIMO = """\
import marimo

app = marimo.App()


@app.cell
def _():
    import marimo as mo
    {shown}
    return mo, view


@app.cell
def _(view):
    view
    return


@app.cell
def _(mo, view):
    def move(_):
        view.layer, view.pins = 1, [3]
    mo.ui.button(label="move", on_click=move)
    return


if __name__ == "__main__":
    app.run()
"""


def test_marimo_shows_what_python_sets_and_tells_what_was_done(page, study, tmp_path):
    shown = SHOWN.format(key=study.key).replace("\n", "\n    ")
    (tmp_path / "map.py").write_text(MARIMO.format(shown=shown))
    port = free_port()
    command = [sys.executable, "-m", "marimo", "run", "map.py", "--headless", "--no-token"]
    command += ["--port", str(port)]
    sent = watch_sockets(page)
    with serving(command, port, tmp_path, environment(tmp_path), "/health") as address:
        page.goto(address)
        look_and_move(
            page,
            tmp_path / "seen.json",
            sent,
            lambda: page.get_by_role("button", name="move").click(),
        )


def test_a_notebook_keeps_the_widget_and_a_page_that_needs_no_kernel(study, monkeypatch):
    """Where IPython shows a map it writes both into the notebook's file."""
    kept = []
    monkeypatch.setattr("IPython.display.display", lambda shown, **_: kept.append(shown))
    found = ig.token_map(study, "pca", pairs=4)
    found._ipython_display_()
    page, widget = kept
    assert page["text/html"].startswith("<iframe srcdoc=")
    assert f'data-isogloss="{widget.name}"' in page["text/html"]
    assert widget is found.widget
