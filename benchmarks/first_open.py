"""How soon a map is there, in Chromium: `python -m benchmarks.first_open [--toy]`.

First the page that opens: from the moment that a new server answers until the map's canvas has
drawn, in a browser that has never been there and in one that has; and how long the server takes to
answer, since it reads what the first page needs before it does. The peer is a page of the same
server that asks Streamlit for one line of text: what no app of Streamlit's is below. Then a text
that somebody types: from the click on *Read the text* until its map is drawn, in a server
that has been up for a while; and the same for 40 sentences in 16 languages, until the page
Languages has drawn its map. Last the map of a training from nothing while it is under way, which
takes a minute to begin. Run it on an idle machine.
`--toy` has the first page only: weights take long to unpack, and a training to begin.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from playwright.sync_api import BrowserContext, Page, sync_playwright

from benchmarks.arguments import read_arguments
from isogloss.lab.emergence.conditions import AS_IT_IS
from isogloss.lab.emergence.pictures import picture_name
from isogloss.lab.emergence.plan import EmergencePlan, emergence_unit
from isogloss.lab.runs.queue import Runs
from isogloss.store import Store
from isogloss.text.reading import load_bundled
from tests.helpers.server import CHROMIUM, CHROMIUM_ARGUMENTS, free_port, running_app

DRAWN = "map => map.scrubber && map.scrubber.frames > 0"
WATCH = """
  const watch = () => {
    const host = document.querySelector("[data-testid=stBidiComponentIsolated]");
    const scrubber = host?.shadowRoot?.querySelector(".scrubber")?.scrubber;
    const line = document.querySelector("[data-testid=stText]");
    if (line || scrubber?.frames > 0) window.shownAt = performance.now();
    else requestAnimationFrame(watch);
  };
  requestAnimationFrame(watch);
"""
"""Run in the page, which looks at every frame: a question from outside comes late by a tenth."""
ONE_LINE = "import streamlit as st\n\nst.text('One line.')\n"
MANY = "everyday.16-languages"
TIMEOUT = 240_000
WARM_UP_SECONDS = 40
"""After these a server has imported what extraction needs, as it does in the background."""


def wait_for_map(page: Page) -> None:
    found = page.locator(".scrubber").first
    found.wait_for(timeout=TIMEOUT)
    page.wait_for_function(DRAWN, arg=found.element_handle(), timeout=TIMEOUT)


def until_shown(context: BrowserContext, address: str) -> float:
    """Seconds from asking for the first page until its map, or its one line, is there."""
    page = context.new_page()
    page.add_init_script(WATCH)
    page.goto(address, wait_until="commit")
    page.wait_for_function("window.shownAt", timeout=TIMEOUT)
    taken = page.evaluate("window.shownAt") / 1_000
    page.close()
    return float(taken)


def visits(
    context: BrowserContext, cache: Path, script: str, port: int, times: int
) -> tuple[list[float], list[float]]:
    """For each new server: seconds until it answers, and from then until its page is shown."""
    starts, opens = [], []
    for _ in range(times):
        began = time.monotonic()
        with running_app(cache, script, port=port) as address:
            starts.append(time.monotonic() - began)
            opens.append(until_shown(context, address))
    return starts, opens


def report_opens(context: BrowserContext, times: int) -> None:
    """The map's page and the one line, in a new browser and in one that has been there."""
    port = free_port()  # a browser's cache belongs to an address
    with tempfile.TemporaryDirectory() as cache:
        line = Path(cache) / "one_line.py"
        line.write_text(ONE_LINE, encoding="utf-8")
        starts, opens = visits(context, Path(cache), "app.py", port, times + 1)
        peer_starts, peer_opens = visits(context, Path(cache), str(line), port, times + 1)
    again = slice(min(times, 1), None)  # without a second visit, what the first one took
    warm, peer = statistics.median(opens[again]), statistics.median(peer_opens[again])
    start, peer_start = statistics.median(starts[again]), statistics.median(peer_starts[again])
    print(f"map drawn: new browser {opens[0]:.2f} s; warm browser, new server {warm:.2f} s")
    print(f"  (each: {', '.join(f'{each:.2f}' for each in opens[again])})")
    print(f"  (the server is up {start:.2f} s after its start)")
    print(f"one line of text, warm browser, new server: {peer:.2f} s, so the map takes "
          f"{warm / peer:.2f} × that (that server is up after {peer_start:.2f} s)")  # fmt: skip


