"""Frame time of one layer step: the layer scrubber against Plotly's scattergl.

    python -m benchmarks.scrubber [--points 1000 5000 20000] [--steps 60] [--rounds 3] [--capped]

Both draw the same points and links in one headless Chromium without a GPU, taking turns. A step
moves all points; the time runs from one finished frame to the next, drawing by the browser
included. The browser's limit of 60 frames a second is lifted, as it would hide everything below
16.7 ms; `--capped` leaves it in place. Every step lies between two layers, so ours interpolates
every time; Plotly gets coordinates that are ready to draw, which is in its favour.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles

import numpy as np
from playwright.sync_api import Browser, Page, sync_playwright
from plotly.offline import get_plotlyjs

from components.layer_scrubber.payload import Language, Score, ScrubberData
from components.layer_scrubber.standalone import html_document

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
    """Milliseconds from frame to frame."""

    times: list[float]

    @property
    def middle(self) -> float:
        return median(self.times)

    @property
    def slow(self) -> float:
        return quantiles(self.times, n=20)[-1]


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


def measure(browser: Browser, points: int, steps: int, rounds: int) -> tuple[Timing, Timing]:
    """Return the timings of the scrubber and of Plotly, measured in turns."""
    data = random_map(points)
    ours: list[float] = []
    theirs: list[float] = []
    with tempfile.TemporaryDirectory() as name:
        scrubber = open_page(browser, Path(name), "scrubber.html", html_document(data))
        scrubber.wait_for_function("() => document.querySelector('.scrubber').scrubber.frames > 2")
        plotly = open_page(browser, Path(name), "plotly.html", plotly_page(data))
        plotly.evaluate("ready.then(() => true)")
        plotly.evaluate("(count) => prepare(count)", steps)
        for turn in range(rounds + 1):
            for page, code, times in ((scrubber, OURS, ours), (plotly, PLOTLY, theirs)):
                page.bring_to_front()
                measured = page.evaluate(code, steps)
                if turn > 0:  # the first turn warms both up
                    times.extend(measured)
        scrubber.close()
        plotly.close()
    return Timing(ours), Timing(theirs)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--points", type=int, nargs="+", default=[1000, 5000, 20000])
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--capped", action="store_true")
    options = parser.parse_args()
    arguments = [*ARGUMENTS, *(() if options.capped else UNCAPPED)]
    print("ms a frame, median (95th percentile)\n")
    print(f"{'points':>8}  {'links':>7}  {'scrubber':>16}  {'Plotly scattergl':>18}  {'ratio':>6}")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=arguments)
        for points in options.points:
            ours, theirs = measure(browser, points, options.steps, options.rounds)
            print(
                f"{points:>8,}  {points // 2:>7,}  {f'{ours.middle:.1f} ({ours.slow:.1f})':>16}  "
                f"{f'{theirs.middle:.1f} ({theirs.slow:.1f})':>18}  "
                f"{theirs.middle / ours.middle:>5.1f}x",
                flush=True,
            )
        browser.close()


if __name__ == "__main__":
    main()
