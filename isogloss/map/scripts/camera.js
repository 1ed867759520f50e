// From layout positions (y up) to pixels (y down).
//
// Every stop is scaled to the stage on its own, by the rule of framing.py: the same in both
// directions where that covers the stage, else stretched by as little as does.

import { clamp } from "./dom.js";

const LEAST_LONGER = 0.6;
const LEAST_SHORTER = 0.76;
const PADDING_SHARE = 0.08;
const MOST_PADDING = 28;

export class Camera {
  /** @type {number} */ zoom;
  /** @type {number} */ x;
  /** @type {number} */ y;
  /** @type {number} */ width;
  /** @type {number} */ height;
  /** @type {boolean} */ upright;
  /** @type {Frame[]} */ frames;

  /** `boxes` has {left, right, bottom, top} of the points at every stop.
   * @param {Box[]} boxes */
  constructor(boxes) {
    this.boxes = boxes;
    this.fit();
    this.resize(1, 1);
  }

  /** Takes other boxes, and leaves what is in view where it is.
   * @param {Box[]} boxes */
  reframe(boxes) {
    this.boxes = boxes;
    this.resize(this.width, this.height);
  }

  fit() {
    this.zoom = 1;
    this.x = this.y = 0.5; // the place in the middle of the view, as shares of the stage
  }

  get fitted() {
    return this.zoom === 1 && this.x === 0.5 && this.y === 0.5;
  }

  /** @param {number} width @param {number} height */
  resize(width, height) {
    this.width = width;
    this.height = height;
    this.upright = height > width; // the layout lies flat; here it is turned by a quarter
    this.frames = this.boxes.map((box) => this.#frame(box));
  }

  /** @param {Box} box */
  #frame({ left, right, bottom, top }) {
    const [width, height] = [this.width, this.height];
    const padding = Math.min(PADDING_SHARE * Math.min(width, height), MOST_PADDING);
    const [middleX, middleY] = [(left + right) / 2, (bottom + top) / 2];
    const extents = this.upright ? [top - bottom, right - left] : [right - left, top - bottom];
    const [across, up] = extents.map((extent) => extent || Math.max(...extents) || 1);
    const [least, shortest] = this.upright ? [LEAST_SHORTER, LEAST_LONGER] : [LEAST_LONGER, LEAST_SHORTER];
    const [roomX, roomY] = [width - 2 * padding, height - 2 * padding];
    const scale = Math.min(roomX / across, roomY / up);
    return {
      scaleX: Math.max(scale, Math.min(least * width, roomX) / across),
      scaleY: Math.max(scale, Math.min(shortest * height, roomY) / up),
      middleX: this.upright ? middleY : middleX,
      middleY: this.upright ? -middleX : middleY,
    };
  }

  /** How many times further than upwards things lie apart across, at a stop.
   * @param {number} stop */
  stretchAt(stop) {
    return this.frames[stop].scaleX / this.frames[stop].scaleY;
  }

  /** Zooms so that what is under the pixel (x, y) stays under it.
   * @param {number} x @param {number} y @param {number} factor */
  zoomAt(x, y, factor) {
    const before = this.zoom;
    this.zoom = clamp(this.zoom * factor, 0.5, 60);
    const shift = 1 / before - 1 / this.zoom;
    this.x += (x / this.width - 0.5) * shift;
    this.y += (y / this.height - 0.5) * shift;
  }

  /** @param {number} dx @param {number} dy */
  pan(dx, dy) {
    this.x -= dx / this.width / this.zoom;
    this.y -= dy / this.height / this.zoom;
  }

  /** x = u × scaleX + offsetX and y = offsetY − v × scaleY, for a layout point (u, v) of a stop.
   * @param {number} stop */
  #lens(stop) {
    const { scaleX, scaleY, middleX, middleY } = this.frames[stop];
    const { width, height, zoom } = this;
    return {
      scaleX: scaleX * zoom,
      scaleY: scaleY * zoom,
      offsetX: width / 2 + (width * (0.5 - this.x) - middleX * scaleX) * zoom,
      offsetY: height / 2 + (height * (0.5 - this.y) + middleY * scaleY) * zoom,
    };
  }

  /** Pixels of every point at a (possibly fractional) layer, written to `out` as x, y, x, y, …
   *
   * Between two layers a point goes straight from one measured place to the next, slowing down at
   * both: a curved path would pass through places that no layer has.
   * @param {World} world @param {number} layer @param {Float32Array} out */
  project(world, layer, out) {
    const below = Math.min(Math.floor(layer), world.stopCount - 1);
    const above = Math.min(below + 1, world.stopCount - 1);
    const fraction = layer - below;
    const late = fraction * fraction * (3 - 2 * fraction);
    const early = 1 - late;
    const [first, second] = [this.#lens(below), this.#lens(above)];
    const size = world.count * 2;
    const from = world.positions.subarray(below * size, below * size + size);
    const to = world.positions.subarray(above * size, above * size + size);
    const [fromX, toX] = [first.scaleX * early, second.scaleX * late];
    const sign = this.upright ? -1 : 1;
    const [fromY, toY] = [first.scaleY * early * sign, second.scaleY * late * sign];
    const offsetX = first.offsetX * early + second.offsetX * late;
    const offsetY = first.offsetY * early + second.offsetY * late;
    const [u, v] = this.upright ? [1, 0] : [0, 1];
    for (let i = 0; i < size; i += 2) {
      out[i] = offsetX + from[i + u] * fromX + to[i + u] * toX;
      out[i + 1] = offsetY - from[i + v] * fromY - to[i + v] * toY;
    }
  }

  /** @param {World} world @param {number} point @returns {Place[]} */
  pathOf(world, point) {
    const sign = this.upright ? -1 : 1;
    const [u, v] = this.upright ? [1, 0] : [0, 1];
    return Array.from({ length: world.stopCount }, (_, stop) => {
      const at = (stop * world.count + point) * 2;
      const { scaleX, scaleY, offsetX, offsetY } = this.#lens(stop);
      return [
        offsetX + world.positions[at + u] * scaleX,
        offsetY - world.positions[at + v] * scaleY * sign,
      ];
    });
  }
}

/** @param {ArrayLike<number>} screen @param {number} x @param {number} y @param {number} reach */
export function nearestPoint(screen, x, y, reach) {
  let best = -1;
  let bestDistance = reach * reach;
  for (let i = 0; i < screen.length; i += 2) {
    const dx = screen[i] - x;
    const dy = screen[i + 1] - y;
    const distance = dx * dx + dy * dy;
    if (distance < bestDistance) [best, bestDistance] = [i >> 1, distance];
  }
  return best;
}

/** Indices of the points inside a closed polygon [[x, y], …], by the even-odd rule.
 * @param {ArrayLike<number>} screen @param {Place[]} polygon */
export function pointsInside(screen, polygon) {
  const inside = [];
  for (let i = 0; i < screen.length; i += 2) {
    const [x, y] = [screen[i], screen[i + 1]];
    let odd = false;
    for (let a = 0, b = polygon.length - 1; a < polygon.length; b = a++) {
      const [ax, ay] = polygon[a];
      const [bx, by] = polygon[b];
      if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) odd = !odd;
    }
    if (odd) inside.push(i >> 1);
  }
  return inside;
}
