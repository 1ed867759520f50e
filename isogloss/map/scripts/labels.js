// Which words are written on the map, and where: greedy, without overlap, and without jumping while the slider is dragged.

import { FONT_STACK, asLine, readable } from "./dom.js";
import { Prominence } from "./prominence.js";

/** @type {Spot[]} */
const NEAR = [[1, 0], [-1, 0], [0, -1], [0, 1]]; // right of the marker, left, above, below
/** @type {Spot[]} */
const CORNERS = [[1, -1], [-1, -1], [1, 1], [-1, 1]];
/** @param {number} across @param {number} down @param {number} away @returns {Spot} */
const spotAt = (across, down, away) => [across, down, away];
/** Where a word that must be written goes if it finds no room beside its marker.
 * @type {Spot[]} */
const FURTHER = [...CORNERS, ...[1, 2].flatMap((away) => [...CORNERS, ...NEAR].map(([across, down]) => spotAt(across, down, away)))];
const FADE_MILLISECONDS = 140;
const CANDIDATES = 700;
const REPEATS = 1; // a frequent word is written this often; more would crowd out the others
const CROWD = 4000; // words, beyond which fewer are written, so that the crowd's shape is seen
const ROOM = 100; // square letters of the map for each label; fewer words are read more easily

export class Labels {
  /** @type {number} */ size;
  /** @type {string} */ font;

  /** @param {World} world */
  constructor(world) {
    this.world = world;
    this.prominence = new Prominence(world);
    /** @type {Map<number, WrittenLabel>} */
    this.shown = new Map();
    /** @type {Map<string, number>} */
    this.widths = new Map();
    /** @type {Map<number, string>} */
    this.texts = new Map();
  }

  /** @param {number} size */
  setFont(size) {
    if (size === this.size) return;
    this.size = size;
    this.font = `500 ${size}px ${FONT_STACK}`;
    this.widths.clear();
  }

  /** Places labels for one frame.
   *
   * `forced` points come first. While `moving`, words may leave when they would collide but none
   * is added, so that nothing flickers under a drag. Returns whether a fade is still under way.
   * @param {CanvasRenderingContext2D} context @param {LabelScene} scene */
  place(context, { screen, width, height, stop, radius, forced, moving, elapsed, wanted, allowed }) {
    context.font = this.font;
    const crowd = Math.min(1, Math.max(0.3, Math.sqrt(CROWD / this.world.count)));
    const limit = Math.round((crowd * width * height) / (this.size * this.size * ROOM));
    /** @type {Box[]} */
    const boxes = [];
    const kept = new Set();
    const written = new Map();
    const frame = { context, screen, width, height, radius, boxes };
    /** @param {number} point @param {boolean} always */
    const keep = (point, always) => {
      if (kept.has(point)) return;
      const spot = this.#findSpot(point, frame, always);
      if (!spot) return;
      kept.add(point);
      boxes.push(spot.box);
      written.set(spot.text, (written.get(spot.text) ?? 0) + 1);
      const before = this.shown.get(point);
      this.shown.set(point, { ...spot, opacity: before?.opacity ?? 0, leaving: false });
    };
    for (const point of forced) keep(point, true);
    if (wanted) {
      for (const [point, label] of this.shown) if (!label.leaving && (!allowed || allowed[point])) keep(point, false);
      const order = moving ? new Int32Array() : this.prominence.orderAt(stop);
      for (let i = 0, tried = 0; i < order.length && kept.size < limit && tried < CANDIDATES; i++) {
        const point = order[i];
        const [x, y] = [screen[2 * point], screen[2 * point + 1]];
        if (x < 0 || y < 0 || x > width || y > height || (allowed && !allowed[point])) continue;
        if ((written.get(this.#textOf(point)) ?? 0) >= REPEATS) continue;
        tried += 1;
        keep(point, false);
      }
    }
    return this.#fade(kept, frame, elapsed);
  }

  /** @param {Set<number>} kept @param {LabelFrame} frame @param {number} elapsed */
  #fade(kept, frame, elapsed) {
    let changing = false;
    const step = elapsed / FADE_MILLISECONDS;
    for (const [point, label] of this.shown) {
      label.leaving = !kept.has(point);
      if (label.leaving) label.box = this.#boxAt(point, label.spot, frame);
      label.opacity = Math.min(1, Math.max(0, label.opacity + (label.leaving ? -step : step)));
      if (label.leaving && label.opacity === 0) this.shown.delete(point);
      else if (label.opacity < 1) changing = true;
    }
    return changing;
  }

  /** @param {number} point @param {LabelFrame} frame @param {boolean} always @returns {WrittenSpot | null} */
  #findSpot(point, frame, always) {
    const before = this.shown.get(point)?.spot;
    const text = this.#textOf(point);
    for (const spot of [...(before ? [before] : []), ...NEAR, ...(always ? FURTHER : [])]) {
      const box = this.#boxAt(point, spot, frame);
      if (box.left < 2 || box.top < 2 || box.right > frame.width - 2 || box.bottom > frame.height - 2) continue;
      if (!frame.boxes.some((other) => overlap(box, other))) return { spot, box, text };
    }
    return always ? { spot: NEAR[0], box: this.#boxAt(point, NEAR[0], frame), text } : null;
  }

  /** @param {number} point @returns {string} */
  #textOf(point) {
    const text = this.texts.get(point) ?? asLine(readable(this.world.texts[point], 24));
    this.texts.set(point, text);
    return text;
  }

  /** @param {number} point @param {CanvasRenderingContext2D} context @returns {number} */
  #widthOf(point, context) {
    const text = this.#textOf(point);
    const width = this.widths.get(text) ?? context.measureText(text).width;
    this.widths.set(text, width);
    return width;
  }

  /** @param {number} point @param {Spot} spot @param {LabelFrame} frame @returns {Box} */
  #boxAt(point, [across, down, away = 0], { context, screen, radius }) {
    const [x, y] = [screen[2 * point], screen[2 * point + 1]];
    const width = this.#widthOf(point, context);
    const height = this.size * 1.15;
    const gap = radius + 3 + away * height;
    const left = x + across * gap - ((1 - across) / 2) * width;
    const top = y + down * gap - ((1 - down) / 2) * height;
    return { left, top, right: left + width, bottom: top + height };
  }
}

/** @param {Box} a @param {Box} b */
function overlap(a, b) {
  return a.left < b.right + 3 && b.left < a.right + 3 && a.top < b.bottom && b.top < a.bottom;
}
