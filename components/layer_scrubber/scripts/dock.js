// Below the map: play button, layer number, the slider with its strip, and the readings there.

import { element } from "./dom.js";
import { iconButton, setIcon } from "./panels.js";
import { Strip, valueAt } from "./strip.js";

export class Dock {
  constructor(world, { togglePlay, redraw }) {
    this.world = world;
    this.score = 0;
    this.play = iconButton("play", "Play (Space)", togglePlay, { class: "icon play" });
    this.number = element("span", { class: "number" });
    this.number.style.setProperty("--letters", Math.max(...world.stops.map((stop) => stop.length)));
    const canvas = element("canvas", { class: "strip", "aria-hidden": "true" });
    this.strip = new Strip(world, canvas);
    this.track = element("div", {
      class: "track", role: "slider", tabindex: "0", "aria-label": world.title,
      "aria-valuemin": "0", "aria-valuemax": String(world.stopCount - 1), onfocus: redraw, onblur: redraw,
    }, canvas);
    this.values = world.scores.map(() => element("b", {}));
    this.buttons = world.scores.map(({ name }, index) => element("button", {
      type: "button", title: `Show “${name}” in the strip`,
      onclick: () => {
        this.score = index;
        redraw();
      },
    }, element("span", {}, name), this.values[index]));
    this.trust = element("b", {});
    this.node = element("div", { class: "dock" }, this.play,
      element("div", { class: "where" }, element("span", { class: "title" }, world.title), this.number),
      this.track,
      element("div", { class: "readings" }, ...this.buttons,
        world.trust && element("p", { title: "Share of each word’s true neighbours that are still its neighbours here" },
          element("span", {}, "Trust in the picture"), this.trust)));
  }

  resize(ratio, large) {
    this.strip.resize(this.track.clientWidth, this.track.clientHeight, ratio, large);
  }

  draw(layer, theme, playing) {
    const { scores, stops, names, trust } = this.world;
    const stop = Math.round(layer);
    this.strip.draw(layer, scores[this.score], theme, this.track.matches(":focus-visible"));
    setText(this.number, stops[stop]);
    scores.forEach(({ values }, index) => {
      setText(this.values[index], valueAt(values, layer).toFixed(2));
      setAttribute(this.buttons[index], "aria-pressed", String(index === this.score));
    });
    if (trust) setText(this.trust, valueAt(trust, layer).toFixed(2));
    const reading = scores.length ? `, ${scores[this.score].name} ${scores[this.score].values[stop].toFixed(2)}` : "";
    setAttribute(this.track, "aria-valuenow", String(stop));
    setAttribute(this.track, "aria-valuetext", `${names[stop]}${reading}`);
    if (playing !== this.playing) {
      this.playing = playing;
      setIcon(this.play, ...(playing ? ["pause", "Pause (Space)"] : ["play", "Play (Space)"]));
    }
  }
}

// Writing what is already there would still make the browser lay the page out again.

function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

function setAttribute(node, name, value) {
  if (node.getAttribute(name) !== value) node.setAttribute(name, value);
}
