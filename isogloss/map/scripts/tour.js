// The presenter's tour: steps of a layer, pinned words and a sentence, and the line that shows them.

import { clamp, element, setText } from "./dom.js";
import { iconButton } from "./icons.js";

export class Tour {
  /** `go` is called with the step that was gone to.
   * @param {{go: (step: TourStep) => void, leave: () => void}} actions */
  constructor({ go, leave }) {
    this.go = go;
    /** @type {TourStep[]} */
    this.steps = [];
    /** @type {number | null} */
    this.at = null; // the step on show, null when not on tour
    this.count = element("b", {});
    this.sentence = element("span", { class: "sentence" });
    this.node = element("div", { class: "tour", role: "status", hidden: true },
      iconButton("back", "Step back (Page Up)", () => this.move(-1)), this.count,
      iconButton("next", "Next step (Space)", () => this.move(1)), this.sentence,
      iconButton("close", "Leave the tour (Escape)", leave));
  }

  /** Takes over steps and, unless it is null, which of them is on show.
   * @param {TourStep[]} steps @param {number | null} at */
  load(steps, at) {
    this.steps = steps;
    this.at = at === null || steps.length === 0 ? null : clamp(at, 0, steps.length - 1);
    this.#write();
  }

  get step() {
    return this.at === null ? null : this.steps[this.at];
  }

  /** Goes on by some steps, or to the first one if the tour has not begun.
   * @param {number} by */
  move(by) {
    if (this.steps.length === 0) return;
    const next = this.at === null ? 0 : clamp(this.at + by, 0, this.steps.length - 1);
    if (next === this.at) return;
    this.at = next;
    this.#write();
    this.go(this.steps[next]);
  }

  leave() {
    this.at = null;
    this.#write();
  }

  #write() {
    this.node.hidden = this.at === null;
    if (this.at === null) return;
    setText(this.count, `${this.at + 1} / ${this.steps.length}`);
    setText(this.sentence, this.steps[this.at].sentence);
  }
}
