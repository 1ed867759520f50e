// Draws thousands of markers by copying precomputed pixels ("stamps") into an image.
//
// A canvas call per marker costs about 5 µs without a GPU; stamping the 40-odd pixels of a small
// marker straight into memory costs a tenth of that, and the whole image is handed over at once.

import { channels } from "./colors.js";
import { clamp } from "./dom.js";

const PHASES = 4; // sub-pixel positions per axis, so that slow movement stays smooth
const MARGIN = 24; // markers may hang over the edge of the image
const HALO = 1; // ring in the colour of the paper that keeps neighbours apart
const HALO_FROM = 2.6; // smaller markers are too many to afford one
const DIMMED = 0.16;
const FULL = 0.3; // of the stage; where markers would cover more, they let each other shine through
const FAINTEST = 0.3;
const DENSE = 0.5; // markers fainter than this are too many to be told apart by their shape

/** How much of the pixel at (dx, dy) a circle (side 0) or diamond (side 1) of a radius covers. */
function coverage(side, dx, dy, radius) {
  const inside =
    side === 0 ? radius - Math.hypot(dx, dy) : (radius * 1.3 - Math.abs(dx) - Math.abs(dy)) / Math.SQRT2;
  return Math.min(1, Math.max(0, inside + 0.5));
}

/** How opaque a marker is: less in a crowd, so that the shade tells how many lie there. */
export function shadeOf(count, radius, { width, height, zoom }) {
  const room = FULL * width * height * Math.max(1, zoom ** 2);
  return Math.round(clamp(room / (count * Math.PI * radius ** 2), FAINTEST, 1) * 20) / 20;
}

export class PointLayer {
  constructor(canvas) {
    this.context = canvas.getContext("2d");
    this.stamps = new Map();
  }

  resize(width, height, ratio) {
    this.context.canvas.width = Math.max(1, Math.round(width * ratio));
    this.context.canvas.height = Math.max(1, Math.round(height * ratio));
    this.ratio = ratio;
    this.width = this.context.canvas.width + 2 * MARGIN;
    this.height = this.context.canvas.height + 2 * MARGIN;
    this.image = new ImageData(this.width, this.height);
    this.pixels = new Uint32Array(this.image.data.buffer);
    this.counts = new Uint16Array(this.pixels.length);
    this.stamps.clear(); // their offsets depend on the width
  }

  /** `bright` is null, or a byte for each point that tells whether it keeps its full colour. */
  draw({ screen, world, slots, palette, theme, radius, shade, bright }) {
    const { paper } = theme;
    this.pixels.fill(0);
    const style = `${paper}/${radius}/${shade}/${palette.join()}`;
    if (style !== this.style) {
      this.style = style;
      this.stamps.clear();
    }
    const paint = { palette, paper: channels(paper), radius: radius * this.ratio };
    if (bright) {
      this.#stampAll(screen, world, slots, paint, DIMMED, (i) => !bright[i]);
      this.#stampAll(screen, world, slots, paint, 1, (i) => bright[i]);
    } else if (shade <= DENSE) {
      this.#count(screen, world, slots, paint, shade);
    } else {
      this.#stampAll(screen, world, slots, paint, shade, null);
    }
    this.context.putImageData(this.image, -MARGIN, -MARGIN);
  }

  #stampAll(screen, { sides, drawOrder }, slots, paint, alpha, wanted) {
    const { width, height, ratio, pixels } = this;
    const phases = [];
    for (let slot = 0; slot < paint.palette.length; slot++) {
      for (const side of [0, 1]) phases.push(this.#phasesOf(slot, side, alpha, paint));
    }
    const reach = Math.ceil(paint.radius * 1.3) + HALO + 2;
    // In a mixed order neither language lies on top of the other throughout.
    for (const i of drawOrder) {
      if (wanted && !wanted(i)) continue;
      const x = screen[2 * i] * ratio + MARGIN;
      const y = screen[2 * i + 1] * ratio + MARGIN;
      if (!(x > reach && y > reach && x < width - reach && y < height - reach)) continue;
      const column = Math.floor(x);
      const row = Math.floor(y);
      const phase = ((y - row) * PHASES | 0) * PHASES + ((x - column) * PHASES | 0);
      const { offsets, colors } = phases[slots[i] * 2 + sides[i]][phase];
      const start = row * width + column;
      for (let k = 0; k < offsets.length; k++) {
        const at = start + offsets[k];
        const color = colors[k];
        const under = pixels[at];
        pixels[at] = under === 0 || color >>> 24 === 255 ? color : over(color, under);
      }
    }
  }

