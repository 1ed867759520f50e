"""The emergence page in a real browser: a map that grows while somebody looks at it."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect
from scrubber_driver import Scrubber

from isogloss.lab.runs.queue import Runs
from isogloss.lab.runs.run import Run
from isogloss.store import Store
from tests.helpers.emergence_run import begin, finish, show_look

pytestmark = pytest.mark.browser


@pytest.fixture
def under_way(runs: Runs, app_store: Store) -> Iterator[Run]:
    """A run in the hands of a worker, whose first condition has shown three looks."""
    run = begin(runs, conditions=("as-it-is",), seeds=(0,))
    with run.lock():
        for number in range(3):
            show_look(run, app_store, "as-it-is", number)
        yield run


def test_a_stop_is_added_and_zoom_and_pins_stay(
    page: Page, app: str, under_way: Run, app_store: Store
) -> None:
    scrubber = Scrubber(page).open(f"{app}/emergence?run={under_way.id}")
    track = page.get_by_role("slider", name="Step", exact=True)
    expect(track).to_have_attribute("aria-valuemax", "2")
    expect(track).to_have_attribute("aria-valuenow", "2")
    page.mouse.click(*scrubber.place_of(3))
    expect(page).to_have_url(re.compile("pins=3"))
    track.press("+")
    zoom = scrubber.get("zoom")
    assert zoom > 1
    scrubber.root.evaluate("element => { element.isTheSame = true; }")
    show_look(under_way, app_store, "as-it-is", 3)
    expect(track).to_have_attribute("aria-valuemax", "3")
    expect(track).to_have_attribute("aria-valuenow", "3")  # who is at the end is taken along
    assert scrubber.get("zoom") == zoom
    assert scrubber.get("pins") == [3]
    track.press("Home")
    expect(page).to_have_url(re.compile("step=0"))
    show_look(under_way, app_store, "as-it-is", 4)
    expect(track).to_have_attribute("aria-valuemax", "4")
    expect(track).to_have_attribute("aria-valuenow", "0")  # who is elsewhere stays there
    finish(under_way, app_store, {"as-it-is": (0.8,)})
    last = len(under_way.plan.look_steps()) - 1  # type: ignore[attr-defined]
    expect(track).to_have_attribute("aria-valuemax", str(last))  # the whole is laid out
    assert scrubber.get("pins") == [3]
    assert scrubber.get("zoom") == zoom
    assert scrubber.root.evaluate("element => element.isTheSame")
    assert scrubber.errors == []
