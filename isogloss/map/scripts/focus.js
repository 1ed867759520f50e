// Which words stand out: pinned, under the pointer, found by the search, or inside the lasso.

export const NO_POINT = -1;

export class Focus {
  /** @param {World} world */
  constructor(world) {
    this.world = world;
    /** @type {number[]} */
    this.pins = [];
    this.lit = NO_POINT;
    /** @type {number[]} */
    this.matches = [];
    this.match = -1; // which of the matches the user has gone to
    /** @type {number[]} */
    this.selection = [];
    this.searching = false;
    this.bright = null; // null, or a byte for each point that keeps its full colour
  }

  /** @param {number[]} points */
  setPins(points) {
    this.pins = points.filter((point) => point < this.world.marked);
  }

  /** @param {number} point */
  togglePin(point) {
    this.pins = this.pins.includes(point) ? this.pins.filter((pin) => pin !== point) : [...this.pins, point];
  }

  /** @param {string} query */
  search(query) {
    this.matches = this.world.find(query);
    this.match = -1;
    this.searching = query.trim() !== "";
    this.#dimTheRest();
  }

  /** Goes on to another match, around in a circle; returns its point, or none.
   * @param {number} step */
  nextMatch(step) {
    const count = this.matches.length;
    if (count === 0) return NO_POINT;
    this.match = this.match < 0 && step < 0 ? count - 1 : (this.match + step + count) % count;
    return this.matches[this.match];
  }

  get found() {
    if (!this.searching) return "";
    return this.match >= 0 ? `${this.match + 1} / ${this.matches.length}` : String(this.matches.length);
  }

  /** @param {number[]} points */
  select(points) {
    this.selection = points;
    this.#dimTheRest();
  }

  #dimTheRest() {
    const chosen = this.searching ? this.matches : this.selection;
    this.bright = null;
    if (!this.searching && !chosen.length) return;
    const bright = new Uint8Array(this.world.count);
    for (const point of chosen) {
      bright[point] = 1;
      if (this.searching) for (const partner of this.world.partnersOf(point)) bright[partner] = 1;
    }
    this.bright = bright;
  }
}
