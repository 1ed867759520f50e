"""Frame time of one layer step: the layer scrubber, Plotly's scattergl and Embedding Atlas.

    python -m benchmarks.scrubber [--points 5000 20000 100000] [--steps 60] [--rounds 2] [--capped]
    python -m benchmarks.scrubber --toy

All draw the same points in one headless Chromium without a GPU, taking turns; Plotly draws the very
links that the scrubber draws, 5,000 at most, and Embedding Atlas none, which it has no means for
(npm fetches it; without npm it is left out). A step moves all points; the time runs from one
finished frame to the next, drawing by the browser included. The browser's limit of 60 frames a
second is lifted, as it would hide everything below 16.7 ms; `--capped` leaves it in place. Every
step lies between two layers, so ours interpolates every time; the peers get coordinates that are
ready to draw, which is in their favour, and fewer steps the more points there are, so that all is
over in five minutes. Beside it stands the processor time of all the browser's processes for a
frame, which says more on a machine that does other things, and the size of what travels to the
browser.

The peers draw by WebGL, here in software; on a machine with a GPU they would be faster. The
scrubber draws by itself into an image, since the machines it is for, over SSH or old and on a
projector, often have no GPU that a browser would use.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median, quantiles

import numpy as np
import psutil
from playwright.sync_api import Browser, Page, sync_playwright

from benchmarks.arguments import read_arguments
from benchmarks.scrubber_peers import fetch_atlas, served, write_pages
from isogloss.map.payload import Language, Score, ScrubberData
from isogloss.map.standalone import html_document

CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--enable-unsafe-swiftshader",  # scattergl needs WebGL, here in software
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
UNCAPPED = ("--disable-frame-rate-limit", "--disable-gpu-vsync")
STOPS = 13
SCRUBBER = "scrubber"
MOST_LINKS = 5_000
PEER_POINTS = 120_000  # steps times points, at most
FEWEST_STEPS = 3
VIEWPORT = {"width": 1280, "height": 860}

TIMER = """
async function timeSteps(step, count) {
  const frame = () => new Promise((done) => requestAnimationFrame(() => {
    const channel = new MessageChannel();
    channel.port1.onmessage = done;
    channel.port2.postMessage(null);
  }));
  await frame();
  const times = [];
  let before = performance.now();
  for (let k = 0; k < count; k++) {
    await step(k);
    await frame();
    const now = performance.now();
    times.push(now - before);
    before = now;
  }
  return times;
}
"""

OURS = (
    f"""async (count) => {{ {TIMER} """
    + """
  const track = document.querySelector(".track");
  const box = track.getBoundingClientRect();
  const send = (target, name, share) => target.dispatchEvent(new PointerEvent(name, {
    pointerId: 1, button: 0, buttons: 1, bubbles: true,
    clientX: box.left + 16 + share * (box.width - 32), clientY: box.top + 90,
  }));
  const scrubber = document.querySelector(".scrubber").scrubber;
  send(track, "pointerdown", 0);
  const frames = scrubber.frames;
  const times = await timeSteps((k) => send(window, "pointermove", (k + 0.5) / count), count);
  if (scrubber.frames - frames < count) throw new Error("a step was not drawn");
  send(window, "pointerup", 1);
  return times;
}
"""
)

PEER = f"""async (count) => {{ {TIMER} return timeSteps((k) => step(k, count), count); }}"""


@dataclass(frozen=True)
class Timing:
    """Milliseconds from frame to frame, and of all processors for a frame."""

    times: list[float] = field(default_factory=list)
    processor: list[float] = field(default_factory=list)

    @property
    def middle(self) -> float:
        return median(self.times)

    @property
    def slow(self) -> float:
        return quantiles(self.times, n=20)[-1]

    def against(self, ours: Timing) -> str:
        shown = f"{self.middle:.1f} ({self.slow:.1f}), {median(self.processor):.1f}"
        if self is ours:
            return shown
        by_processor = median(self.processor) / median(ours.processor)
        return f"{shown}; {self.middle / ours.middle:.1f} ×, {by_processor:.1f} ×"


def browser_seconds() -> float:
    """The processor time of the browser so far, all its processes together."""
    children = psutil.Process().children(recursive=True)
    return sum(sum(child.cpu_times()[:2]) for child in children)


def random_map(points: int, seed: int = 0) -> ScrubberData:
    """Two clouds that approach each other; half as many links as points."""
    generator = np.random.default_rng(seed)
    half = points // 2
    words = [f"word{i}" for i in range(half)] + [f"词{i}" for i in range(half)]
    sides = np.repeat([0, 1], half)
    start = generator.normal(size=(points, 2)) + np.column_stack([sides * 6 - 3, sides * 0])
    goal = np.tile(generator.normal(size=(half, 2)) * 2, (2, 1))
    goal += generator.normal(size=goal.shape) * 0.1
    share = np.linspace(0, 1, STOPS)[:, None, None]
    return ScrubberData(
        positions=(start * (1 - share) + goal * share).astype(np.float32),
        ranks=generator.integers(1, half, size=(STOPS, points)).astype(np.uint16),
        texts=words,
        sides=sides,
        sentence_of=np.zeros(points, dtype=int),
        links=np.column_stack([np.arange(half), np.arange(half) + half]),
        sentences=[("", "")],
        languages=(Language("en", "English"), Language("zh", "中文")),
        stops=[str(stop) for stop in range(STOPS)],
        scores=[Score("score", np.linspace(0, 1, STOPS).tolist())],
    )


def drawn_links(links: np.ndarray) -> np.ndarray:
    """Those of the links that the scrubber draws, evenly spaced over all (`world.js`)."""
    count = min(MOST_LINKS, len(links))
    return links[np.arange(count) * len(links) // count]


def open_page(browser: Browser, address: str) -> Page:
    page = browser.new_page(viewport=VIEWPORT)
    page.set_default_timeout(300_000)
    page.goto(address)
    return page


def measure(
    browser: Browser, folder: Path, points: int, steps: int, rounds: int, atlas: bool
) -> tuple[dict[str, Timing], int, int]:
    """Time the scrubber and its peers, in turns; the links drawn and the scrubber's bytes."""
    data = random_map(points)
    links = drawn_links(data.links)
    few = max(FEWEST_STEPS, min(steps, PEER_POINTS // points))
    (folder / "scrubber.html").write_text(html_document(data), encoding="utf-8")
    turns: dict[str, tuple[Page, str, int]] = {}
    with served(folder) as address:
        ours = open_page(browser, f"{address}/scrubber.html")
        ours.wait_for_function("() => document.querySelector('.scrubber').scrubber.frames > 2")
        turns[SCRUBBER] = (ours, OURS, steps)
        for peer, name in write_pages(data, links, folder, atlas).items():
            page = open_page(browser, f"{address}/{name}")
            page.wait_for_function("() => typeof start === 'function'")
            page.evaluate("() => start()")
            page.evaluate("(count) => prepare(count)", few)
            turns[peer] = (page, PEER, few)
        timings = {name: Timing() for name in turns}
        for turn in range(rounds + 1):
            for name, (page, code, count) in turns.items():
                page.bring_to_front()
                before = browser_seconds()
                measured = page.evaluate(code, count)
                if turn > 0:  # the first turn warms all up
                    timings[name].times.extend(measured)
                    timings[name].processor.append(1000 * (browser_seconds() - before) / count)
        for page, _, _ in turns.values():
            page.close()
    return timings, len(links), len(data.blob)


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--points", type=int, nargs="+", default=[5_000, 20_000, 100_000])
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--capped", action="store_true")
    parser.add_argument("--no-npm", action="store_true", help="leave Embedding Atlas out")
    options = read_arguments(parser, words, points=[100], steps=4, rounds=1, no_npm=True)
    arguments = [*ARGUMENTS, *(() if options.capped else UNCAPPED)]
    print("ms a frame: median (95th percentile), processor time; × the scrubber's\n")
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name)
        atlas = not options.no_npm and fetch_atlas(folder)
        if not atlas:
            why = "as asked" if options.no_npm else "npm could not fetch it"
            print(f"Embedding Atlas is left out: {why}.\n")
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=arguments)
        for row, points in enumerate(options.points):
            timings, links, size = measure(
                browser, folder, points, options.steps, options.rounds, atlas
            )
            if row == 0:
                print("|".join(("", " words ", " links ", " bytes ", *timings, "")))
                print("|--:" * (3 + len(timings)) + "|")
            ours = timings[SCRUBBER]
            cells = [f"{points:,}", f"{links:,}", f"{size / 1e6:.1f} MB"]
            cells += [timing.against(ours) for timing in timings.values()]
            print(f"| {' | '.join(cells)} |", flush=True)
        browser.close()


if __name__ == "__main__":
    main()
