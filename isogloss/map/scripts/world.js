// What the browser knows: the points, where they are at every layer, and who translates whom.

import { SHAPES } from "./colors.js";

const MOST_LINKS = 5_000; // drawn; more are neither seen apart nor drawn in time
const STRIPS = 32;

/** Splits `uint32 length, JSON, padding to 4` off the front: [parsed JSON, the remaining bytes].
 * @param {Uint8Array} bytes @returns {[any, Uint8Array]} */
export function readSection(bytes) {
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  const json = new TextDecoder().decode(bytes.subarray(4, 4 + length));
  return [JSON.parse(json), bytes.subarray(4 + Math.ceil(length / 4) * 4)];
}

/** 0 … count − 1, one from each strip in turn: neighbours lie apart, and memory is still read in runs.
 *
 * Every second strip is read backwards, as in a text one language always follows the other.
 * @param {number} count */
function mixedOrder(count) {
  const length = Math.ceil(count / STRIPS);
  const order = new Int32Array(count);
  let next = 0;
  for (let place = 0; place < length; place++) {
    for (let strip = 0; strip < STRIPS; strip++) {
      const i = strip * length + (strip % 2 ? length - 1 - place : place);
      if (i < count) order[next++] = i;
    }
  }
  return order;
}

/** At most so many of the links [a, b, a, b, …], evenly spaced over all.
 * @param {Int32Array} links @param {number} most */
function evenly(links, most) {
  const count = links.length / 2;
  if (count <= most) return links;
  return Int32Array.from({ length: 2 * most }, (_, i) => links[2 * Math.floor(((i >> 1) * count) / most) + (i & 1)]);
}

export class World {
  /** @type {number} */ count;
  /** @type {number} */ marked;
  /** @type {number} */ stopCount;
  /** @type {string} */ kind;
  /** @type {string} */ stopNoun;
  /** @type {Float32Array} */ positions;
  /** @type {Uint16Array} */ ranks;
  /** @type {boolean} */ ranked;
  /** @type {Uint8Array} */ sides;
  /** @type {Uint8Array} */ shapes;
  /** @type {boolean} */ shapesOfTopics;
  /** @type {(() => StopLinks)[]} */ linkSets;
  /** @type {number[]} */ sizes;
  /** @type {string[]} */ searchable;
  /** @type {Int32Array} */ drawOrder;
  /** @type {number | undefined} */ turnedTo;

  /** @param {Uint8Array} bytes */
  constructor(bytes) {
    this.take(bytes);
  }

  /** Reads all there is to know, at first and when more of the same points is known.
   * @param {Uint8Array} bytes */
  take(bytes) {
    /** @type {[MapHeader, Uint8Array]} */
    const [header, body] = readSection(bytes);
    Object.assign(this, header); // the fields are listed in payload.py
    this.count = this.texts.length;
    this.marked = this.count - this.middles; // the last points are middles of stars, which have no marker
    this.kind = this.middles ? "sentence" : "word"; // what a point is
    this.stopCount = this.stops.length;
    this.stopNoun = /\s/.test(this.title) ? "stop" : this.title.toLowerCase();
    // The bytes may start anywhere in a message; slice() copies them to an aligned buffer.
    const numbers = new Uint16Array(body.slice().buffer);
    const places = this.stopCount * this.count * 2;
    this.positions = this.#unpack(numbers.subarray(0, places));
    this.ranks = numbers.subarray(places);
    this.ranked = this.ranks.some((rank) => rank > 0);
    this.sides = Uint8Array.from(header.sides);
    this.linkSets = (header.links_at ?? [header.links]).map((links) => () => this.#index(Int32Array.from(links)));
    this.shapesOfTopics = header.shapes !== null;
    this.shapes = Uint8Array.from(header.shapes ?? header.sides, (shape) => shape % SHAPES.length);
    this.sizes = this.languages.map((_, language) => this.sides.reduce((size, side) => size + Number(side === language), 0));
    this.searchable = this.texts.map((text) => text.normalize("NFKC").toLowerCase());
    this.drawOrder = mixedOrder(this.marked);
    this.turnedTo = undefined;
    this.turnTo(0);
  }

  /** Takes the links of a stop, where each stop has its own; returns whether they are others.
   * @param {number} stop */
  turnTo(stop) {
    const at = this.links_at ? stop : 0;
    if (at === this.turnedTo) return false;
    this.turnedTo = at;
    const links = this.linkSets[at]();
    this.linkSets[at] = () => links; // found once
    Object.assign(this, links);
    return true;
  }

  /** Coordinates from steps of 1/65535 of each stop's box.
   * @param {Uint16Array} steps */
  #unpack(steps) {
    const positions = new Float32Array(steps.length);
    const size = this.count * 2;
    this.boxes.forEach(({ left, right, bottom, top }, stop) => {
      const [across, up] = [(right - left) / 65535, (top - bottom) / 65535];
      for (let i = stop * size; i < (stop + 1) * size; i += 2) {
        positions[i] = left + steps[i] * across;
        positions[i + 1] = bottom + steps[i + 1] * up;
      }
    });
    return positions;
  }

