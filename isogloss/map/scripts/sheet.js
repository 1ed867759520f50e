// All layers at once: a tile for every stop over the map, with its score; a click goes there.

import { Camera } from "./camera.js";
import { Cloud, shadeOf } from "./cloud.js";
import { clamp, element, penOf, setAttribute } from "./dom.js";
import { colorPoints } from "./colors.js";
import { paintHighlights } from "./painter.js";
import { numberText, scoreTitle } from "./strip.js";

const TILE_HEAD = 24; // pixels of a tile's heading
const TILE_GAP = 8;
const TILE_SHAPE = 0.7; // a picture's height, of its width, that is looked for

export class Sheet {
  /** @type {number} */ request;

  /** @param {World} world @param {{go: (stop: number) => void}} actions */
  constructor(world, { go }) {
    this.world = world;
    this.camera = new Camera(world.boxes);
    this.screen = new Float32Array(world.count * 2);
    this.cloud = new Cloud(document.createElement("canvas"));
    /** @type {{node: HTMLElement, canvas: HTMLCanvasElement}[]} */
    this.tiles = [];
    this.go = go;
    const about = world.scores.length ? `Bar and number: ${scoreTitle(world.scores[0])}` : "";
    this.about = element("p", { class: "sheet-about" }, about);
    this.grid = element("div", { class: "tiles" });
    this.renew();
    this.node = element("div", { class: "sheet", role: "group", "aria-label": `Every ${world.stopNoun}`, hidden: true }, this.grid, this.about);
    // What happens here is not meant for the map underneath.
    for (const kind of ["pointermove", "pointerdown", "wheel", "dblclick"]) this.node.addEventListener(kind, (event) => event.stopPropagation());
  }

  /** Makes the tiles of the stops that there are now. */
  renew() {
    const { world, go } = this;
    cancelAnimationFrame(this.request);
    this.camera.reframe(world.boxes);
    this.tiles = world.names.map((name, stop) => {
      const canvas = element("canvas", { "aria-hidden": "true" });
      const value = world.scores.length ? numberText(world.scores[0].values[stop]) : "";
      const bar = element("i", {});
      bar.style.width = world.scores.length ? `${100 * clamp(world.scores[0].values[stop], 0, 1)}%` : "0";
      const node = element("button", {
        type: "button", class: "tile", "aria-label": `${name}${value && `, ${scoreTitle(world.scores[0])} ${value}`}`, onclick: () => go(stop),
      }, element("span", { class: "tile-head" }, element("span", {}, name), element("b", {}, value), bar), canvas);
      return { node, canvas };
    });
    this.grid.replaceChildren(...this.tiles.map(({ node }) => node));
  }

  get open() {
    return !this.node.hidden;
  }

  /** @param {boolean} on */
  show(on) {
    this.node.hidden = !on;
  }

  /** Draws every tile anew, one a frame, so that a large map keeps its page alive.
   * @param {Shown} state @param {number} ratio */
  draw(state, ratio) {
    if (!this.open) return;
    const size = this.#arrange();
    cancelAnimationFrame(this.request);
    /** @param {number} stop */
    const next = (stop) => {
      this.#paint(stop, state, size, ratio);
      if (stop + 1 < this.tiles.length) this.request = requestAnimationFrame(() => next(stop + 1));
    };
    this.mark(state.stop);
    next(0);
  }

  /** Tells the tile of the stop on show from the others.
   * @param {number} stop */
  mark(stop) {
    this.tiles.forEach(({ node }, index) => setAttribute(node, "aria-current", String(index === stop)));
  }

  /** As many tiles across as make them largest; returns the size of a picture.
   * @returns {[number, number]} */
  #arrange() {
    const { clientWidth, clientHeight } = this.grid;
    const count = this.tiles.length;
    /** @type {{width: number, across: number, size: [number, number]}} */
    let best = { width: 0, across: 3, size: [90, 60] };
    for (let across = 1; across <= count; across++) {
      const rows = Math.ceil(count / across);
      const roomX = (clientWidth - TILE_GAP * (across - 1)) / across;
      const roomY = (clientHeight - TILE_GAP * (rows - 1)) / rows - TILE_HEAD;
      const width = Math.min(roomX, roomY / TILE_SHAPE);
      if (width > best.width) best = { width, across, size: [Math.floor(roomX), Math.max(20, Math.floor(Math.min(roomY, roomX)))] };
    }
    this.grid.style.setProperty("--across", String(best.across));
    return best.size;
  }

  /** @param {number} stop @param {Shown} state @param {[number, number]} size @param {number} ratio */
  #paint(stop, state, [width, height], ratio) {
    const { world, camera, screen, cloud } = this;
    world.turnTo(stop);
    const context = penOf(this.tiles[stop].canvas);
    context.canvas.width = Math.round(width * ratio);
    context.canvas.height = Math.round(height * ratio);
    context.canvas.style.height = `${height}px`;
    if (camera.width !== width || camera.height !== height) camera.resize(width, height);
    camera.project(world, stop, screen);
    const crowd = clamp((1000 / world.count) ** 0.24, 0.3, 1.4);
    const radius = clamp(3.2 * crowd * Math.sqrt(Math.min(width, height) / 560), 0.8, 6);
    const scene = {
      ...state, ...colorPoints(world, state.coloring, stop, state.theme), world, camera, screen, radius, width, height, stop,
      layer: stop, shade: shadeOf(world.count, radius, camera),
    };
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    cloud.resize(width, height, ratio);
    cloud.draw(scene);
    context.drawImage(cloud.canvas, 0, 0, width, height);
    paintHighlights(context, { ...scene, radius: radius * 0.7 });
    world.turnTo(state.stop);
  }
}
