// Draws thousands of markers by copying precomputed pixels ("stamps") into an image.

import { SHAPES, channels } from "./colors.js";
import { WHOLE, layOver, packColor, shareOf } from "./pixels.js";
import { depthIn } from "./shapes.js";

const PHASES = 4; // sub-pixel positions per axis, so that slow movement stays smooth
const HALO = 1; // ring in the colour of the paper that keeps neighbours apart
const HALO_FROM = 2.6; // smaller markers are too many to afford one

/** How much of the pixel at (dx, dy) a shape of a radius covers.
 * @param {number} shape @param {number} dx @param {number} dy @param {number} radius */
function coverage(shape, dx, dy, radius) {
  return Math.min(1, Math.max(0, depthIn(shape, dx, dy, radius) + 0.5));
}

export class Stamps {
  /** @type {string | undefined} */ style;

  constructor() {
    /** @type {Map<string, Stamp[]>} */
    this.made = new Map();
  }

  resize() {
    this.made.clear(); // their offsets depend on the width
  }

  /** `wanted` tells of a point whether it is drawn; left out, all are.
   * @param {PixelFrame} frame
   * @param {Scene} scene
   * @param {number} alpha
   * @param {(point: number) => boolean} [wanted] */
  draw({ pixels, width, height, ratio, margin }, { screen, world, slots, palette, theme, radius: size }, alpha, wanted) {
    const radius = size * ratio;
    const style = `${theme.paper}/${radius}/${palette.join()}`;
    if (style !== this.style) {
      this.style = style;
      this.made.clear();
    }
    /** @type {Stamp[][]} */
    const phases = new Array(palette.length * SHAPES.length);
    const { shapes, drawOrder } = world;
    const reach = Math.ceil(radius * 1.3) + HALO + 2;
    const [right, bottom] = [width - reach, height - reach];
    // In a mixed order neither language lies on top of the other throughout.
    for (let n = 0; n < drawOrder.length; n++) {
      const point = drawOrder[n];
      if (wanted && !wanted(point)) continue;
      const x = screen[2 * point] * ratio + margin;
      const y = screen[2 * point + 1] * ratio + margin;
      if (x <= reach || y <= reach || x >= right || y >= bottom) continue;
      const column = x | 0;
      const row = y | 0;
      const phase = ((y - row) * PHASES | 0) * PHASES + ((x - column) * PHASES | 0);
      const kind = slots[point] * SHAPES.length + shapes[point];
      phases[kind] ??= this.#phasesOf(shapes[point], palette[slots[point]], alpha, theme.paper, radius, width);
      const { offsets, ready, rests } = phases[kind][phase];
      const start = row * width + column;
      for (let k = 0; k < offsets.length; k++) {
        const at = start + offsets[k];
        pixels[at] = rests[k] === 0 ? ready[k] : layOver(ready[k], pixels[at], rests[k]);
      }
    }
  }

  /**
   * @param {number} shape
   * @param {string} color
   * @param {number} alpha
   * @param {string} paper
   * @param {number} radius
   * @param {number} width
   */
  #phasesOf(shape, color, alpha, paper, radius, width) {
    const key = `${shape}/${color}/${alpha}`;
    const made = this.made.get(key) ?? Array.from({ length: PHASES * PHASES }, (_, phase) => {
      const shiftX = ((phase % PHASES) + 0.5) / PHASES;
      const shiftY = (Math.floor(phase / PHASES) + 0.5) / PHASES;
      return makeStamp(shape, channels(color), alpha, channels(paper), radius, width, shiftX, shiftY);
    });
    this.made.set(key, made);
    return made;
  }
}

/**
 * @param {number} shape
 * @param {Channels} color
 * @param {number} alpha
 * @param {Channels} paper
 * @param {number} radius
 * @param {number} width
 * @param {number} shiftX
 * @param {number} shiftY
 */
function makeStamp(shape, color, alpha, paper, radius, width, shiftX, shiftY) {
  const offsets = [];
  const ready = [];
  const rests = [];
  const reach = Math.ceil(radius * 1.3) + HALO + 1;
  for (let y = -reach; y <= reach; y++) {
    for (let x = -reach; x <= reach; x++) {
      const core = coverage(shape, x + 0.5 - shiftX, y + 0.5 - shiftY, radius);
      const halo = alpha < 1 || radius < HALO_FROM ? core : coverage(shape, x + 0.5 - shiftX, y + 0.5 - shiftY, radius + HALO) * 0.85;
      const opacity = Math.max(core, halo);
      if (opacity < 0.02) continue;
      const mixed = color.map((part, i) => Math.round(part * (core / opacity) + paper[i] * (1 - core / opacity)));
      const share = Math.round(opacity * alpha * WHOLE);
      offsets.push(y * width + x);
      ready.push(shareOf(packColor(mixed), share));
      rests.push(WHOLE - share);
    }
  }
  return { offsets: Int32Array.from(offsets), ready: Int32Array.from(ready), rests: Int32Array.from(rests) };
}
