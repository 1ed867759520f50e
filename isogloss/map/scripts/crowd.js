// Markers where there are too many to be told apart: small squares that are counted, so that the
// shade of a pixel tells how many lie there.
//
// Its colour is that of the last one drawn; in the mixed order that is a fair sample.

import { channels } from "./colors.js";
import { WHOLE, layOver, packColor, shareOf } from "./pixels.js";

const MOST = 255; // counted in a pixel; by then it is opaque

export class Crowd {
  /** @type {Uint16Array} */ cells;

  /** @param {PixelFrame} frame */
  resize({ pixels }) {
    this.cells = new Uint16Array(pixels.length); // the upper byte has a colour, the lower a count
  }

  /** @param {PixelFrame} frame @param {Scene} scene */
  draw(frame, scene) {
    this.#count(frame, scene);
    this.#shade(frame, scene);
  }

  /** @param {PixelFrame} frame @param {Scene} scene */
  #count({ width, height, ratio, margin }, { screen, world, slots, radius }) {
    const { cells } = this;
    const { drawOrder } = world;
    const size = Math.max(2, Math.round(1.6 * radius * ratio));
    const shift = margin - size / 2 + 0.5;
    const [right, bottom] = [width - size, height - size];
    cells.fill(0);
    for (let k = 0; k < drawOrder.length; k++) {
      const point = drawOrder[k];
      const x = (screen[2 * point] * ratio + shift) | 0;
      const y = (screen[2 * point + 1] * ratio + shift) | 0;
      if (x <= 0 || y <= 0 || x >= right || y >= bottom) continue;
      const color = slots[point] << 8;
      const first = y * width + x;
      for (let row = first; row < first + size * width; row += width) {
        for (let at = row; at < row + size; at++) {
          const count = cells[at] & 255;
          cells[at] = color | (count + ((count - MOST) >>> 31)); // one more, while it is less than the most
        }
      }
    }
  }

  /** @param {PixelFrame} frame @param {Scene} scene */
  #shade({ pixels }, { palette, shade }) {
    const { cells } = this;
    const ready = new Int32Array(palette.length << 8);
    const rests = new Int32Array(MOST + 1);
    for (let count = 0; count <= MOST; count++) {
      rests[count] = Math.round(WHOLE * (1 - shade) ** count);
      palette.forEach((color, slot) => {
        ready[(slot << 8) | count] = shareOf(packColor(channels(color)), WHOLE - rests[count]);
      });
    }
    for (let at = 0; at < cells.length; at++) {
      const cell = cells[at];
      if (cell > 0) pixels[at] = layOver(ready[cell], pixels[at], rests[cell & 255]);
    }
  }
}
