// Links added up pixel by pixel: a pixel gets darker with every line that crosses it, up to a limit,
// so that where lines pile up their number shows and the words still stand out.

import { channels } from "./colors.js";
import { linkShades } from "./painter.js";
import { WHOLE, layOver, packColor, shareOf } from "./pixels.js";

const SMOOTH = [1_000, 3_000]; // so many lines have smooth edges: in motion, and at rest
const LONG = 60; // pixels; of a longer line that is not smooth, every second pixel is drawn, twice as dark
const HALVED = 3_000; // of more lines every second is drawn in motion, twice as dark
const DARKEST = [110, 220]; // of 255, however many lines cross: among very many, and among few

export class LinkSums {
  /** @type {number} */ width;
  /** @type {number} */ height;
  /** @type {Uint8ClampedArray} */ sums;
  /** @type {boolean} */ smooth;

  /** @param {PixelFrame} frame */
  resize({ width, height }) {
    this.width = width;
    this.height = height;
    this.sums = new Uint8ClampedArray(width * height);
  }

  /** Covers the whole frame with the paper and the links on it.
   * @param {PixelFrame} frame @param {Scene} scene */
  draw({ pixels, ratio, margin }, scene) {
    const { sums } = this;
    const { world, screen, theme, moving } = scene;
    const links = world.drawnLinks;
    const { stepOf, opacities, crowd } = linkShades(scene);
    const darkest = Math.max(DARKEST[0], DARKEST[1] * crowd);
    const every = moving && links.length > 2 * HALVED ? 2 : 1;
    // The sum that a line alone must have to be as dark as it should.
    const weights = Int32Array.from(opacities, (opacity) =>
      Math.max(1, Math.round(-darkest * every * Math.log(1 - (255 * opacity) / darkest))));
    this.smooth = links.length <= 2 * SMOOTH[moving ? 0 : 1];
    sums.fill(0);
    for (let i = 0; i < links.length; i += 2 * every) {
      const step = stepOf[i >> 1];
      if (step === weights.length) continue; // hidden
      const a = 2 * links[i];
      const b = 2 * links[i + 1];
      const [x0, y0] = [screen[a] * ratio + margin, screen[a + 1] * ratio + margin];
      const [x1, y1] = [screen[b] * ratio + margin, screen[b + 1] * ratio + margin];
      // A flat line is followed column by column to the right, a steep one row by row downwards.
      if (Math.abs(x1 - x0) < Math.abs(y1 - y0)) {
        if (y0 < y1) this.#follow(false, y0, x0, y1, x1, weights[step]);
        else this.#follow(false, y1, x1, y0, x0, weights[step]);
      } else if (x0 < x1) this.#follow(true, x0, y0, x1, y1, weights[step]);
      else this.#follow(true, x1, y1, x0, y0, weights[step]);
    }
    const [paper, ink] = [theme.paper, theme.ink].map((color) => packColor(channels(color)));
    const shades = Int32Array.from({ length: 256 }, (_, sum) => {
      const share = Math.round((WHOLE / 255) * darkest * (1 - Math.exp(-sum / darkest)));
      return layOver(shareOf(ink, share), paper, WHOLE - share);
    });
    for (let at = 0; at < sums.length; at++) pixels[at] = shades[sums[at]];
  }

  /** Adds to the pixels of a line; what lies outside the frame is cut off.
   *
   * It is followed from `from` to `to`; meanwhile it goes sideways from `side` to `otherSide`.
   * @param {boolean} flat
   * @param {number} from
   * @param {number} side
   * @param {number} to
   * @param {number} otherSide
   * @param {number} weight */
  #follow(flat, from, side, to, otherSide, weight) {
    const { sums, width, height } = this;
    const along = flat ? 1 : width; // as steps in memory
    const across = flat ? width : 1;
    const slope = to > from ? (otherSide - side) / (to - from) : 0;
    const start = side - 0.5 + (0.5 - from) * slope; // pixels have their middle at one half
    let first = Math.max(0, Math.ceil(from - 0.5));
    let last = Math.min((flat ? width : height) - 1, Math.floor(to - 0.5));
    const limit = (flat ? height : width) - 2;
    if (slope !== 0) {
      const enter = -start / slope;
      const leave = (limit - start) / slope;
      first = Math.max(first, Math.ceil(Math.min(enter, leave)));
      last = Math.min(last, Math.floor(Math.max(enter, leave)));
    } else if (start < 0 || start > limit) return;
    // Places in 65,536ths of a pixel: whole numbers are quicker to add up and to cut.
    const end = last | 0;
    const down = (slope * 65536) | 0;
    let place = ((start + first * slope) * 65536) | 0;
    if (this.smooth) {
      for (let k = first | 0; k <= end; k++, place += down) {
        const at = k * along + (place >> 16) * across;
        const part = (weight * ((place >> 8) & 255)) >> 8;
        sums[at] += weight - part;
        sums[at + across] += part;
      }
      return;
    }
    const stride = last - first > LONG ? 2 : 1;
    const added = weight * stride;
    place += 32768;
    for (let k = first | 0; k <= end; k += stride, place += stride * down) {
      sums[k * along + (place >> 16) * across] += added;
    }
  }
}
