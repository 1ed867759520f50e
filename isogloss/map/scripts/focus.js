// Which words stand out: pinned, under the pointer, found by the search, or inside the lasso.

export const NO_POINT = -1;

export class Focus {
  constructor(world) {
    this.world = world;
    this.pins = [];
    this.lit = NO_POINT;
    this.matches = [];
    this.match = -1; // which of the matches the user has gone to
    this.selection = [];
    this.searching = false;
    this.bright = null; // null, or a byte for each point that keeps its full colour
  }

  setPins(points) {
    this.pins = points.filter((point) => point < this.world.count);
  }

  togglePin(point) {
    this.pins = this.pins.includes(point) ? this.pins.filter((pin) => pin !== point) : [...this.pins, point];
  }

  search(query) {
    this.matches = this.world.find(query);
    this.match = -1;
    this.searching = query.trim() !== "";
    this.#dimTheRest();
  }

  /** Goes on to another match, around in a circle; returns its point, or none. */
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

  select(points) {
    this.selection = points;
    this.#dimTheRest();
  }

  #dimTheRest() {
    const chosen = this.searching ? this.matches : this.selection;
    this.bright = this.searching || chosen.length ? new Uint8Array(this.world.count) : null;
    for (const point of chosen) {
      this.bright[point] = 1;
      if (this.searching) for (const partner of this.world.partnersOf(point)) this.bright[partner] = 1;
    }
  }
}
