// Picking words out of the others: by pointing, pinning, searching, or drawing a lasso around them.

import { pointsInside } from "./camera.js";
import { NO_POINT } from "./focus.js";
import { pointUnder } from "./gestures.js";

export class Picking {
  /** `commit` is called after each act that is to be reported.
   * @param {PickingState} state @param {() => void} commit */
  constructor(state, commit) {
    Object.assign(this, { ...state, commit });
  }

  /** @param {number} x @param {number} y */
  under(x, y) {
    return pointUnder(this.stage.markers, x, y, this.stage.radius);
  }

  /** @param {number} x @param {number} y */
  click(x, y) {
    const point = this.under(x, y);
    if (point !== NO_POINT) this.togglePin(point);
    this.light(point, true);
  }

  /** @param {number} point */
  togglePin(point) {
    this.focus.togglePin(point);
    this.display.changed();
    this.commit();
  }

  /** Marks a word, and shows its card if asked.
   * @param {number} point @param {boolean} card */
  light(point, card = false) {
    this.stage.node.classList.toggle("over-point", point !== NO_POINT);
    if (point === NO_POINT || this.view.lassoing) this.side.card.hide();
    else if (card) this.side.card.showWord(point, this.display.stop, this.display.theme);
    if (point === this.focus.lit) return;
    this.focus.lit = point;
    this.panes.tellLit(point);
    this.display.invalidate(false);
  }

  /** @param {string} query */
  search(query) {
    this.focus.search(query);
    this.light(NO_POINT);
    this.display.changed();
  }

  /** @param {number} step */
  nextMatch(step) {
    const point = this.focus.nextMatch(step);
    if (point === NO_POINT) return;
    const { screen, camera } = this.stage;
    const [x, y] = [screen[2 * point], screen[2 * point + 1]];
    if (x < 40 || y < 40 || x > camera.width - 40 || y > camera.height - 40) {
      camera.pan(camera.width / 2 - x, camera.height / 2 - y);
    }
    this.light(point, true);
    this.display.changed();
  }

  /** Goes to the next match and pins it. */
  pinMatch() {
    this.nextMatch(1);
    const { lit, matches, pins } = this.focus;
    if (matches.includes(lit) && !pins.includes(lit)) this.togglePin(lit);
  }

  /** @param {boolean} on */
  setLasso(on) {
    this.view.lassoing = on;
    this.stage.node.classList.toggle("lassoing", on);
    this.display.changed();
  }

  /** @param {Place[]} polygon @param {boolean} done */
  lasso(polygon, done) {
    this.view.polygon = done ? [] : polygon;
    this.light(NO_POINT);
    this.display.invalidate(false);
    if (!done) return;
    this.setLasso(false);
    this.select(polygon.length > 2 ? pointsInside(this.stage.markers, polygon) : []);
  }

  /** @param {number[]} points */
  select(points) {
    this.mark(points);
    this.display.changed();
    this.commit();
  }

  /** @param {number[]} points */
  mark(points) {
    this.focus.select(points);
    this.side.list.show(points);
  }
}