  /** A crowd: small squares that are counted, so that the shade of a pixel tells how many lie there.
   *
   * Its colour is that of the last one drawn; in the mixed order that is a fair sample. */
  #count(screen, { drawOrder }, slots, { palette, radius }, shade) {
    const { width, height, ratio, pixels, counts } = this;
    const colors = Uint32Array.from(palette, (color) => pack(...channels(color), 0));
    const size = Math.max(2, Math.round(1.6 * radius));
    const shift = MARGIN - size / 2 + 0.5;
    counts.fill(0);
    for (const i of drawOrder) {
      const x = (screen[2 * i] * ratio + shift) | 0;
      const y = (screen[2 * i + 1] * ratio + shift) | 0;
      if (!(x > 0 && y > 0 && x + size < width && y + size < height)) continue;
      const color = colors[slots[i]];
      for (let row = y * width + x, end = row + size * width; row < end; row += width) {
        for (let at = row; at < row + size; at++) {
          pixels[at] = color;
          counts[at] += 1;
        }
      }
    }
    const shades = Uint32Array.from({ length: 256 }, (_, n) => (Math.round(255 * (1 - (1 - shade) ** n)) << 24) >>> 0);
    for (let at = 0; at < counts.length; at++) {
      if (counts[at] > 0) pixels[at] |= shades[Math.min(counts[at], 255)];
    }
  }

  #phasesOf(slot, side, alpha, paint) {
    const key = `${slot}/${side}/${alpha}`;
    if (!this.stamps.has(key)) {
      const color = channels(paint.palette[slot]);
      const made = Array.from({ length: PHASES * PHASES }, (_, phase) => {
        const shiftX = ((phase % PHASES) + 0.5) / PHASES;
        const shiftY = (Math.floor(phase / PHASES) + 0.5) / PHASES;
        return this.#makeStamp(side, color, alpha, paint, shiftX, shiftY);
      });
      this.stamps.set(key, made);
    }
    return this.stamps.get(key);
  }

  #makeStamp(side, color, alpha, { paper, radius }, shiftX, shiftY) {
    const offsets = [];
    const colors = [];
    const reach = Math.ceil(radius * 1.3) + HALO + 1;
    for (let y = -reach; y <= reach; y++) {
      for (let x = -reach; x <= reach; x++) {
        const core = coverage(side, x + 0.5 - shiftX, y + 0.5 - shiftY, radius);
        const halo = alpha < 1 || radius < HALO_FROM ? core : coverage(side, x + 0.5 - shiftX, y + 0.5 - shiftY, radius + HALO) * 0.85;
        const opacity = Math.max(core, halo);
        if (opacity < 0.02) continue;
        const mixed = color.map((part, i) => Math.round(part * (core / opacity) + paper[i] * (1 - core / opacity)));
        offsets.push(y * this.width + x);
        colors.push(pack(mixed[0], mixed[1], mixed[2], Math.round(opacity * alpha * 255)));
      }
    }
    return { offsets: Int32Array.from(offsets), colors: Uint32Array.from(colors) };
  }
}

function pack(red, green, blue, alpha) {
  return ((alpha << 24) | (blue << 16) | (green << 8) | red) >>> 0;
}

/** Porter–Duff "over" of two straight-alpha pixels. */
function over(top, under) {
  const topAlpha = top >>> 24;
  const underAlpha = under >>> 24;
  const rest = underAlpha === 255 ? 255 - topAlpha : (underAlpha * (255 - topAlpha)) / 255;
  const alpha = topAlpha + rest;
  const share = ((topAlpha << 8) / alpha) | 0; // of 256
  // Red and blue sit two bytes apart, so one multiplication mixes both.
  const redBlue = (Math.imul(top & 0xff00ff, share) + Math.imul(under & 0xff00ff, 256 - share)) >>> 8;
  const green = (Math.imul(top & 0xff00, share) + Math.imul(under & 0xff00, 256 - share)) >>> 8;
  return ((alpha << 24) | (redBlue & 0xff00ff) | (green & 0xff00)) >>> 0;
}
