"""The peers of `benchmarks.scrubber`: the same words in Plotly's scattergl and in Embedding Atlas.

Each is a page with a function `prepare(count)` that makes ready what `count` steps will show, and a
function `step(k, count)` that shows one of them and resolves when its drawing was asked for.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import numpy as np
from plotly.offline import get_plotlyjs

from isogloss.map.payload import ScrubberData

ATLAS = "embedding-atlas@0.23.0"
"""The last that draws by WebGL where there is no WebGPU."""

PLACES = """
let stops, places, sides, links;
async function readPlaces() {
  ({ places, sides, links } = await (await fetch("places.json")).json());
  stops = places.length;
}
const layerOf = (k, count) => ((k + 0.5) / count) * (stops - 1);
function coordinatesAt(layer) {
  const below = Math.floor(layer), share = layer - below;
  const from = places[below], to = places[Math.min(stops - 1, below + 1)];
  return [0, 1].map((axis) => from.map((at, i) => at[axis] * (1 - share) + to[i][axis] * share));
}
const prepared = new Map();
function prepare(count) {
  for (let k = 0; k < count; k++) prepared.set(layerOf(k, count), shapeAt(layerOf(k, count)));
}
"""

PLOTLY_PAGE = """<!doctype html><meta charset="utf-8"><body style="margin:0">
<div id="chart" style="width:1240px;height:560px"></div>
<script src="plotly.js"></script>
<script>
%(places)s
function shapeAt(layer) {
  return coordinatesAt(layer).map((axis) => [
    ...[0, 1].map((side) => axis.filter((_, i) => sides[i] === side)),
    links.flatMap(([a, b]) => [axis[a], axis[b], null]),
  ]);
}
const marker = (color, symbol) => ({ color, symbol, size: 6 });
async function start() {
  await readPlaces();
  const [x, y] = shapeAt(0);
  await Plotly.newPlot("chart", [
    { type: "scattergl", mode: "markers", x: x[0], y: y[0], marker: marker("#0072b2", "circle") },
    { type: "scattergl", mode: "markers", x: x[1], y: y[1], marker: marker("#d0540a", "diamond") },
    { type: "scattergl", mode: "lines", x: x[2], y: y[2],
      line: { width: 1, color: "rgba(0,0,0,0.2)" } },
  ], { xaxis: { range: [-8, 8] }, yaxis: { range: [-8, 8] }, showlegend: false });
}
async function step(k, count) {
  const [x, y] = prepared.get(layerOf(k, count));
  await Plotly.restyle("chart", { x, y }, [0, 1, 2]);
}
</script>"""

ATLAS_PAGE = """<!doctype html><meta charset="utf-8"><body style="margin:0">
<div id="chart" style="width:1240px;height:560px"></div>
<script type="importmap">
{ "imports": { "@uwdata/mosaic-core": "./database.js", "@uwdata/mosaic-sql": "./database.js" } }
</script>
<script type="module">
import { EmbeddingView } from "./package/dist/component.js";
%(places)s
// The view draws when it comes to it: a step is over once the points were drawn again.
let draws = 0;
for (const name of ["drawArrays", "drawArraysInstanced", "drawElements", "drawElementsInstanced"]) {
  const draw = WebGL2RenderingContext.prototype[name];
  WebGL2RenderingContext.prototype[name] = function (...words) {
    draws += 1;
    return draw.apply(this, words);
  };
}
const shapeAt = (layer) => {
  const [x, y] = coordinatesAt(layer).map((axis) => Float32Array.from(axis));
  return { x, y, category: Uint8Array.from(sides) };
};
let view;
async function start() {
  await readPlaces();
  view = new EmbeddingView(document.getElementById("chart"), {
    data: shapeAt(0),
    categoryColors: ["#0072b2", "#d0540a"],
    width: 1240,
    height: 560,
    pixelRatio: 1,
    config: { mode: "points", pointSize: 3, autoLabelEnabled: false },
    viewportState: { x: 0, y: 0, scale: 1 / 8 },
  });
  await drawn(0);
}
async function drawn(before) {
  while (draws === before) await new Promise((done) => requestAnimationFrame(done));
}
async function step(k, count) {
  const before = draws;
  view.update({ data: prepared.get(layerOf(k, count)) });
  await drawn(before);
}
Object.assign(window, { start, prepare, step });
</script>"""


DATABASE = "export const coordinator = null, isSelection = null, makeClient = null;"
"""Stands for what the component takes from elsewhere when its points are in a database."""


def write_pages(data: ScrubberData, links: np.ndarray, folder: Path, atlas: bool) -> dict[str, str]:
    """Write the peers' pages with all they load and these links; each peer's name and page."""
    content = {
        "places": np.round(data.positions, 5).tolist(),
        "sides": np.asarray(data.sides).tolist(),
        "links": links.tolist(),
    }
    (folder / "places.json").write_text(json.dumps(content), encoding="utf-8")
    (folder / "plotly.js").write_text(get_plotlyjs(), encoding="utf-8")
    (folder / "database.js").write_text(DATABASE, encoding="utf-8")
    pages = {"Plotly scattergl": ("plotly.html", PLOTLY_PAGE)}
    if atlas:
        pages["Embedding Atlas"] = ("atlas.html", ATLAS_PAGE)
    for name, page in pages.values():
        (folder / name).write_text(page % {"places": PLACES}, encoding="utf-8")
    return {peer: name for peer, (name, _) in pages.items()}


def fetch_atlas(folder: Path) -> bool:
    """Fetch Embedding Atlas's component with npm into `folder`/package; False without npm."""
    if shutil.which("npm") is None:
        return False
    command = ["npm", "pack", "--silent", ATLAS]
    fetched = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if fetched.returncode:
        return False
    with tarfile.open(folder / fetched.stdout.strip().splitlines()[-1]) as archive:
        archive.extractall(folder, filter="data")
    return True


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve a folder on this machine; a page's modules cannot be imported from a file."""
    handler = partial(_Quiet, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *words: object) -> None:
        """Say nothing."""
