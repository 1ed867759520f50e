// A drawing surface that writes SVG, with text as text.

import { penOf } from "./dom.js";

/** The part of the canvas interface the painter uses, writing SVG instead of pixels. */
export class SvgSurface {
  /** @type {string} */ fillStyle;
  /** @type {string} */ strokeStyle;
  /** @type {number} */ lineWidth;
  /** @type {CanvasLineCap} */ lineCap;
  /** @type {CanvasLineJoin} */ lineJoin;
  /** @type {string} */ font;
  /** @type {CanvasTextAlign} */ textAlign;
  /** @type {CanvasTextBaseline} */ textBaseline;

  /** @param {number} width @param {number} height */
  constructor(width, height) {
    this.size = [width, height];
    /** @type {string[]} */
    this.parts = [];
    this.path = "";
    this.globalAlpha = 1;
    this.open = 0;
    this.ruler = penOf(document.createElement("canvas"));
  }

  save() {}

  restore() {
    this.parts.push("</g>".repeat(this.open));
    this.open = 0;
  }

  /** @param {number} x @param {number} y */
  translate(x, y) {
    this.#group(`transform="translate(${x} ${y})"`);
  }

  clip() {
    this.parts.push(`<clipPath id="map"><path d="${this.path}"/></clipPath>`);
    this.#group('clip-path="url(#map)"');
  }

  /** @param {string} attributes */
  #group(attributes) {
    this.parts.push(`<g ${attributes}>`);
    this.open += 1;
  }

  beginPath() {
    this.path = "";
  }

  /** @param {number} x @param {number} y */
  moveTo(x, y) {
    this.path += `M${short(x)} ${short(y)}`;
  }

  /** @param {number} x @param {number} y */
  lineTo(x, y) {
    this.path += `L${short(x)} ${short(y)}`;
  }

  closePath() {
    this.path += "Z";
  }

  /** @param {number} x @param {number} y @param {number} width @param {number} height */
  rect(x, y, width, height) {
    this.path += `M${x} ${y}h${width}v${height}h${-width}Z`;
  }

  /** @param {number} x @param {number} y @param {number} radius */
  arc(x, y, radius) {
    const r = short(radius);
    this.path += `M${short(x - radius)} ${short(y)}a${r} ${r} 0 1 0 ${short(2 * radius)} 0a${r} ${r} 0 1 0 ${short(-2 * radius)} 0`;
  }

  fill() {
    this.parts.push(`<path d="${this.path}" fill="${this.fillStyle}"${this.#opacity()}/>`);
  }

  stroke() {
    if (!this.path) return;
    const style = `fill="none" stroke="${this.strokeStyle}" stroke-width="${short(this.lineWidth)}" stroke-linecap="round"`;
    this.parts.push(`<path d="${this.path}" ${style}${this.#opacity()}/>`);
  }

  /** @param {number} x @param {number} y @param {number} width @param {number} height */
  fillRect(x, y, width, height) {
    this.beginPath();
    this.rect(x, y, width, height);
    this.fill();
  }

  /** @param {string} text */
  measureText(text) {
    this.ruler.font = this.font;
    return this.ruler.measureText(text);
  }

  /** @param {string} text @param {number} x @param {number} y */
  strokeText(text, x, y) {
    const halo = `stroke="${this.strokeStyle}" stroke-width="${this.lineWidth}" stroke-linejoin="round"`;
    this.#text(text, x, y, `fill="none" ${halo}`);
  }

  /** @param {string} text @param {number} x @param {number} y */
  fillText(text, x, y) {
    this.#text(text, x, y, `fill="${this.fillStyle}"`);
  }

  /** @param {string} text @param {number} x @param {number} y @param {string} paint */
  #text(text, x, y, paint) {
    const [, weight, size, family] = this.font.match(/^(\d+) ([\d.]+)px (.*)$/) ?? [];
    const anchor = this.textAlign === "center" ? ' text-anchor="middle"' : "";
    const baseline = this.textBaseline === "middle" ? Number(size) * 0.35 : 0;
    const font = `font-family="${escapeXml(family)}" font-size="${size}" font-weight="${weight}"`;
    this.parts.push(
      `<text x="${short(x)}" y="${short(y + baseline)}" ${font}${anchor} ${paint}${this.#opacity()}>${escapeXml(text)}</text>`,
    );
  }

  #opacity() {
    return this.globalAlpha < 1 ? ` opacity="${short(this.globalAlpha)}"` : "";
  }

  /** @param {string} title @param {string} description */
  finish(title, description) {
    const [width, height] = this.size.map(short);
    const head = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">`;
    const about = `<title>${escapeXml(title)}</title><desc>${escapeXml(description)}</desc>`;
    return `<?xml version="1.0" encoding="UTF-8"?>\n${head}${about}${this.parts.join("\n")}</svg>\n`;
  }
}

/** @param {number} number */
const short = (number) => Math.round(number * 100) / 100;

/** @param {string} text */
function escapeXml(text) {
  /** @type {Record<string, string>} */
  const entities = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  // XML allows no control characters but tab and line breaks, not even escaped.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  return text.replace(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, "\ufffd").replace(/[&<>"]/g, (found) => entities[found]);
}
