// From layout coordinates (y up) to pixels (y down), and back.

import { clamp } from "./dom.js";

const PADDING = 28;

export class Camera {
  constructor(bounds) {
    this.bounds = bounds;
    this.width = this.height = 1;
    this.fit();
  }

  fit() {
    this.zoom = 1;
    this.x = (this.bounds.left + this.bounds.right) / 2;
    this.y = (this.bounds.bottom + this.bounds.top) / 2;
  }

  resize(width, height) {
    this.width = width;
    this.height = height;
  }

  get scale() {
    const { left, right, bottom, top } = this.bounds;
    const fitted = Math.min(
      Math.max(1, this.width - 2 * PADDING) / (right - left || 1),
      Math.max(1, this.height - 2 * PADDING) / (top - bottom || 1),
    );
    return fitted * this.zoom;
  }

  /** Zooms so that the layout point under the pixel (x, y) stays under it. */
  zoomAt(x, y, factor) {
    const before = this.scale;
    this.zoom = clamp(this.zoom * factor, 0.5, 60);
    const shift = 1 / before - 1 / this.scale;
    this.x += (x - this.width / 2) * shift;
    this.y -= (y - this.height / 2) * shift;
  }

  pan(dx, dy) {
    this.x -= dx / this.scale;
    this.y += dy / this.scale;
  }

  /** Pixels of every point at a (possibly fractional) layer, written to `out` as x, y, x, y, …
   *
   * Between two layers a point goes straight from one measured place to the next, slowing down at
   * both: a curved path would pass through places that no layer has.
   */
  project(world, layer, out) {
    const below = Math.min(Math.floor(layer), world.stopCount - 1);
    const above = Math.min(below + 1, world.stopCount - 1);
    const fraction = layer - below;
    const late = fraction * fraction * (3 - 2 * fraction) * this.scale;
    const early = this.scale - late;
    const size = world.count * 2;
    const from = world.coordinates.subarray(below * size, below * size + size);
    const to = world.coordinates.subarray(above * size, above * size + size);
    const offsetX = this.width / 2 - this.x * this.scale;
    const offsetY = this.height / 2 + this.y * this.scale;
    for (let i = 0; i < size; i += 2) {
      out[i] = offsetX + from[i] * early + to[i] * late;
      out[i + 1] = offsetY - from[i + 1] * early - to[i + 1] * late;
    }
  }

  pathOf(world, point) {
    const scale = this.scale;
    return Array.from({ length: world.stopCount }, (_, stop) => {
      const at = (stop * world.count + point) * 2;
      return [
        this.width / 2 + (world.coordinates[at] - this.x) * scale,
        this.height / 2 - (world.coordinates[at + 1] - this.y) * scale,
      ];
    });
  }
}

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

/** Indices of the points inside a closed polygon [[x, y], …], by the even-odd rule. */
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
