// Which words deserve a label first: content words whose pair is tight, then the rest.

const PUNCTUATION = /^[\p{P}\p{S}\s\u2581\u0120]*$/u;
const NO_CONTENT = 12; // as much as the partner of both being 64th instead of nearest
const DISTANCE = 8; // for a pair as far apart as the points are from their centre on average

export class Prominence {
  /** @param {World} world */
  constructor(world) {
    this.world = world;
    /** @type {Map<number, Int32Array>} */
    this.orders = new Map();
    this.dullness = Float32Array.from(world.texts, (text, point) => dullnessOf(text, world.content[point]));
    this.lively = ranked(this.dullness);
  }

  /** All points in the order in which they are labelled at a stop, translations side by side.
   * @param {number} stop */
  orderAt(stop) {
    const order = this.orders.get(stop) ?? this.#order(stop);
    this.orders.set(stop, order);
    return order;
  }

  /** @param {number} stop */
  #order(stop) {
    const { links, count } = this.world;
    const spread = this.#spread(stop);
    const costs = Float32Array.from({ length: links.length / 2 }, (_, link) =>
      this.#costOf(links[2 * link], links[2 * link + 1], stop, spread));
    const order = new Int32Array(count);
    const placed = new Uint8Array(count);
    let length = 0;
    const place = (/** @type {number} */ point) => {
      if (placed[point] || point >= this.world.marked) return;
      placed[point] = 1;
      order[length++] = point;
    };
    for (const link of ranked(costs)) {
      place(links[2 * link]);
      place(links[2 * link + 1]);
    }
    this.lively.forEach(place);
    return order;
  }

  /** How far the points of a stop are from their centre: the root of the mean square.
   * @param {number} stop */
  #spread(stop) {
    const { positions, count } = this.world;
    let [sumX, sumY, squares] = [0, 0, 0];
    for (let i = stop * count * 2; i < (stop + 1) * count * 2; i += 2) {
      const [x, y] = [positions[i], positions[i + 1]];
      sumX += x;
      sumY += y;
      squares += x * x + y * y;
    }
    return Math.sqrt(Math.max(0, squares / count - (sumX / count) ** 2 - (sumY / count) ** 2)) || 1;
  }

  /** @param {number} one @param {number} other @param {number} stop @param {number} spread */
  #costOf(one, other, stop, spread) {
    const { positions, count } = this.world;
    const [a, b] = [(stop * count + one) * 2, (stop * count + other) * 2];
    const distance = Math.hypot(positions[a] - positions[b], positions[a + 1] - positions[b + 1]);
    const rank = (/** @type {number} */ point) => Math.log2(Math.max(1, this.world.rank(point, stop)));
    return rank(one) + rank(other) + (DISTANCE * distance) / spread + Math.max(this.dullness[one], this.dullness[other]);
  }
}

/** @param {string} text @param {number} content */
function dullnessOf(text, content) {
  if (PUNCTUATION.test(text)) return 1e6;
  return content ? 0 : NO_CONTENT;
}

/** The indices of some costs, the lowest first; equals stay in their order.
 * @param {Float32Array} costs */
function ranked(costs) {
  return Int32Array.from(costs.keys()).sort((a, b) => costs[a] - costs[b] || a - b);
}
