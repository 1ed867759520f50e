"""How soon a map is there, in Chromium: `python -m benchmarks.first_open`.

First the page that opens: from the moment that a new server answers until the map's canvas has
drawn, in a browser that has never been there and in one that has. The peer is a page of the same
server that asks Streamlit for one line of text: what no app of Streamlit's is below. Then a text
that somebody types: from the click on *Extract activations* until its map is drawn, in a server
that has been up for a while. Run it on an idle machine.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import BrowserContext, Page, sync_playwright

from isogloss.text.corpora import load_bundled
from tests.helpers.server import CHROMIUM, CHROMIUM_ARGUMENTS, running_app

DRAWN = "map => map.scrubber && map.scrubber.frames > 0"
ONE_LINE = "import streamlit as st\n\nst.markdown('One line.')\n"
TIMEOUT = 240_000
WARM_UP_SECONDS = 40
"""After these a server has imported what extraction needs, as it does in the background."""


def wait_for_map(page: Page) -> None:
    found = page.locator(".scrubber").first
    found.wait_for(timeout=TIMEOUT)
    page.wait_for_function(DRAWN, arg=found.element_handle(), timeout=TIMEOUT)


def until_drawn(context: BrowserContext, address: str) -> float:
    """Seconds from asking for the first page until its map is drawn."""
    page = context.new_page()
    began = time.monotonic()
    page.goto(address, wait_until="commit")
    wait_for_map(page)
    taken = time.monotonic() - began
    page.close()
    return taken


def until_one_line(context: BrowserContext, address: str) -> float:
    page = context.new_page()
    began = time.monotonic()
    page.goto(address, wait_until="commit")
    page.get_by_text("One line.").wait_for(timeout=TIMEOUT)
    taken = time.monotonic() - began
    page.close()
    return taken


def first_opens(context: BrowserContext, times: int) -> tuple[float, list[float], list[float]]:
    """A visit by a new browser, visits to new servers with the same browser, and the peer's."""
    warm, peer = [], []
    with tempfile.TemporaryDirectory() as cache:
        with running_app(Path(cache)) as address:
            port = urlsplit(address).port or 0
            cold = until_drawn(context, address)
        for _ in range(times):
            with running_app(Path(cache), port=port) as address:
                warm.append(until_drawn(context, address))
        script = Path(cache) / "one_line.py"
        script.write_text(ONE_LINE, encoding="utf-8")
        for _ in range(times + 1):
            with running_app(Path(cache), str(script), port=port) as address:
                peer.append(until_one_line(context, address))
    return cold, warm, peer[1:]


def type_text(page: Page, address: str, pairs: list[int]) -> float:
    """Paste pairs of the sample and have them read; seconds from that click until the map."""
    corpus = load_bundled("everyday.en-zh").select(pairs)
    text = "\n".join(f"{a}\t{b}" for a, b in zip(corpus.source, corpus.target, strict=True))
    page.goto(f"{address}/corpus")
    page.get_by_test_id("stButtonGroup").get_by_text("Paste", exact=True).click()
    page.locator("textarea").fill(text)
    page.keyboard.press("Control+Enter")
    button = page.get_by_role("button", name="Extract activations")
    button.wait_for()
    page.wait_for_timeout(1_000)
    began = time.monotonic()
    button.click()
    page.get_by_role("button", name="Open the map").click()
    wait_for_map(page)
    return time.monotonic() - began


def typed_texts(context: BrowserContext) -> tuple[float, float]:
    """The first text of a new store, which unpacks the model's weights, and the next one."""
    with tempfile.TemporaryDirectory() as cache, running_app(Path(cache)) as address:
        page = context.new_page()
        page.set_default_timeout(TIMEOUT)
        page.goto(address)
        page.wait_for_timeout(WARM_UP_SECONDS * 1_000)
        return type_text(page, address, list(range(10))), type_text(
            page, address, list(range(10, 20))
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--only", choices=("open", "typed"))
    options = parser.parse_args()
    # A server that somebody starts every day has compiled its modules the first time.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=list(CHROMIUM_ARGUMENTS)
        )
        context = browser.new_context(viewport={"width": 1280, "height": 860})
        if options.only != "typed":
            cold, warm, peer = first_opens(context, options.times)
            middle, floor = statistics.median(warm), statistics.median(peer)
            print(f"map drawn: new browser {cold:.2f} s; warm browser, new server {middle:.2f} s")
            print(f"  (each: {', '.join(f'{each:.2f}' for each in warm)})")
            print(f"one line of text, warm browser, new server: {floor:.2f} s, so the map takes "
                  f"{middle / floor:.2f} × that")  # fmt: skip
        if options.only != "open":
            first, second = typed_texts(context)
            print(f"ten pairs typed: map after {second:.1f} s; {first:.1f} s in a new store")
        browser.close()


if __name__ == "__main__":
    main()
