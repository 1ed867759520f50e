// What the browser knows: the points, where they are at every layer, and who translates whom.

const MOST_LINKS = 5_000; // drawn; more are neither seen apart nor drawn in time

/** Splits `uint32 length, JSON, padding to 4` off the front: [parsed JSON, the remaining bytes]. */
export function readSection(bytes) {
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  const json = new TextDecoder().decode(bytes.subarray(4, 4 + length));
  return [JSON.parse(json), bytes.subarray(4 + Math.ceil(length / 4) * 4)];
}

/** 0 … count − 1 in golden-ratio strides: a fixed order without runs of neighbours. */
function mixedOrder(count) {
  const divisor = (a, b) => (b === 0 ? a : divisor(b, a % b));
  let stride = Math.max(1, Math.round(count * 0.618));
  while (divisor(count, stride) > 1) stride += 1;
  return Int32Array.from({ length: count }, (_, i) => (i * stride) % count);
}

/** At most so many of the links [a, b, a, b, …], evenly spaced over all. */
function evenly(links, most) {
  const count = links.length / 2;
  if (count <= most) return links;
  return Int32Array.from({ length: 2 * most }, (_, i) => links[2 * Math.floor(((i >> 1) * count) / most) + (i & 1)]);
}

export class World {
  constructor(bytes) {
    const [header, body] = readSection(bytes);
    Object.assign(this, header); // the fields are listed in payload.py
    this.count = this.texts.length;
    this.stopCount = this.stops.length;
    this.stopNoun = /\s/.test(this.title) ? "stop" : this.title.toLowerCase();
    // The bytes may start anywhere in a message; slice() copies them to an aligned buffer.
    const numbers = new Uint16Array(body.slice().buffer);
    const places = this.stopCount * this.count * 2;
    this.coordinates = this.#unpack(numbers.subarray(0, places));
    this.ranks = numbers.subarray(places);
    this.ranked = this.ranks.some((rank) => rank > 0);
    this.sides = Uint8Array.from(this.sides);
    this.links = Int32Array.from(this.links);
    this.drawnLinks = evenly(this.links, MOST_LINKS);
    this.sizes = [0, 0];
    for (const side of this.sides) this.sizes[side] += 1;
    this.searchable = this.texts.map((text) => text.normalize("NFKC").toLowerCase());
    this.#indexPartners();
    this.drawOrder = mixedOrder(this.count);
  }

  /** Coordinates from steps of 1/65535 of each stop's box. */
  #unpack(steps) {
    const coordinates = new Float32Array(steps.length);
    const size = this.count * 2;
    this.boxes.forEach(({ left, right, bottom, top }, stop) => {
      const [across, up] = [(right - left) / 65535, (top - bottom) / 65535];
      for (let i = stop * size; i < (stop + 1) * size; i += 2) {
        coordinates[i] = left + steps[i] * across;
        coordinates[i + 1] = bottom + steps[i + 1] * up;
      }
    });
    return coordinates;
  }

  #indexPartners() {
    this.firstPartner = new Int32Array(this.count + 1);
    for (const point of this.links) this.firstPartner[point + 1] += 1;
    for (let i = 0; i < this.count; i++) this.firstPartner[i + 1] += this.firstPartner[i];
    const next = this.firstPartner.slice();
    this.partners = new Int32Array(this.links.length);
    for (let i = 0; i < this.links.length; i += 2) {
      const [source, target] = [this.links[i], this.links[i + 1]];
      this.partners[next[source]++] = target;
      this.partners[next[target]++] = source;
    }
  }

  partnersOf(point) {
    return this.partners.subarray(this.firstPartner[point], this.firstPartner[point + 1]);
  }

  rank(point, stop) {
    return this.ranks[stop * this.count + point];
  }

  find(query) {
    const needle = query.trim().normalize("NFKC").toLowerCase();
    if (!needle) return [];
    const found = [];
    for (let i = 0; i < this.count; i++) if (this.searchable[i].includes(needle)) found.push(i);
    return found;
  }

  sentenceOf(point) {
    const pair = this.sentences[this.sentence_of[point]];
    const side = this.sides[point];
    return { own: pair[side], other: pair[1 - side] };
  }

  /** [start, end) in code points of the word in its sentence, or null when it cannot be found. */
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
