// How the layer changes over time: at once under a drag, gliding to a stop, or playing.

import { clamp, prefersReducedMotion } from "./dom.js";

const GLIDE_MILLISECONDS = 220;
const WATCHED_MILLISECONDS_PER_LAYER = 450;
const LONGEST_MILLISECONDS = 3500;
const ARRIVAL_PAUSE_MILLISECONDS = 700; // so that the first stop is seen, too
const PLAY_MILLISECONDS_PER_LAYER = 1100;

export class Motion {
  /** @type {number} */ layer;
  /** @type {number} */ target;
  /** @type {number} */ playhead;
  /** @type {Glide | null} */ glide;
  /** @type {boolean} */ playing;

  /** @param {number} last @param {number} layer */
  constructor(last, layer) {
    this.last = last;
    this.jump(layer);
  }

  /** @param {number} layer */
  jump(layer) {
    this.target = clamp(layer, 0, this.last);
    this.layer = this.target;
    this.glide = null;
    this.playing = false;
  }

  /** Moves to a stop; a way that is to be watched takes its time at every layer.
   * @param {number} target @param {boolean} watched */
  glideTo(target, watched = false) {
    this.playing = false;
    this.target = clamp(target, 0, this.last);
    if (prefersReducedMotion()) this.jump(this.target);
    else this.glide = { from: this.layer, elapsed: 0, watched, lasts: watched ? this.#watchingTime() : GLIDE_MILLISECONDS };
  }

  /** Shows the first stop for a moment and then goes to another one, which is to be watched.
   * @param {number} target */
  arriveAt(target) {
    this.jump(0);
    this.glideTo(target, true);
    if (this.glide) this.glide.elapsed = -ARRIVAL_PAUSE_MILLISECONDS;
  }

  #watchingTime() {
    return clamp(WATCHED_MILLISECONDS_PER_LAYER * Math.abs(this.target - this.layer), GLIDE_MILLISECONDS, LONGEST_MILLISECONDS);
  }

  play() {
    this.glide = null;
    this.playhead = this.layer >= this.last ? 0 : this.layer;
    this.playing = this.last > 0;
  }

  get moving() {
    return this.playing || this.glide !== null;
  }

  /** Moves on by some milliseconds; returns true when playing has just come to its end.
   * @param {number} elapsed */
  advance(elapsed) {
    if (this.playing) {
      this.playhead = Math.min(this.last, this.playhead + elapsed / PLAY_MILLISECONDS_PER_LAYER);
      this.layer = prefersReducedMotion() ? Math.floor(this.playhead) : this.playhead;
      this.target = Math.round(this.layer);
      if (this.playhead < this.last) return false;
      this.jump(this.last);
      return true;
    }
    if (this.glide) {
      this.glide.elapsed += elapsed;
      const share = clamp(this.glide.elapsed / this.glide.lasts, 0, 1);
      const eased = this.glide.watched ? share * share * (3 - 2 * share) : 1 - (1 - share) ** 3;
      this.layer = this.glide.from + (this.target - this.glide.from) * eased;
      if (share === 1) this.jump(this.target);
    }
    return false;
  }
}
