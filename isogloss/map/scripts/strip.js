// The layer slider and, above it on the same scale, the scores of every layer.

import { FONT_STACK, clamp, penOf } from "./dom.js";
import { tracePath } from "./shapes.js";

/** How each score is drawn, by its place in the list; the first has its interval around it. */
const DASHES = [[], [7, 4], [1, 4], [9, 4, 1, 4]];
const EDGE = 3; // letters left and right of the slider: the axis is written there
const CHANCE_SEEN = 0.04; // below this, its line would lie on the floor
const TOPS = [0.1, 0.2, 0.4, 0.6, 0.8, 1]; // where the axis may end; its ticks are there and half way

export class Strip {
  /** @type {number} */ width;
  /** @type {number} */ height;
  /** @type {number} */ ratio;
  /** @type {number} */ letter;
  /** @type {number} */ edge;
  /** @type {number} */ trackY;
  /** @type {number} */ chartTop;
  /** @type {number} */ chartBottom;
  /** @type {number} */ top;

  /** @param {World} world @param {HTMLCanvasElement} canvas */
  constructor(world, canvas) {
    this.world = world;
    this.canvas = canvas;
    this.context = penOf(canvas);
  }

  /** `letter` is the size of the smallest text in pixels; everything else goes by it.
   * @param {number} width @param {number} height @param {number} ratio @param {number} letter */
  resize(width, height, ratio, letter) {
    this.canvas.width = Math.max(1, Math.round(width * ratio));
    this.canvas.height = Math.max(1, Math.round(height * ratio));
    Object.assign(this, { width, height, ratio, letter });
    this.edge = Math.round(EDGE * letter);
    this.trackY = height - 2.5 * letter;
    this.chartTop = 1.6 * letter;
    this.chartBottom = this.trackY - 0.9 * letter;
  }

  /** @param {number} layer */
  xOf(layer) {
    const last = this.world.stopCount - 1;
    return last === 0 ? this.width / 2 : this.edge + (layer / last) * (this.width - 2 * this.edge);
  }

  /** @param {number} x */
  layerAt(x) {
    const last = this.world.stopCount - 1;
    const usable = Math.max(1, this.width - 2 * this.edge);
    return clamp(((x - this.edge) / usable) * last, 0, last);
  }

  /** `drawn` lists which of the scores to draw; the first of them gets its readings.
   * @param {number} layer @param {number[]} drawn @param {Theme} theme @param {boolean} focused */
  draw(layer, drawn, theme, focused) {
    const { context } = this;
    const { scores } = this.world;
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    context.clearRect(0, 0, this.width, this.height);
    context.lineJoin = "round";
    context.lineCap = "round";
    this.top = axisTop(drawn.map((index) => scores[index]));
    this.#drawAxis(theme);
    for (const index of drawn) if (index === 0) this.#drawBand(scores[index], theme);
    for (const index of [...drawn].reverse()) this.#drawCurve(scores[index], index, theme);
    this.#drawTrack(layer, theme, focused);
    if (drawn.length) this.#drawReading(layer, scores[drawn[0]], theme);
    context.globalAlpha = 1;
  }

