// The map itself: two canvases on top of each other, for the cloud, and for words with highlights.

import { Camera } from "./camera.js";
import { Cloud, shadeOf } from "./cloud.js";
import { clamp, element, penOf, setText } from "./dom.js";
import { Labels } from "./labels.js";
import { paintHighlights, paintLabels, paintLasso, paintTrails } from "./painter.js";
import { ReaderTable } from "./reader.js";

const MATCHES_LABELLED = 40;

export class Stage {
  /** @type {number} */ ratio;
  /** @type {number} */ letter;

  /** @param {World} world @param {{fit: () => void}} actions */
  constructor(world, { fit }) {
    this.world = world;
    this.camera = new Camera(world.boxes);
    this.screen = new Float32Array(world.count * 2);
    this.labels = new Labels(world);
    const [cloud, words] = ["cloud", "words"].map((name) => element("canvas", { class: name, "aria-hidden": "true" }));
    this.cloud = new Cloud(cloud);
    this.words = penOf(words);
    this.node = element("div", {
      class: "stage", tabindex: "0", role: "group",
      "aria-label": `Map of ${world.marked} ${world.kind}s. Arrow keys change the ${world.title.toLowerCase()}.`,
    }, cloud, words);
    this.whole = element("button", { type: "button", class: "whole", hidden: true, onclick: fit }, "Show the whole map (F)");
    this.warning = element("p", { class: "warning" });
    this.scale = element("p", { class: "scale" });
    this.reader = new ReaderTable(world);
    this.node.append(this.whole, this.warning, this.scale, this.reader.node);
  }

  /** `letter` is the size of the words in pixels, null where the screen is near.
   * @param {number} ratio @param {number | null} letter */
  resize(ratio, letter) {
    const { clientWidth: width, clientHeight: height } = this.node;
    this.ratio = ratio;
    this.letter = letter ?? 10;
    this.camera.resize(width, height);
    this.cloud.resize(width, height, ratio);
    this.words.canvas.width = this.cloud.canvas.width;
    this.words.canvas.height = this.cloud.canvas.height;
    this.labels.setFont(letter ?? Math.round(clamp(0.019 * height, 12.5, 15) * 2) / 2);
  }

  /** Where the markers are: x, y, x, y, … */
  get markers() {
    return this.screen.subarray(0, 2 * this.world.marked);
  }

  /** Marker radius in pixels: smaller in a crowd or a small map, larger when zoomed in. */
  get radius() {
    const crowd = 4.8 * (1000 / this.world.count) ** 0.24;
    const room = clamp(Math.sqrt(Math.min(this.camera.width, this.camera.height) / 560), 0.75, 1.5);
    const closeness = clamp(this.camera.zoom ** 0.35, 1, 2.2);
    return Math.round(clamp(crowd * room * closeness, 1.25, 11) * 4) / 4;
  }

  /** All the painter needs, for the screen as for a picture to take away.
   * @param {Shown} state @returns {StageScene} */
  scene(state) {
    const { world, camera, screen, labels, radius, letter } = this;
    const { width, height } = camera;
    return { ...state, world, camera, screen, labels, radius, letter, width, height, shade: shadeOf(world.count, radius, camera) };
  }

  /** @param {number} layer */
  place(layer) {
    this.camera.project(this.world, layer, this.screen);
  }

  /** @param {Shown} state */
  drawBase(state) {
    this.place(state.layer);
    const scene = this.scene(state);
    this.cloud.draw(scene);
    this.whole.hidden = this.camera.fitted;
    setText(this.warning, this.world.notes?.[state.stop] ?? "");
    setText(this.scale, scaleNote(scene));
  }

  /** Draws words and highlights; returns whether words are still fading in or out.
   * @param {Shown} state @param {{elapsed: number, moving: boolean, polygon: Place[]}} live */
  drawWords(state, { elapsed, moving, polygon }) {
    const scene = this.scene(state);
    const { pins, lit, matches } = state;
    const chosen = lit >= 0 ? [lit, ...pins] : pins;
    const pairs = this.world.middles ? chosen : chosen.flatMap((point) => [point, ...this.world.partnersOf(point)]);
    this.words.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    this.words.clearRect(0, 0, this.camera.width, this.camera.height);
    const fading = this.labels.place(this.words, {
      ...scene, elapsed, moving, wanted: state.showLabels, allowed: state.bright,
      forced: [...pairs, ...matches.slice(0, MATCHES_LABELLED)],
    });
    paintTrails(this.words, scene);
    paintHighlights(this.words, scene);
    paintLabels(this.words, scene);
    paintLasso(this.words, polygon, state.theme);
    return fading;
  }
}

/** What was done to the layout's shape and size so that it fills the stage, and what is left out.
 * @param {Scene} scene */
export function scaleNote({ world, camera, stop }) {
  const stretch = camera.stretchAt(stop);
  const factor = Math.max(stretch, 1 / stretch).toFixed(1);
  const way = stretch > 1 ? "sideways" : "upwards";
  const stretched = factor === "1.0" ? "" : `, here stretched ${factor} × ${way}`;
  return `Each ${world.stopNoun} at its own scale${stretched}${world.linksLeftOut}`;
}
