// The map itself: three canvases on top of each other, for links, points, and words with highlights.

import { Camera } from "./camera.js";
import { clamp, element, setText } from "./dom.js";
import { Labels } from "./labels.js";
import { paintHighlights, paintLabels, paintLasso, paintLinks, paintTrails } from "./painter.js";
import { LinkRaster } from "./link_raster.js";
import { PointLayer, shadeOf } from "./stamps.js";

const MATCHES_LABELLED = 40;
const MANY_LINKS = 3_000; // from so many on they are added up pixel by pixel

export class Stage {
  constructor(world, { fit }) {
    this.world = world;
    this.camera = new Camera(world.boxes);
    this.screen = new Float32Array(world.count * 2);
    this.labels = new Labels(world);
    const [links, points, words] = ["links", "points", "words"].map((name) =>
      element("canvas", { class: name, "aria-hidden": "true" }));
    this.links = links.getContext("2d");
    this.manyLinks = new LinkRaster(links);
    this.points = new PointLayer(points);
    this.words = words.getContext("2d");
    this.node = element("div", {
      class: "stage", tabindex: "0", role: "application",
      "aria-label": `Map of ${world.count} words. Arrow keys change the ${world.title.toLowerCase()}.`,
    }, links, points, words);
    this.whole = element("button", { type: "button", class: "whole", hidden: true, onclick: fit }, "Show the whole map (F)");
    this.warning = element("p", { class: "warning" });
    this.scale = element("p", { class: "scale" });
    this.node.append(this.whole, this.warning, this.scale);
  }

  /** `letter` is the size of the words in pixels, null where the screen is near. */
  resize(ratio, letter) {
    const { clientWidth: width, clientHeight: height } = this.node;
    this.ratio = ratio;
    this.letter = letter ?? 10;
    this.camera.resize(width, height);
    this.points.resize(width, height, ratio);
    for (const { canvas } of [this.links, this.words]) {
      canvas.width = Math.max(1, Math.round(width * ratio));
      canvas.height = Math.max(1, Math.round(height * ratio));
    }
    this.manyLinks.resize(ratio);
    this.labels.setFont(letter ?? Math.round(clamp(0.019 * height, 12.5, 15) * 2) / 2);
  }

  /** Marker radius in pixels: smaller in a crowd or a small map, larger when zoomed in. */
  get radius() {
    const crowd = 4.8 * (1000 / this.world.count) ** 0.24;
    const room = clamp(Math.sqrt(Math.min(this.camera.width, this.camera.height) / 560), 0.75, 1.5);
    const closeness = clamp(this.camera.zoom ** 0.35, 1, 2.2);
    return Math.round(clamp(crowd * room * closeness, 1.25, 11) * 4) / 4;
  }

  /** All the painter needs, for the screen as for a picture to take away. */
  scene(state) {
    const { world, camera, screen, labels, radius, letter } = this;
    const { width, height } = camera;
    return { ...state, world, camera, screen, labels, radius, letter, width, height, shade: shadeOf(world.count, radius, camera), linkWidth: 1 / this.ratio };
  }

  place(layer) {
    this.camera.project(this.world, layer, this.screen);
  }

  drawBase(state) {
    this.place(state.layer);
    const scene = this.scene(state);
    this.#clear(this.links);
    if (state.showLinks && this.world.drawnLinks.length > 2 * MANY_LINKS) this.manyLinks.draw(scene);
    else if (state.showLinks) paintLinks(this.links, scene);
    this.points.draw(scene);
    this.whole.hidden = this.camera.fitted;
    setText(this.warning, this.world.notes?.[state.stop] ?? "");
    setText(this.scale, scaleNote(scene));
  }

  /** Draws words and highlights; returns whether words are still fading in or out. */
  drawWords(state, { elapsed, moving, polygon }) {
    const scene = this.scene(state);
    const { pins, lit, matches } = state;
    const chosen = lit >= 0 ? [lit, ...pins] : pins;
    const pairs = chosen.flatMap((point) => [point, ...this.world.partnersOf(point)]);
    this.#clear(this.words);
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

  #clear(context) {
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    context.clearRect(0, 0, this.camera.width, this.camera.height);
  }
}

/** What was done to the layout's shape and size so that it fills the stage, and what is left out. */
export function scaleNote({ world, camera, stop }) {
  const stretch = camera.stretchAt(stop);
  const factor = Math.max(stretch, 1 / stretch).toFixed(1);
  const way = stretch > 1 ? "sideways" : "upwards";
  const stretched = factor === "1.0" ? "" : `, here stretched ${factor} × ${way}`;
  const [all, drawn] = [world.links, world.drawnLinks].map((links) => links.length / 2);
  const sample = drawn < all ? ` · ${drawn.toLocaleString("en")} of ${all.toLocaleString("en")} links drawn` : "";
  return `Each ${world.stopNoun} at its own scale${stretched}${sample}`;
}
