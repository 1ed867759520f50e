// The mass of the map, links under markers, drawn pixel by pixel into one image.
//
// Without a GPU that is many times quicker than a canvas call for each line and marker, and the one
// opaque image is handed to the browser at once, which then has nothing to blend it with.

import { channels } from "./colors.js";
import { clamp, penOf } from "./dom.js";
import { Crowd } from "./crowd.js";
import { LinkSums } from "./link_sums.js";
import { packColor } from "./pixels.js";
import { Stamps } from "./stamps.js";

const MARGIN = 24; // markers may hang over the edge of the image
const DIMMED = 0.16;
const FULL = 0.3; // of the stage; where markers would cover more, they let each other shine through
const FAINTEST = 0.3;
const DENSE = 0.5; // markers fainter than this are too many to be told apart by their shape

/** How opaque a marker is: less in a crowd, so that the shade tells how many lie there.
 * @param {number} count @param {number} radius @param {{width: number, height: number, zoom: number}} camera */
export function shadeOf(count, radius, { width, height, zoom }) {
  const room = FULL * width * height * Math.max(1, zoom ** 2);
  return Math.round(clamp(room / (count * Math.PI * radius ** 2), FAINTEST, 1) * 20) / 20;
}

export class Cloud {
  /** @type {ImageData} */ image;
  /** @type {PixelFrame} */ frame;

  /** @param {HTMLCanvasElement} canvas */
  constructor(canvas) {
    this.context = penOf(canvas, { alpha: false });
    this.links = new LinkSums();
    this.stamps = new Stamps();
    this.crowd = new Crowd();
  }

  get canvas() {
    return this.context.canvas;
  }

  /** @param {number} width @param {number} height @param {number} ratio */
  resize(width, height, ratio) {
    this.canvas.width = Math.max(1, Math.round(width * ratio));
    this.canvas.height = Math.max(1, Math.round(height * ratio));
    this.image = new ImageData(this.canvas.width + 2 * MARGIN, this.canvas.height + 2 * MARGIN);
    this.frame = {
      pixels: new Int32Array(this.image.data.buffer),
      width: this.image.width, height: this.image.height, ratio, margin: MARGIN,
    };
    for (const part of [this.links, this.stamps, this.crowd]) part.resize(this.frame);
  }

  /** `bright` of the scene is null, or a byte for each point that tells whether it keeps its full colour;
   * while `moving`, links are drawn with less care.
   * @param {Scene} scene */
  draw(scene) {
    const { frame } = this;
    const { theme, shade, bright } = scene;
    if (scene.showLinks) this.links.draw(frame, scene);
    else frame.pixels.fill(packColor(channels(theme.paper)));
    if (bright) {
      this.stamps.draw(frame, scene, DIMMED, (point) => !bright[point]);
      this.stamps.draw(frame, scene, 1, (point) => bright[point] > 0);
    } else if (shade <= DENSE) {
      this.crowd.draw(frame, scene);
    } else {
      this.stamps.draw(frame, scene, shade);
    }
    this.context.putImageData(this.image, -MARGIN, -MARGIN);
  }
}
