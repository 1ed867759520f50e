// The layer slider and, above it on the same scale, the score of every layer.

import { FONT_STACK, clamp } from "./dom.js";

export class Strip {
  constructor(world, canvas) {
    this.world = world;
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
  }

  resize(width, height, ratio, large) {
    this.canvas.width = Math.max(1, Math.round(width * ratio));
    this.canvas.height = Math.max(1, Math.round(height * ratio));
    Object.assign(this, { width, height, ratio, large });
    this.edge = large ? 26 : 16;
    this.trackY = height - (large ? 44 : 28);
    this.chartTop = large ? 34 : 18;
    this.chartBottom = this.trackY - (large ? 16 : 10);
  }

  xOf(layer) {
    const last = this.world.stopCount - 1;
    return last === 0 ? this.width / 2 : this.edge + (layer / last) * (this.width - 2 * this.edge);
  }

  layerAt(x) {
    const last = this.world.stopCount - 1;
    const usable = Math.max(1, this.width - 2 * this.edge);
    return clamp(((x - this.edge) / usable) * last, 0, last);
  }

  draw(layer, score, theme, focused) {
    const { context } = this;
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    context.clearRect(0, 0, this.width, this.height);
    context.lineJoin = "round";
    context.lineCap = "round";
    if (this.world.trust) this.#drawTrust(theme);
    if (score) this.#drawScore(score, theme);
    this.#drawTrack(layer, theme, focused);
    if (score) this.#drawReading(layer, score, theme);
    context.globalAlpha = 1;
  }

  #yOf(value) {
    return this.chartBottom - clamp(value, 0, 1) * (this.chartBottom - this.chartTop);
  }

  #trace(values) {
    values.forEach((value, stop) => {
      const [x, y] = [this.xOf(stop), this.#yOf(value)];
      if (stop) this.context.lineTo(x, y);
      else this.context.moveTo(x, y);
    });
  }

  #drawTrust(theme) {
    const { context } = this;
    context.beginPath();
    this.#trace(this.world.trust);
    context.setLineDash([1, 4]);
    context.lineWidth = this.large ? 2 : 1.25;
    context.strokeStyle = theme.ink;
    context.globalAlpha = 0.55;
    context.stroke();
    context.setLineDash([]);
  }

  #drawScore({ values, lower, upper }, theme) {
    const { context } = this;
    const [first, last] = [this.xOf(0), this.xOf(values.length - 1)];
    const accent = theme.sides[0];
    context.beginPath();
    this.#trace(values);
    context.lineTo(last, this.chartBottom);
    context.lineTo(first, this.chartBottom);
    context.fillStyle = accent;
    context.globalAlpha = theme.dark ? 0.2 : 0.13;
    context.fill();
    if (lower && upper) {
      context.beginPath();
      this.#trace(upper);
      for (let stop = lower.length - 1; stop >= 0; stop--) context.lineTo(this.xOf(stop), this.#yOf(lower[stop]));
      context.globalAlpha = 0.18;
      context.fill();
    }
    context.beginPath();
    this.#trace(values);
    context.globalAlpha = 1;
    context.lineWidth = this.large ? 3 : 1.75;
    context.strokeStyle = accent;
    context.stroke();
  }

  #drawTrack(layer, theme, focused) {
    const { context, trackY } = this;
    const x = this.xOf(layer);
    context.strokeStyle = theme.ink;
    context.lineWidth = this.large ? 6 : 4;
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
    const size = this.large ? 12 : 8;
    context.globalAlpha = 1;
    if (focused) this.#disc(x, trackY, size + 5, theme.sides[0], 0.28);
    this.#disc(x, trackY, size, theme.paper, 1);
    context.lineWidth = this.large ? 4 : 3;
    context.strokeStyle = theme.sides[0];
    context.stroke();
  }

  #drawTicks(layer, theme) {
    const { context } = this;
    const size = this.large ? 17 : 11;
    const spacing = (this.width - 2 * this.edge) / Math.max(1, this.world.stopCount - 1);
    const widest = Math.max(...this.world.stops.map((label) => label.length)) * size * 0.62 + 8;
    const every = Math.max(1, Math.ceil(widest / spacing));
    context.textAlign = "center";
    context.textBaseline = "alphabetic";
    context.fillStyle = theme.ink;
    this.world.stops.forEach((label, stop) => {
      const near = Math.abs(stop - layer) < 0.5;
      this.#disc(this.xOf(stop), this.trackY, this.large ? 2.6 : 1.8, theme.ink, 0.4);
      if (stop % every && !near) return;
      context.globalAlpha = near ? 1 : 0.6;
      context.font = `${near ? 700 : 500} ${size}px ${FONT_STACK}`;
      context.fillText(label, this.xOf(stop), this.height - (this.large ? 8 : 6));
    });
  }

  /** The score at the cursor, and where over all layers it is highest. */
  #drawReading(layer, { values }, theme) {
    const { context } = this;
    const size = this.large ? 20 : 12;
    const x = this.xOf(layer);
    const value = valueAt(values, layer);
    const peak = values.indexOf(Math.max(...values));
    const [peakX, peakY] = [this.xOf(peak), this.#yOf(values[peak])];
    context.textBaseline = "alphabetic";
    this.#disc(peakX, peakY, this.large ? 6 : 4, theme.paper, 1);
    context.lineWidth = this.large ? 3 : 1.75;
    context.strokeStyle = theme.sides[0];
    context.stroke();
    const reading = value.toFixed(2);
    const mark = `peak ${values[peak].toFixed(2)}`;
    context.font = `700 ${size}px ${FONT_STACK}`;
    const readingWidth = context.measureText(reading).width;
    const readingX = clamp(x, readingWidth / 2 + 2, this.width - readingWidth / 2 - 2);
    context.textAlign = "center";
    context.fillStyle = theme.ink;
    context.fillText(reading, readingX, this.#yOf(value) - (this.large ? 12 : 8));
    this.#disc(x, this.#yOf(value), this.large ? 5 : 3.5, theme.ink, 1);
    context.font = `500 ${size - 1}px ${FONT_STACK}`;
    const markWidth = context.measureText(mark).width;
    const markX = clamp(peakX, markWidth / 2 + 2, this.width - markWidth / 2 - 2);
    if (Math.abs(markX - readingX) < (markWidth + readingWidth) / 2 + 10) return;
    context.fillStyle = theme.ink;
    context.globalAlpha = 0.7;
    context.fillText(mark, markX, peakY - (this.large ? 12 : 8));
  }

  #line(x0, y0, x1, y1) {
    this.context.beginPath();
    this.context.moveTo(x0, y0);
    this.context.lineTo(x1, y1);
    this.context.stroke();
  }

  #disc(x, y, radius, color, opacity) {
    this.context.beginPath();
    this.context.arc(x, y, radius, 0, 2 * Math.PI);
    this.context.fillStyle = color;
    this.context.globalAlpha = opacity;
    this.context.fill();
    this.context.globalAlpha = 1;
  }
}

/** A per-stop series read at a fractional layer, linearly between its neighbours. */
export function valueAt(values, layer) {
  const below = Math.floor(layer);
  const above = Math.min(below + 1, values.length - 1);
  return values[below] + (values[above] - values[below]) * (layer - below);
}
