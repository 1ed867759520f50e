// Beside the map, so that nothing lies on it: what the colours mean, the pinned pairs, and the
// card of the word or layer under the pointer.

import { Card } from "./card.js";
import { COLORINGS, legendRows } from "./colors.js";
import { element, readable, setText, sideMark } from "./dom.js";
import { iconButton } from "./icons.js";
import { LassoList } from "./lasso.js";
import { clipOf } from "./shapes.js";

/** @type {Record<string, string>} */
const HINTS = {
  alignment: "Rank of the partner in the other language",
  sentence: "One colour a sentence; eight colours take turns",
};

const FEW = 8; // languages that stand below one another; more, and their topics, stand in two columns
const LONGEST_NAME = 240; // of a language or topic: it goes on in the next line and is not cut

export class Side {
  /** @type {Map<number, HTMLElement>} */ ranks;
  /** @type {HTMLSelectElement} */ coloring;

  /** @param {World} world @param {SideActions} actions */
  constructor(world, { color, unpin, light, select }) {
    this.world = world;
    this.select = select;
    this.unpin = unpin;
    /** @type {Record<string, boolean | undefined>} */
    const possible = { topic: world.topics.length > 0, alignment: world.ranked };
    const offered = COLORINGS.filter(([value]) => possible[value] ?? true);
    this.coloring = element("select", { "aria-label": "Colour by", onchange: () => color(this.coloring.value) },
      ...offered.map(([value, name]) => element("option", { value }, name)));
    this.legend = element("ul", { class: "legend", "aria-label": "Legend" });
    this.pins = element("div", { class: "pins" });
    this.card = new Card(world);
    this.list = new LassoList(world, { light, clear: () => select([]) });
    this.node = element("aside", { class: "side", "aria-label": "Legend and details" },
      element("label", { class: "coloring" }, element("span", {}, "Colour"), this.coloring),
      this.legend, this.pins, this.list.node, this.card.node,
      element("p", { class: "hint" }, world.middles ? "Point at a sentence to read it, click to pin it."
        : "Point at a word to read it in its sentence, click to pin it."));
  }

  /** @param {{coloring: string, theme: Theme, pins: number[], stop: number}} state */
  fill({ coloring, theme, pins, stop }) {
    this.coloring.value = coloring;
    this.#fillLegend(coloring, theme);
    this.ranks = new Map();
    this.pins.replaceChildren(...pins.map((point) => this.#pin(point)));
    const whose = this.world.ranks_rest_on;
    if (pins.length && this.world.ranked && whose) this.pins.append(element("small", { class: "pins-badge" }, `Ranks: ${whose}`));
    this.update(stop);
  }

  /** Whether the map can be coloured so.
   * @param {string | undefined} coloring */
  offers(coloring) {
    return [...this.coloring.options].some(({ value }) => value === coloring);
  }

  /** Writes the ranks that the pinned pairs have at a stop.
   * @param {number} stop */
  update(stop) {
    this.list.say(stop);
    for (const [point, node] of this.ranks) {
      const rank = this.world.rank(point, stop);
      setText(node, rank === 1 ? "nearest" : rank ? `rank ${rank}` : "");
    }
  }

  /** @param {string} coloring @param {Theme} theme */
  #fillLegend(coloring, theme) {
    const choosable = coloring === "language" && this.world.languages.length > 2 ? this.world.languages.length : 0;
    const rows = legendRows(this.world, coloring, theme).map(([color, shape, text], row) => {
      const mark = element("span", { class: `mark ${shape === null ? "swatch" : shape < 2 ? `side-${shape}` : "cut"}` });
      mark.style.backgroundColor = color ?? theme.ink;
      if (shape !== null && shape > 1) mark.style.clipPath = clipOf(shape);
      const name = element("bdi", {}, readable(text, LONGEST_NAME));
      return element("li", {}, ...(row < choosable ? [this.#choice(row, mark, name)] : [mark, name]));
    });
    if (this.world.shapesOfTopics && coloring === "language") rows.splice(this.world.languages.length, 0, element("li", { class: "break" }));
    rows.push(element("li", { class: "lines" }, element("span", { class: "mark line" }), element("span", {}, this.world.lines)));
    const whose = coloring === "alignment" && this.world.ranks_rest_on;
    if (HINTS[coloring]) rows.push(element("li", { class: "hint" }, whose ? `${HINTS[coloring]}: ${whose}` : HINTS[coloring]));
    const { languages, topics } = this.world;
    const many = languages.length > FEW;
    this.legend.classList.toggle("many", many);
    const lines = (coloring === "language" ? Math.ceil(languages.length / 2) : 0) + Math.ceil(topics.length / 2);
    this.legend.style.setProperty("--rows", String(lines + 3)); // and what the lines are, which may take three
    this.legend.replaceChildren(...rows);
  }

  /** A language of many, which a press brings out of the others, and another press puts back.
   * @param {number} side @param {HTMLElement} mark @param {HTMLElement} name */
  #choice(side, mark, name) {
    const { code, name: language } = this.world.languages[side];
    const press = () => {
      const points = Array.from(this.world.sides.keys()).filter((point) => point < this.world.marked && this.world.sides[point] === side);
      const chosen = this.list.points ?? [];
      this.select(chosen.length === points.length && chosen[0] === points[0] ? [] : points);
    };
    return element("button", { type: "button", title: `${language} alone`, "data-language": code, onclick: press }, mark, name);
  }

  /** @param {number} point */
  #pin(point) {
    const { world } = this;
    const partners = world.middles ? [] : world.partnersOf(point);
    const words = [point, ...partners].map((index) => readable(world.texts[index], world.middles ? 34 : 16)).join(" – ");
    const rank = element("span", { class: "pin-rank" });
    this.ranks.set(point, rank);
    return element("span", { class: "pin" },
      sideMark(world, world.sides[point]), element("bdi", {}, words), rank,
      iconButton("close", `Unpin ${words}`, () => this.unpin(point)));
  }
}
