// The words inside a lasso, by language, to read and to copy.

import { copyText, element, readable, setText, sideMark } from "./dom.js";
import { iconButton } from "./icons.js";

const LISTED = 400; // rows put into the page for one side; the copied text has them all

export class LassoList {
  /** @type {number[]} */ points;

  /** @param {World} world @param {{light: (point: number) => void, clear: () => void}} actions */
  constructor(world, { light, clear }) {
    this.world = world;
    this.light = light;
    this.title = element("h3", {});
    this.copy = element("button", { type: "button", class: "plain", onclick: () => this.#copy() }, "Copy as text");
    this.about = element("p", { class: "list-about", hidden: true });
    this.body = element("div", { class: "list-body" });
    this.stop = 0;
    this.node = element("section", { class: "list", hidden: true, "aria-label": `${world.middles ? "Sentences" : "Words"} inside the lasso` },
      element("header", {}, this.title, this.copy, iconButton("close", "Clear the lasso", clear)), this.about, this.body);
  }

  /** @param {number[]} points */
  show(points) {
    this.points = points;
    this.node.hidden = points.length === 0;
    const { kind } = this.world;
    this.title.textContent = points.length === 1 ? `1 ${kind}` : `${points.length} ${kind}s`;
    this.copy.textContent = "Copy as text";
    this.say(this.stop);
    this.body.replaceChildren(...this.#sides().map((side) => this.#section(side)));
  }

  /** Says at a stop what is known of a language, if all of its points are here and no other.
   * @param {number} stop */
  say(stop) {
    this.stop = stop;
    const { world, points } = this;
    const side = world.sides[points?.[0] ?? 0];
    const whole = points?.length > 0 && points.every((point) => world.sides[point] === side)
      && points.length === world.sides.slice(0, world.marked).filter((each) => each === side).length;
    setText(this.about, (whole && world.of_languages?.[side][stop]) || "");
    this.about.hidden = !this.about.textContent;
  }

  /** The two languages; of more, those that are among the points. */
  #sides() {
    const sides = this.world.languages.map((_, side) => side);
    return sides.length === 2 ? sides : sides.filter((side) => this.#onSide(side).length);
  }

  /** @param {number} side */
  #onSide(side) {
    return this.points.filter((point) => this.world.sides[point] === side);
  }

  /** @param {number} side */
  #section(side) {
    const points = this.#onSide(side);
    const rows = points.slice(0, LISTED).map((point) => {
      const text = readable(this.world.texts[point], 40);
      return element("li", { onpointerenter: () => this.light(point), onpointerleave: () => this.light(-1) }, element("bdi", {}, text));
    });
    if (points.length > LISTED) rows.push(element("li", { class: "hint" }, `and ${points.length - LISTED} more`));
    return element("section", {},
      element("h4", {}, sideMark(this.world, side), `${this.world.languages[side].name} · ${points.length}`),
      element("ul", { lang: this.world.languages[side].code }, ...rows));
  }

  async #copy() {
    const sections = this.#sides().map((side) =>
      [this.world.languages[side].name, ...this.#onSide(side).map((point) => this.world.texts[point])].join("\n"));
    await copyText(sections.join("\n\n"));
    this.copy.textContent = "Copied";
  }
}
