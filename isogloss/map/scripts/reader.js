// The map for a screen reader: a table of its words and of how near their translations are.

import { element } from "./dom.js";

const MOST_ROWS = 100; // pinned words come first; the table of all is a download

export class ReaderTable {
  /** @param {World} world */
  constructor(world) {
    this.world = world;
    this.heading = element("caption", {});
    this.rows = element("tbody", {});
    const names = [world.middles ? "Sentence" : "Word", "Language", "Translations", ...(world.ranked ? ["Rank of the translation"] : [])];
    this.node = element("table", { class: "reader" }, this.heading,
      element("thead", {}, element("tr", {}, ...names.map((name) => element("th", { scope: "col" }, name)))), this.rows);
    this.written = "";
  }

  /** Writes the words at a stop, if they are not written already.
   * @param {number} stop @param {number[]} pins */
  write(stop, pins) {
    const now = `${stop} ${pins}`;
    if (now === this.written) return;
    this.written = now;
    const { world } = this;
    const linked = Array.from({ length: world.marked }, (_, point) => point)
      .filter((point) => world.sides[point] === 0 && world.partnersOf(point).length && !pins.includes(point));
    const shown = [...pins, ...linked].slice(0, MOST_ROWS);
    this.heading.textContent =
      `${world.caption} ${world.names[stop]}: ${shown.length} of ${world.marked} ${world.kind}s with their translations, pinned ones first.`;
    this.rows.replaceChildren(...shown.map((point) => this.#row(point, stop)));
  }

  /** @param {number} point @param {number} stop */
  #row(point, stop) {
    const { world } = this;
    const { code, name } = world.languages[world.sides[point]];
    const partners = Array.from(world.partnersOf(point), (partner) =>
      element("span", { lang: world.languages[world.sides[partner]].code }, `${world.texts[partner]} `));
    const rank = world.rank(point, stop);
    const cells = [
      element("td", { lang: code }, world.texts[point]), element("td", {}, name), element("td", {}, ...partners),
    ];
    if (world.ranked) cells.push(element("td", {}, rank ? String(rank) : "unknown"));
    return element("tr", {}, ...cells);
  }
}