  /** Links with those of them that are drawn, and the partners of every point.
   * @param {Int32Array} links @returns {StopLinks} */
  #index(links) {
    const drawnLinks = evenly(links, MOST_LINKS);
    const [all, drawn] = [links, drawnLinks].map(({ length }) => (length / 2).toLocaleString("en"));
    const linksLeftOut = drawn === all ? "" : ` · ${drawn} of ${all} links drawn`;
    const firstPartner = new Int32Array(this.count + 1);
    for (const point of links) firstPartner[point + 1] += 1;
    for (let i = 0; i < this.count; i++) firstPartner[i + 1] += firstPartner[i];
    const next = firstPartner.slice();
    const partners = new Int32Array(links.length);
    for (let i = 0; i < links.length; i += 2) {
      const [source, target] = [links[i], links[i + 1]];
      partners[next[source]++] = target;
      partners[next[target]++] = source;
    }
    return { links, drawnLinks, linksLeftOut, firstPartner, partners };
  }

  /** Who a point is linked with; on a map of stars, all that are in the same one.
   * @param {number} point @returns {Int32Array} */
  partnersOf(point) {
    const middle = this.middleOf(point);
    return middle < 0 ? this.#linkedWith(point) : this.#linkedWith(middle).filter((other) => other !== point);
  }

  /** The middle of the star that a point is in, −1 where there is none.
   * @param {number} point */
  middleOf(point) {
    return this.middles && point < this.marked ? (this.#linkedWith(point)[0] ?? -1) : -1;
  }

  /** @param {number} point */
  #linkedWith(point) {
    return this.partners.subarray(this.firstPartner[point], this.firstPartner[point + 1]);
  }

  /** @param {number} point @param {number} stop */
  rank(point, stop) {
    return this.ranks[stop * this.count + point];
  }

  /** @param {string} query */
  find(query) {
    const needle = query.trim().normalize("NFKC").toLowerCase();
    if (!needle) return [];
    const found = [];
    for (let i = 0; i < this.marked; i++) if (this.searchable[i].includes(needle)) found.push(i);
    return found;
  }

  /** A point's sentence, and what the other languages have for it: [side, sentence].
   * @param {number} point */
  sentenceOf(point) {
    const row = this.sentences[this.sentence_of[point]];
    const own = this.sides[point];
    const others = row.map((text, side) => /** @type {[number, string]} */ ([side, text])).filter(([side, text]) => side !== own && text);
    return { own: row[own], others };
  }

  /** [start, end) in code points of the word in its sentence, or null when it cannot be found.
   * @param {number} point @returns {[number, number] | null} */
  spanOf(point) {
    if (this.spans) {
      const start = this.spans[2 * point];
      return start < 0 ? null : [start, this.spans[2 * point + 1]];
    }
    const { own } = this.sentenceOf(point);
    const found = own.indexOf(this.texts[point]);
    if (found < 0 || !this.texts[point]) return null;
    const start = Array.from(own.slice(0, found)).length;
    return [start, start + Array.from(this.texts[point]).length];
  }
}
