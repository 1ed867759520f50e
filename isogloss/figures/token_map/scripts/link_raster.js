// Draws very many links: a pixel gets darker with every line that crosses it.
//
// Without a GPU that is quicker than the browser's own lines where there are thousands, and where
// lines pile up their number shows.

import { channels } from "./colors.js";
import { linkShades } from "./painter.js";

const LONG = 60; // pixels; of a longer line every second is drawn, twice as dark
const DARKEST = 110; // of 255, however many lines cross: the words are to stand out
const SHADES = Uint8Array.from({ length: 256 }, (_, sum) => Math.round(DARKEST * (1 - Math.exp(-sum / DARKEST))));

export class LinkRaster {
  constructor(canvas) {
    this.context = canvas.getContext("2d");
  }

  resize(ratio) {
    const { width, height } = this.context.canvas;
    this.ratio = ratio;
    this.image = new ImageData(width, height);
    this.pixels = new Uint32Array(this.image.data.buffer);
  }

  draw(scene) {
    const { world, screen, theme } = scene;
    const [red, green, blue] = channels(theme.ink);
    this.pixels.fill((blue << 16) | (green << 8) | red); // the ink, fully transparent
    const { stepOf, opacities } = linkShades(scene);
    const weights = opacities.map((opacity) => Math.max(1, Math.round(255 * opacity)));
    const links = world.drawnLinks;
    for (let i = 0; i < links.length; i += 2) {
      const step = stepOf[i >> 1];
      if (step === weights.length) continue; // hidden
      const [a, b] = [2 * links[i], 2 * links[i + 1]];
      this.#line(screen[a], screen[a + 1], screen[b], screen[b + 1], weights[step]);
    }
    const { data } = this.image;
    for (let i = 3; i < data.length; i += 4) if (data[i] > 0) data[i] = SHADES[data[i]];
    this.context.putImageData(this.image, 0, 0);
  }

  /** Adds to every pixel between two places on the stage; what lies outside is cut off. */
  #line(fromX, fromY, toX, toY, weight) {
    const { ratio } = this;
    const { data, width, height } = this.image;
    const x = fromX * ratio;
    const y = fromY * ratio;
    const dx = toX * ratio - x;
    const dy = toY * ratio - y;
    let first = 0;
    let last = 1;
    if (dx !== 0) {
      first = Math.max(first, Math.min(-x / dx, (width - 1 - x) / dx));
      last = Math.min(last, Math.max(-x / dx, (width - 1 - x) / dx));
    } else if (x < 0 || x >= width) return;
    if (dy !== 0) {
      first = Math.max(first, Math.min(-y / dy, (height - 1 - y) / dy));
      last = Math.min(last, Math.max(-y / dy, (height - 1 - y) / dy));
    } else if (y < 0 || y >= height) return;
    if (!(first < last)) return;
    const length = (last - first) * Math.max(Math.abs(dx), Math.abs(dy));
    const stride = length > LONG ? 2 : 1;
    const steps = Math.ceil(length / stride);
    const share = (last - first) / steps;
    // Places in 65,536ths of a pixel: whole numbers are quicker to add up and to cut.
    let column = ((x + first * dx) * 65536) | 0;
    let row = ((y + first * dy) * 65536) | 0;
    const right = (share * dx * 65536) | 0;
    const down = (share * dy * 65536) | 0;
    const added = weight * stride;
    for (let k = 0; k < steps; k++) {
      data[(((row >> 16) * width + (column >> 16)) << 2) + 3] += added;
      column += right;
      row += down;
    }
  }
}