def type_text(page: Page, address: str, rows: list[int], languages: int = 2) -> float:
    """Paste rows of the sample and have them read; seconds from that click until the map."""
    whole = load_bundled("everyday.en-zh" if languages == 2 else MANY)
    sample = whole.select(rows)
    lines = ["\t".join(sample.languages), *map("\t".join, zip(*sample.sides, strict=True))]
    page.goto(f"{address}/your_text")
    page.get_by_test_id("stButtonGroup").get_by_text("Paste", exact=True).click()
    page.locator("textarea").fill("\n".join(lines))
    page.keyboard.press("Control+Enter")
    button = page.get_by_role("button", name="Read the text")
    button.wait_for()
    page.wait_for_timeout(1_000)
    began = time.monotonic()
    button.click()
    opens = "Open the map" if languages == 2 else "See all languages"
    page.get_by_role("button", name=opens).click()
    wait_for_map(page)
    return time.monotonic() - began


def typed_texts(context: BrowserContext, languages: int) -> tuple[float, float]:
    """The first text of a new store, which unpacks the model's weights, and the next one."""
    count = 10 if languages == 2 else len(load_bundled(MANY))
    with tempfile.TemporaryDirectory() as cache, running_app(Path(cache)) as address:
        page = context.new_page()
        page.set_default_timeout(TIMEOUT)
        page.goto(address)
        page.wait_for_timeout(WARM_UP_SECONDS * 1_000)
        # Other texts than the one that ships.
        rows = list(range(count))
        first = rows[1:] + rows[:1]
        second = [row + count for row in rows] if languages == 2 else rows[::-1]
        times = [type_text(page, address, each, languages) for each in (first, second)]
        page.close()
        return times[0], times[1]


def training_under_way(context: BrowserContext, times: int) -> list[float]:
    """Seconds until the map of a training is drawn while that goes on, in a new page each time."""
    with tempfile.TemporaryDirectory() as cache:
        runs = Runs(Store(Path(cache)))
        plan = EmergencePlan(conditions=(AS_IT_IS,), seeds=(0,))
        run = runs.create(plan)
        runs.enqueue(run)
        try:
            third = picture_name(emergence_unit(AS_IT_IS, 0), plan.look_steps()[2])
            while not run.has_kept(third):
                time.sleep(1)
            with running_app(Path(cache)) as address:
                until_shown(context, address)
                page = f"{address}/emergence?run={run.id}"
                return [until_shown(context, page) for _ in range(times)]
        finally:
            runs.stop(run)
            while run.state in ("running", "queued"):
                time.sleep(0.5)


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--only", choices=("open", "typed", "languages", "training"))
    options = read_arguments(parser, words, times=0, only="open")
    # A server that somebody starts every day has compiled its modules the first time.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=list(CHROMIUM_ARGUMENTS)
        )
        context = browser.new_context(viewport={"width": 1280, "height": 860})
        if options.only in (None, "open"):
            report_opens(context, options.times)
        if options.only in (None, "training"):
            opens = training_under_way(context, max(options.times, 1))
            print(f"map of a training under way: {', '.join(f'{each:.2f}' for each in opens)} s")
        if options.only in (None, "typed"):
            first, second = typed_texts(context, 2)
            print(f"ten pairs typed: map after {second:.1f} s; {first:.1f} s in a new store")
        if options.only in (None, "languages"):
            first, second = typed_texts(context, 16)
            print(f"40 sentences in 16 languages typed: the page Languages after {second:.1f} s; "
                  f"{first:.1f} s in a new store, {first / second:.1f} × that")  # fmt: skip
        browser.close()


if __name__ == "__main__":
    main()