  /** @param {number} value */
  #yOf(value) {
    return this.chartBottom - clamp(value / this.top, 0, 1) * (this.chartBottom - this.chartTop);
  }

  /** Where a curve goes.
   * @param {number[]} values @returns {Place[]} */
  #wayOf(values) {
    return values.map((value, stop) => [this.xOf(stop), this.#yOf(value)]);
  }

  /** The ticks in per cent, left of the first stop.
   * @param {Theme} theme */
  #drawAxis(theme) {
    const { context, letter } = this;
    context.textAlign = "right";
    context.textBaseline = "middle";
    context.font = `500 ${0.9 * letter}px ${FONT_STACK}`;
    context.lineWidth = 1;
    context.strokeStyle = context.fillStyle = theme.ink;
    for (const tick of [0, this.top / 2, this.top]) {
      const y = this.#yOf(tick);
      context.globalAlpha = 0.12;
      this.#line(this.xOf(0), y, this.xOf(this.world.stopCount - 1), y);
      context.globalAlpha = 0.7;
      const end = this.xOf(0) - 0.5 * letter;
      context.fillText(numberText(tick), end, y, end); // a wide font is squeezed, not cut off
    }
  }

  /** The interval, and what a model with random weights reads.
   * @param {Score} score @param {Theme} theme */
  #drawBand({ lower, upper, random }, theme) {
    const { context } = this;
    if (random) this.#drawRandom(random, theme);
    if (!lower || !upper) return;
    context.fillStyle = theme.sides[0];
    tracePath(context, [...this.#wayOf(upper), ...this.#wayOf(lower).reverse()]);
    context.globalAlpha = theme.dark ? 0.34 : 0.22;
    context.fill();
  }

  /** @param {number[]} values @param {Theme} theme */
  #drawRandom(values, theme) {
    const { context, letter } = this;
    tracePath(context, this.#wayOf(values));
    context.lineWidth = 0.16 * letter;
    context.strokeStyle = context.fillStyle = theme.ink;
    context.globalAlpha = 0.45;
    context.stroke();
    context.globalAlpha = 0.7;
    context.textAlign = "right";
    context.textBaseline = "alphabetic";
    context.font = `500 ${letter}px ${FONT_STACK}`;
    context.fillText("random model", this.xOf(values.length - 1), this.#yOf(Math.max(...values.slice(-2))) - 0.4 * letter);
  }

  /** @param {Score} score @param {number} index @param {Theme} theme */
  #drawCurve({ values }, index, theme) {
    const { context } = this;
    tracePath(context, this.#wayOf(values));
    context.setLineDash(dashOf(index).map((length) => (length * this.letter) / 11));
    context.lineWidth = (index ? 0.13 : 0.16) * this.letter;
    context.strokeStyle = index ? theme.ink : theme.sides[0];
    context.globalAlpha = index ? 0.7 : 1;
    context.stroke();
    context.setLineDash([]);
  }

  /** @param {number} layer @param {Theme} theme @param {boolean} focused */
  #drawTrack(layer, theme, focused) {
    const { context, trackY, letter } = this;
    const x = this.xOf(layer);
    context.strokeStyle = theme.ink;
    context.lineWidth = 0.36 * letter;
    context.globalAlpha = 0.16;
    this.#line(this.xOf(0), trackY, this.xOf(this.world.stopCount - 1), trackY);
    context.strokeStyle = theme.sides[0];
    context.globalAlpha = 1;
    this.#line(this.xOf(0), trackY, x, trackY);
    this.#drawTicks(layer, theme);
    context.lineWidth = 1;
    context.strokeStyle = theme.ink;
    context.globalAlpha = 0.35;
    this.#line(x, this.chartTop, x, trackY);
    const size = 0.72 * letter;
    context.globalAlpha = 1;
    if (focused) this.#disc(x, trackY, size + 5, theme.sides[0], 0.28);
    this.#disc(x, trackY, size, theme.paper, 1);
    context.lineWidth = 0.27 * letter;
    context.strokeStyle = theme.sides[0];
    context.stroke();
  }

  /** @param {number} layer @param {Theme} theme */
  #drawTicks(layer, theme) {
    const { context, letter } = this;
    const spacing = (this.width - 2 * this.edge) / Math.max(1, this.world.stopCount - 1);
    const widest = Math.max(...this.world.stops.map((label) => label.length)) * letter * 0.62 + 8;
    const every = Math.max(1, Math.ceil(widest / spacing));
    const here = Math.round(layer);
    context.textAlign = "center";
    context.textBaseline = "alphabetic";
    this.world.stops.forEach((label, stop) => {
      this.#disc(this.xOf(stop), this.trackY, 0.16 * letter, theme.ink, 0.4);
      // The stop on show is always named; a neighbour that it would run into is not.
      if (stop !== here && (stop % every || Math.abs(stop - here) * spacing < widest)) return;
      context.fillStyle = theme.ink;
      context.globalAlpha = stop === here ? 1 : 0.65;
      context.font = `${stop === here ? 700 : 500} ${letter}px ${FONT_STACK}`;
      context.fillText(label, this.xOf(stop), this.height - 0.5 * letter);
    });
  }

  /** The score of the stop that is named, where it is highest, and what chance would give.
   *
   * Where several stops share the highest, none of them is a peak, and how many do is written.
   * Between two stops nothing was measured, so the reading stays with the nearer one.
   * @param {number} layer @param {Score} score @param {Theme} theme */
  #drawReading(layer, { values, chance, random }, theme) {
    const { context, letter } = this;
    const stop = Math.round(layer);
    const [x, value] = [this.xOf(stop), values[stop]];
    const tops = values.flatMap((each, index) => (each === Math.max(...values) ? [index] : []));
    const peak = tops[0];
    const [peakX, peakY] = [this.xOf(peak), this.#yOf(values[peak])];
    context.textBaseline = "alphabetic";
    this.#disc(peakX, peakY, 0.36 * letter, theme.paper, 1);
    context.lineWidth = 0.16 * letter;
    context.strokeStyle = theme.sides[0];
    context.stroke();
    const reading = numberText(value);
    const mark = tops.length > 1
      ? `${numberText(values[peak])} at ${tops.length} of ${values.length}` : `peak ${numberText(values[peak])}`;
    context.font = `700 ${1.1 * letter}px ${FONT_STACK}`;
    const readingWidth = context.measureText(reading).width;
    const readingX = clamp(x, readingWidth / 2 + 2, this.width - readingWidth / 2 - 2);
    context.textAlign = "center";
    context.fillStyle = theme.ink;
    context.fillText(reading, readingX, this.#yOf(value) - 0.7 * letter);
    this.#disc(x, this.#yOf(value), 0.3 * letter, theme.ink, 1);
    context.font = `500 ${letter}px ${FONT_STACK}`;
    if (!random && chance !== null && chance > CHANCE_SEEN) this.#drawChance(chance, theme);
    const markWidth = context.measureText(mark).width;
    const markX = clamp(peakX, markWidth / 2 + 2, this.width - markWidth / 2 - 2);
    if (Math.abs(markX - readingX) < (markWidth + readingWidth) / 2 + 10) return;
    context.fillStyle = theme.ink;
    context.globalAlpha = 0.7;
    context.textAlign = "center";
    context.fillText(mark, markX, peakY - 0.7 * letter);
  }

  /** @param {number} chance @param {Theme} theme */
  #drawChance(chance, theme) {
    const { context } = this;
    const y = this.#yOf(chance);
    context.strokeStyle = theme.ink;
    context.lineWidth = 1;
    context.globalAlpha = 0.45;
    this.#line(this.xOf(0), y, this.xOf(this.world.stopCount - 1), y);
    context.fillStyle = theme.ink;
    context.globalAlpha = 0.7;
    context.textAlign = "left";
    context.fillText("chance", this.xOf(0) + 2, y - 0.25 * this.letter);
    context.globalAlpha = 1;
  }

  /** @param {number} x0 @param {number} y0 @param {number} x1 @param {number} y1 */
  #line(x0, y0, x1, y1) {
    tracePath(this.context, [[x0, y0], [x1, y1]]);
    this.context.stroke();
  }

  /** @param {number} x @param {number} y @param {number} radius @param {string} color @param {number} opacity */
  #disc(x, y, radius, color, opacity) {
    this.context.beginPath();
    this.context.arc(x, y, radius, 0, 2 * Math.PI);
    this.context.fillStyle = color;
    this.context.globalAlpha = opacity;
    this.context.fill();
    this.context.globalAlpha = 1;
  }
}

/** A score as text, in per cent; with one decimal where none would say 0 %.
 * @param {number} value */
export const numberText = (value) => `${(100 * value).toFixed(value > 0 && value < 0.005 ? 1 : 0)}\u00a0%`;

/** Where the axis ends: as low as it can, so that a rise is seen as one.
 * @param {Pick<Score, "values" | "upper">[]} scores */
export function axisTop(scores) {
  const highest = Math.max(0, ...scores.flatMap(({ values, upper }) => upper ?? values));
  return TOPS.find((top) => highest <= top) ?? 1;
}

/** A score by name, and whose links it rests on.
 * @param {{name: string, badge: string}} score */
export const scoreTitle = ({ name, badge }) => (badge ? `${name} (${badge})` : name);

/** The dashes of the line of a score, by its place in the list.
 * @param {number} index */
export const dashOf = (index) => DASHES[Math.min(index, DASHES.length - 1)];
