// Below the map: play button, layer number, the slider with its strip, and the readings there.

import { element, lineSample, setAttribute, setText } from "./dom.js";
import { iconButton, setIcon } from "./icons.js";
import { Strip, dashOf, numberText, scoreTitle } from "./strip.js";

export class Dock {
  /** @type {boolean | undefined} */ playing;

  /** @param {World} world @param {{togglePlay: () => void, redraw: () => void, switched: () => void}} actions */
  constructor(world, { togglePlay, redraw, switched }) {
    this.world = world;
    /** @type {Set<number>} */
    this.switched = new Set(); // curves that are not as the map has them at first
    this.play = iconButton("play", "Play (P)", togglePlay, { class: "icon play" });
    this.title = element("span", { class: "title" }, world.title);
    this.number = element("span", { class: "number" });
    const canvas = element("canvas", { class: "strip", "aria-hidden": "true" });
    this.strip = new Strip(world, canvas);
    this.track = element("div", {
      class: "track", role: "slider", tabindex: "0", "aria-label": world.title,
      "aria-valuemin": "0", onfocus: redraw, onblur: redraw,
    }, canvas);
    this.values = world.scores.map(() => element("b", {}));
    this.buttons = world.scores.map(({ name, chance, random, about, badge }, index) => element("button", {
      type: "button", title: about || null,
      onclick: () => {
        if (!this.switched.delete(index)) this.switched.add(index);
        switched();
      },
    }, lineSample(dashOf(index), index ? "" : "first"), element("span", {}, name), this.values[index],
    element("em", { class: "badge" }, badge), element("small", {}, luckText(chance, random))));
    this.node = element("div", { class: "dock" }, this.play,
      element("div", { class: "where" }, this.title, this.number),
      this.track,
      element("div", { class: "readings", role: "group", "aria-label": "Lines in the strip" }, ...this.buttons));
    this.renew();
  }

  /** Which curves are drawn, in order. */
  get drawn() {
    return this.world.scores.flatMap(({ drawn }, index) => (drawn !== this.switched.has(index) ? [index] : []));
  }

  /** Makes room for the stops that there are now. */
  renew() {
    const { stops, stopCount } = this.world;
    this.number.style.setProperty("--letters", String(Math.max(...stops.map((stop) => stop.length))));
    setAttribute(this.track, "aria-valuemax", String(stopCount - 1));
  }

  /** What stands above a stop's number: "Layer" for "Layer 3", "After the final" for its "norm".
   * @param {number} stop */
  #titleOf(stop) {
    const { names, stops, title } = this.world;
    return names[stop].endsWith(` ${stops[stop]}`) ? names[stop].slice(0, -stops[stop].length - 1) : title;
  }

  /** @param {number} ratio @param {number} large */
  resize(ratio, large) {
    this.strip.resize(this.track.clientWidth, this.track.clientHeight, ratio, large);
  }

  /** @param {number} layer @param {Theme} theme @param {boolean} playing */
  draw(layer, theme, playing) {
    const { scores, stops, names } = this.world;
    const stop = Math.round(layer);
    const { drawn } = this;
    this.strip.draw(layer, drawn, theme, this.track.matches(":focus-visible"));
    setText(this.title, this.#titleOf(stop));
    setText(this.number, stops[stop]);
    scores.forEach(({ values }, index) => {
      setText(this.values[index], numberText(values[stop])); // of the stop that is named
      setAttribute(this.buttons[index], "aria-pressed", String(drawn.includes(index)));
    });
    const reading = scores.map((score) => `, ${scoreTitle(score)} ${numberText(score.values[stop])}`).join("");
    setAttribute(this.track, "aria-valuenow", String(stop));
    setAttribute(this.track, "aria-valuetext", `${names[stop]}${reading}`);
    if (playing !== this.playing) {
      this.playing = playing;
      if (playing) setIcon(this.play, "pause", "Pause (P)");
      else setIcon(this.play, "play", "Play (P)");
    }
  }
}

/** What stands beside a score to be compared with it: a random model, where one was measured, else chance.
 * @param {number | null} chance @param {number[] | null} random */
function luckText(chance, random) {
  if (random) return `random model ${numberText(Math.max(...random))} at most`;
  return chance === null ? "" : `chance ${numberText(chance)}`;
}
