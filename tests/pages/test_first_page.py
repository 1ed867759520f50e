"""What the first page waits for: only these libraries are loaded before the map is drawn."""

import os
import subprocess
import sys
import threading
import webbrowser
from pathlib import Path

import pytest
import streamlit as st

from components import server
from components.token_map import read_ahead
from isogloss.store import StoreError
from tests.pages.conftest import ROOT

BEFORE_THE_FIRST_PICTURE = {
    "charset_normalizer",
    "cloudpickle",
    "cython_runtime",
    "dateutil",
    "filelock",
    "numpy",
    "packaging",
    "pyarrow",
    "safetensors",
}
"""Beside the standard library, Streamlit with what it stands on, and our own packages.

pyarrow reads the token table. torch, transformers, pandas, scipy and scikit-learn are not here:
each takes about as long as all of these.
"""

SCRIPT = """
import sys
from streamlit.testing.v1 import AppTest
of_streamlit = {name.partition(".")[0] for name in sys.modules}
from components.shared import loading
READ_AHEAD
before = set(sys.modules)
from components.shared import map_view
draw, loaded = map_view.layer_scrubber, []

def watch(*words, **options):
    loaded.extend(name for name in sys.modules if not name.startswith("_"))
    return draw(*words, **options)

map_view.layer_scrubber = watch
loading.warm_up = lambda: None  # it waits until the page has had the server to itself
app = AppTest.from_file("APP", default_timeout=600).run()
assert not app.exception, app.exception
assert loaded, "the map was not drawn"
"""

LIBRARIES = """
lab, runs = "isogloss.lab.", "isogloss.lab.runs"  # any page lists the runs that are under way
early = [name for name in loaded if name.startswith(lab) and not name.startswith(runs)]
assert not early, f"experiments are for pages of their own: {early}"
roots = {name.partition(".")[0] for name in loaded}
ours = {"app", "components", "isogloss", "pages"}
print(*sorted(roots - of_streamlit - ours - set(sys.stdlib_module_names)))
"""

READ_AHEAD = """
from components.token_map import read_ahead
read_ahead.read_modules()
read_ahead.read_showpiece()

def read_again(*words):
    raise AssertionError("the map is read twice")

loading.find_map = read_again
"""

LATE = """
its_own = ("streamlit.", "packaging.")  # what Streamlit imports when a page runs
print(*sorted(name for name in set(loaded) - before if not name.startswith(its_own)))
"""


def printed_at_the_map(tmp_path: Path, read_ahead: str, report: str) -> set[str]:
    """Open the first page in a Python of its own; what `report` prints of what it loaded."""
    script = SCRIPT.replace("READ_AHEAD", read_ahead).replace("APP", str(ROOT / "app.py"))
    path = tmp_path / "first.py"
    path.write_text(script + report, encoding="utf-8")
    environment = os.environ | {"ISOGLOSS_CACHE": str(tmp_path / "cache"), "PYTHONPATH": str(ROOT)}
    finished = subprocess.run(
        [sys.executable, str(path)],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert finished.returncode == 0, finished.stderr[-2000:]
    return set(finished.stdout.split())


def test_what_is_imported_before_the_first_picture(tmp_path):
    more = printed_at_the_map(tmp_path, "", LIBRARIES) - BEFORE_THE_FIRST_PICTURE
    assert more == set(), "import it within the function that needs it"


def test_what_the_first_page_needs_is_read_before_somebody_opens_it(tmp_path):
    late = printed_at_the_map(tmp_path, READ_AHEAD, LATE)
    assert late == set(), "import it in read_ahead, too"


def start() -> None:
    """Come up and go down; nothing there waits, so it needs no event loop of its own."""
    around = server.lifespan(None)
    for step in (around.__aenter__(), around.__aexit__(None, None, None)):
        with pytest.raises(StopIteration):
            step.send(None)


@pytest.mark.parametrize("headless", [False, True])
def test_the_browser_opens_where_there_is_one(monkeypatch, headless):
    opened: list[str] = []
    options = {"headless": headless, "port": 8765, "baseUrlPath": "demo", "sslCertFile": None}
    options["address"] = "0.0.0.0"
    monkeypatch.setattr(st, "get_option", lambda name: options[name.removeprefix("server.")])
    monkeypatch.setattr(webbrowser, "open", opened.append)
    monkeypatch.setattr(read_ahead, "read_showpiece", lambda: None)
    monkeypatch.setattr(threading.Thread, "start", threading.Thread.run)
    start()
    assert opened == ([] if headless else ["http://localhost:8765/demo"])


def test_a_cache_that_cannot_be_read_does_not_keep_the_server_from_starting(monkeypatch):
    asked = []

    def fail() -> None:
        asked.append("the showpiece")
        raise StoreError("no such study")

    monkeypatch.setattr(st, "get_option", lambda name: True)
    monkeypatch.setattr(read_ahead, "read_showpiece", fail)
    start()
    assert asked == ["the showpiece"]
