"""Frame time of one layer step: the layer scrubber against Plotly's scattergl.

    python -m benchmarks.scrubber [--points 5000 20000 100000] [--steps 60] [--rounds 2] [--capped]

Both draw the same points and links in one headless Chromium without a GPU, taking turns. A step
moves all points; the time runs from one finished frame to the next, drawing by the browser
included. The browser's limit of 60 frames a second is lifted, as it would hide everything below
16.7 ms; `--capped` leaves it in place. Every step lies between two layers, so ours interpolates
every time; Plotly gets coordinates that are ready to draw, which is in its favour, and fewer steps
the more points there are, so that all is over in five minutes. Beside it stands the processor time
of all the browser's processes for a frame, which says more on a machine that does other things,
and the size of what travels to the browser.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median, quantiles

import numpy as np
import psutil
from playwright.sync_api import Browser, Page, sync_playwright
from plotly.offline import get_plotlyjs

from isogloss.figures.token_map.payload import Language, Score, ScrubberData
from isogloss.figures.token_map.standalone import html_document

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
PLOTLY_POINTS = 300_000  # steps times points, at most
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

PLOTLY = """
async (count) => {
  const chart = document.getElementById("chart");
  return timeSteps(async (k) => {
    const layer = ((k + 0.5) / count) * (stops - 1);
    const [x, y] = placesAt(layer);
    await Plotly.restyle(chart, { x, y }, [0, 1, 2]);
  }, count);
}
"""

PLOTLY_PAGE = """<!doctype html><meta charset="utf-8"><body style="margin:0">
<div id="chart" style="width:1240px;height:560px"></div>
<script>%(plotly)s</script>
<script>
%(timer)s
const { places, sides, links } = %(data)s;
const stops = places.length;
const prepared = new Map();
function placesAt(layer) {
  if (prepared.has(layer)) return prepared.get(layer);
  const below = Math.floor(layer), share = layer - below;
  const from = places[below], to = places[Math.min(stops - 1, below + 1)];
  const at = (i, axis) => from[i][axis] * (1 - share) + to[i][axis] * share;
  const axes = [0, 1].map((axis) => [
    ...[0, 1].map((side) => sides.flatMap((value, i) => (value === side ? [at(i, axis)] : []))),
    links.flatMap(([a, b]) => [at(a, axis), at(b, axis), null]),
  ]);
  prepared.set(layer, axes);
  return axes;
}
function prepare(count) {
  for (let k = 0; k < count; k++) placesAt(((k + 0.5) / count) * (stops - 1));
}
const [x, y] = placesAt(0);
const marker = (color, symbol) => ({ color, symbol, size: 6 });
const ready = Plotly.newPlot("chart", [
  { type: "scattergl", mode: "markers", x: x[0], y: y[0], marker: marker("#0072b2", "circle") },
  { type: "scattergl", mode: "markers", x: x[1], y: y[1], marker: marker("#d0540a", "diamond") },
  { type: "scattergl", mode: "lines", x: x[2], y: y[2], 
    line: { width: 1, color: "rgba(0,0,0,0.2)" } },
], { xaxis: { range: [-8, 8] }, yaxis: { range: [-8, 8] }, showlegend: false });
</script>"""


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

    @property
    def shown(self) -> str:
        return f"{self.middle:.1f} ({self.slow:.1f}), {median(self.processor):.1f}"


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
        coordinates=(start * (1 - share) + goal * share).astype(np.float32),
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


def plotly_page(data: ScrubberData) -> str:
    """A page with the same points as two scattergl traces and the links as a third."""
    content = {
        "places": np.round(data.coordinates, 5).tolist(),
        "sides": np.asarray(data.sides).tolist(),
        "links": np.asarray(data.links).tolist(),
    }
    return PLOTLY_PAGE % {"plotly": get_plotlyjs(), "timer": TIMER, "data": json.dumps(content)}


def open_page(browser: Browser, folder: Path, name: str, text: str) -> Page:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    page = browser.new_page(viewport=VIEWPORT)
    page.set_default_timeout(300_000)
    page.goto(path.as_uri())
    return page


def measure(browser: Browser, points: int, steps: int, rounds: int) -> tuple[Timing, Timing, int]:
    """Return the timings of the scrubber and of Plotly, in turns, and the scrubber's bytes."""
    data = random_map(points)
    ours, theirs = Timing(), Timing()
    few = max(FEWEST_STEPS, min(steps, PLOTLY_POINTS // points))
    with tempfile.TemporaryDirectory() as name:
        scrubber = open_page(browser, Path(name), "scrubber.html", html_document(data))
        scrubber.wait_for_function("() => document.querySelector('.scrubber').scrubber.frames > 2")
        plotly = open_page(browser, Path(name), "plotly.html", plotly_page(data))
        plotly.evaluate("ready.then(() => true)")
        plotly.evaluate("(count) => prepare(count)", few)
        turns = ((scrubber, OURS, ours, steps), (plotly, PLOTLY, theirs, few))
        for turn in range(rounds + 1):
            for page, code, timing, count in turns:
                page.bring_to_front()
                before = browser_seconds()
                measured = page.evaluate(code, count)
                if turn > 0:  # the first turn warms both up
                    timing.times.extend(measured)
                    timing.processor.append(1000 * (browser_seconds() - before) / count)
        scrubber.close()
        plotly.close()
    return ours, theirs, len(data.blob)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--points", type=int, nargs="+", default=[5_000, 20_000, 100_000])
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--capped", action="store_true")
    options = parser.parse_args()
    arguments = [*ARGUMENTS, *(() if options.capped else UNCAPPED)]
    print("ms a frame: median (95th percentile), processor time\n")
    print("| words | links | scrubber | Plotly scattergl | ratio, by processor time | bytes |")
    print("|--:|--:|--:|--:|--:|--:|")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=arguments)
        for points in options.points:
            ours, theirs, size = measure(browser, points, options.steps, options.rounds)
            ratio = theirs.middle / ours.middle
            by_processor = median(theirs.processor) / median(ours.processor)
            print(
                f"| {points:,} | {points // 2:,} | {ours.shown} | {theirs.shown} "
                f"| {ratio:.0f} ×, {by_processor:.0f} × | {size / 1e6:.1f} MB |",
                flush=True,
            )
        browser.close()


if __name__ == "__main__":
    main()
