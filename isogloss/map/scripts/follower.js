// Does in this map what was done in the one beside it.

import { NO_POINT } from "./focus.js";

export class Follower {
  /** `state` is what changes and is shown: {motion, focus, view, side, display}.
   * @param {World} world @param {FollowerState} state @param {() => void} commit */
  constructor(world, state, commit) {
    Object.assign(this, { world, ...state, commit });
  }

  /** Takes over what the other pane has told; pins of words that only this map has stay.
   * @param {PaneState} state @param {PanePoints} points @param {(point: number) => boolean} isThere */
  follow({ share, resting, at, ...switches }, { pins, selection, lit }, isThere) {
    const { focus, view, side, display } = this;
    if (share !== undefined) this.#goTo(share * (this.world.stopCount - 1), resting, at === "once");
    if (pins) focus.setPins([...focus.pins.filter((pin) => !isThere(pin)), ...pins]);
    if (selection) {
      focus.select(selection);
      side.list.show(selection);
    }
    if (!side.offers(switches.coloring)) delete switches.coloring;
    Object.assign(view, switches);
    if (lit) this.#light(lit[0] ?? NO_POINT);
    else if (pins) {
      display.recolor();
      display.changed();
    }
    if (share !== undefined) view.led = !resting;
    if (!view.led && !lit) this.commit(); // on the way nothing is reported, as in a drag
    display.invalidate(share !== undefined || Boolean(pins));
  }

  /** @param {number} layer @param {boolean | undefined} resting @param {boolean} once */
  #goTo(layer, resting, once) {
    const { motion } = this;
    if (!resting) motion.jump(layer);
    else if (once) motion.jump(Math.round(layer));
    else if (motion.layer !== Math.round(layer)) motion.glideTo(Math.round(layer));
  }

  /** @param {number} point */
  #light(point) {
    const { focus, side, display } = this;
    focus.lit = point;
    if (point === NO_POINT) side.card.hide();
    else side.card.showWord(point, display.stop, display.theme);
  }
}
