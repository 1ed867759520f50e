// What is seen of the scrubber: its colours and its size, and a frame whenever something has changed.

import { colorPoints, readTheme } from "./colors.js";
import { around, clamp, distanceFromTop } from "./dom.js";

const LOWEST = 430; // pixels that a map as high as the window has at least
const HIGHEST = 1200;
const TALK_LETTER = 0.024; // of the screen's height, so that the last row can read it

export class Display {
  /** @type {Theme} */ theme;
  /** @type {number | undefined} */ coloredStop;
  /** @type {number | undefined} */ ratio;
  /** @type {boolean | undefined} */ stale;
  /** @type {number | undefined} */ request;
  /** @type {number | undefined} */ lastFrame;

  /** `state` is {motion, focus, tour, view}, `parts` are the root and what stands in it.
   *
   * `advanced` is called in every frame, with whether playing has just come to its end.
   * @param {World} world
   * @param {DisplayState} state
   * @param {DisplayParts} parts
   * @param {(ended: boolean) => void} advanced */
  constructor(world, state, parts, advanced) {
    Object.assign(this, { world, ...state, ...parts, advanced });
    this.frames = 0;
  }

  get talking() {
    return this.root.classList.contains("talk");
  }

  get stop() {
    return Math.round(this.motion.layer);
  }

  refreshTheme() {
    const { talking } = this;
    this.root.classList.remove("dark", "talk"); // so that the page's own paper is read
    this.root.classList.toggle("dark", readTheme(this.root).dark);
    this.root.classList.toggle("talk", talking);
    this.theme = readTheme(this.root, this.world.languages.length);
    this.theme.sides.forEach((color, side) => this.root.style.setProperty(`--side-${side}`, color));
    this.recolor();
    this.changed();
  }

  recolor() {
    this.coloredStop = this.stop;
    Object.assign(this, colorPoints(this.world, this.view.coloring, this.stop, this.theme));
  }

  /** What stands around the map and the map itself are to be drawn again. */
  changed() {
    const { view, theme, stop, focus, tour } = this;
    this.toolbar.update({
      links: view.showLinks, labels: view.showLabels, lassoing: view.lassoing, sheet: this.sheet.open, found: focus.found, tour,
    });
    this.side.fill({ coloring: view.coloring, theme, stop, pins: focus.pins });
    if (this.ratio) this.sheet.draw(this.shown(), this.ratio);
    this.invalidate();
  }

  /** Takes the height that the page has set, or what the window leaves below what is above the map. */
  setHeight() {
    if (this.talking) return; // then it covers the window
    const room = window.innerHeight - distanceFromTop(this.root) - 12;
    const height = this.view.height ?? clamp(Math.round(room), LOWEST, HIGHEST);
    this.root.style.setProperty("--height", `${height}px`);
  }

  resize() {
    const { root } = this;
    this.ratio = Math.min(2, window.devicePixelRatio || 1);
    root.classList.toggle("upright", this.talking && root.clientWidth < root.clientHeight);
    root.style.setProperty("--above", `${this.name.offsetHeight}px`);
    const letter = this.talking ? Math.max(18, Math.ceil(TALK_LETTER * window.innerHeight)) : null;
    this.root.style.setProperty("--letter", `${letter}px`);
    this.stage.resize(this.ratio, letter);
    this.dock.resize(this.ratio, letter ?? 11);
    this.sheet.draw(this.shown(), this.ratio);
    this.invalidate();
  }

  shown() {
    const { theme, palette, slots, stop } = this;
    const { coloring, showLinks, showLabels } = this.view;
    const { bright, pins, lit, matches } = this.focus;
    return { theme, palette, slots, bright, pins, lit, matches, coloring, showLinks, showLabels, stop, layer: this.motion.layer };
  }

  /** Asks for a frame; `everything` is false when only words and highlights changed.
   * @param {boolean} everything */
  invalidate(everything = true) {
    this.stale ||= everything;
    this.request ||= requestAnimationFrame((now) => this.#frame(now));
  }

  /** Follows the sizes and colours of what is around it until `signal` ends that.
   * @param {AbortSignal} signal */
  watch(signal) {
    const sizes = new ResizeObserver(() => this.resize());
    sizes.observe(this.stage.node);
    sizes.observe(this.dock.track);
    // What stands above the map may find its height late, as when a font arrives.
    const surroundings = new ResizeObserver(() => this.setHeight());
    for (const outer of around(this.root).slice(1)) surroundings.observe(outer);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.refreshTheme(), { signal });
    window.addEventListener("resize", () => this.setHeight(), { signal });
    signal.addEventListener("abort", () => {
      sizes.disconnect();
      surroundings.disconnect();
      if (this.request) cancelAnimationFrame(this.request);
    });
  }

  /** @param {number} now */
  #frame(now) {
    this.request = 0;
    if (!this.ratio) return; // not laid out yet; the resize observer asks again
    const { motion, view } = this;
    const elapsed = Math.min(50, now - (this.lastFrame ?? now - 16));
    const wasMoving = motion.moving;
    this.advanced(motion.advance(elapsed));
    if (view.coloring === "alignment" && this.stop !== this.coloredStop) this.recolor();
    if (this.world.turnTo(this.stop)) this.side.fill({ coloring: view.coloring, theme: this.theme, stop: this.stop, pins: this.focus.pins });
    const state = this.shown();
    if (this.stale || wasMoving) {
      this.stage.drawBase({ ...state, moving: view.dragging || view.led || motion.moving });
      this.dock.draw(state.layer, this.theme, motion.playing);
      this.side.update(state.stop);
      this.sheet.mark(state.stop);
    }
    this.stale = false;
    const atRest = !view.dragging && !motion.glide && Math.abs(state.layer - state.stop) < 0.06;
    const fading = this.stage.drawWords(state, { elapsed, moving: !atRest, polygon: view.polygon });
    this.frames += 1;
    const again = motion.moving || wasMoving || fading;
    if (!again && atRest) this.stage.reader.write(this.stop, this.focus.pins);
    this.lastFrame = again ? now : undefined;
    if (again) this.invalidate(motion.moving);
  }
}
