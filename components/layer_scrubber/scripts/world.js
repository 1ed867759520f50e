// What the browser knows: the points, where they are at every layer, and who translates whom.

/** Splits `uint32 length, JSON, padding to 4` off the front: [parsed JSON, the remaining bytes]. */
export function readSection(bytes) {
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  const json = new TextDecoder().decode(bytes.subarray(4, 4 + length));
  return [JSON.parse(json), bytes.subarray(4 + Math.ceil(length / 4) * 4)];
}

const PUNCTUATION = /^[\p{P}\p{S}\s\u2581\u0120]*$/u;

/** 0 … count − 1 in golden-ratio strides: a fixed order without runs of neighbours. */
function mixedOrder(count) {
  const divisor = (a, b) => (b === 0 ? a : divisor(b, a % b));
  let stride = Math.max(1, Math.round(count * 0.618));
  while (divisor(count, stride) > 1) stride += 1;
  return Int32Array.from({ length: count }, (_, i) => (i * stride) % count);
}

export class World {
  constructor(bytes) {
    const [header, body] = readSection(bytes);
    Object.assign(this, header); // the fields are listed in payload.py
    this.count = this.texts.length;
    this.stopCount = this.stops.length;
    const floats = this.stopCount * this.count * 2;
    // The bytes may start anywhere in a message; slice() copies them to an aligned buffer.
    this.coordinates = new Float32Array(body.slice(0, floats * 4).buffer);
    const ranksEnd = floats * 4 + this.stopCount * this.count * 2;
    this.ranks = new Uint16Array(body.slice(floats * 4, ranksEnd).buffer);
    this.ranked = this.ranks.some((rank) => rank > 0);
    this.sides = Uint8Array.from(this.sides);
    this.links = Int32Array.from(this.links);
    this.sizes = [0, 0];
    for (const side of this.sides) this.sizes[side] += 1;
    this.searchable = this.texts.map((text) => text.normalize("NFKC").toLowerCase());
    this.#indexPartners();
    this.drawOrder = mixedOrder(this.count);
    this.bounds = this.#measureBounds();
    this.labelOrders = new Map();
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

  #measureBounds() {
    const bounds = { left: Infinity, right: -Infinity, bottom: Infinity, top: -Infinity };
    for (let i = 0; i < this.coordinates.length; i += 2) {
      const x = this.coordinates[i];
      const y = this.coordinates[i + 1];
      if (x < bounds.left) bounds.left = x;
      if (x > bounds.right) bounds.right = x;
      if (y < bounds.bottom) bounds.bottom = y;
      if (y > bounds.top) bounds.top = y;
    }
    return bounds;
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

  /** Points in the order in which they deserve a label at a stop: best aligned pairs and rare words first. */
  labelOrder(stop) {
    if (!this.labelOrders.has(stop)) this.labelOrders.set(stop, this.#orderLabels(stop));
    return this.labelOrders.get(stop);
  }

  #orderLabels(stop) {
    if (!this.frequencies) {
      this.frequencies = new Map();
      for (const text of this.searchable) this.frequencies.set(text, (this.frequencies.get(text) ?? 0) + 1);
    }
    const cost = Float64Array.from({ length: this.count }, (_, point) => {
      const rank = this.rank(point, stop);
      const text = this.searchable[point];
      if (PUNCTUATION.test(text)) return 1e6;
      const repetition = this.frequencies.get(text) - 1;
      return (rank === 0 ? 1e3 : Math.log2(rank)) + 0.5 * Math.log2(1 + repetition);
    });
    const byCost = Array.from({ length: this.count }, (_, i) => i).sort((a, b) => cost[a] - cost[b] || a - b);
    const order = new Int32Array(this.count);
    const taken = new Uint8Array(this.count);
    let length = 0;
    const take = (point) => {
      if (taken[point]) return;
      taken[point] = 1;
      order[length++] = point;
    };
    for (const point of byCost) {
      take(point);
      for (const partner of this.partnersOf(point)) take(partner);
    }
    return order;
  }
}
