// The same scrubber in a notebook. anywidget calls this once for every place where the map is shown, and keeps
// the traits equal there and in Python.

import { element } from "./dom.js";
import { Scrubber } from "./scrubber.js";
import { World } from "./world.js";

const TOLD = ["layer", "pins", "selection", "color_by", "links", "labels"];
const CLEAR = "rgba(0, 0, 0, 0)";

/** @param {WidgetModel} model @returns {MapView} */
function viewOf(model) {
  /** @type {Record<string, any>} */
  const told = Object.fromEntries([...TOLD, "height"].map((name) => [name, model.get(name)]));
  return /** @type {any} */ ({ ...told, talk: false, tour: [], step: null });
}

/** Gives the map the paper and the ink of the cell it lies in.
 * @param {HTMLElement} host @param {HTMLElement} cell */
function takeTheme(host, cell) {
  /** @type {Element | null} */
  let paper = cell;
  while (paper && getComputedStyle(paper).backgroundColor === CLEAR) paper = paper.parentElement;
  if (!paper) return;
  host.style.setProperty("--st-background-color", getComputedStyle(paper).backgroundColor);
  host.style.setProperty("--st-text-color", getComputedStyle(cell).color);
}

/** @param {{model: WidgetModel, el: HTMLElement}} place */
function render({ model, el }) {
  // Apart from the notebook's own styles, which it must neither take nor change.
  const host = element("div", { "data-lm-suppress-shortcuts": "true" }); // or Jupyter takes the map's keys
  const shadow = host.attachShadow({ mode: "open" });
  shadow.append(element("style", {}, String(model.get("style"))));
  el.append(host);
  takeTheme(host, el);
  // The page that stands in for the map where there is no kernel lies in the same output.
  for (const page of document.querySelectorAll(`iframe[data-isogloss="${model.get("name")}"]`)) page.remove();
  const { buffer, byteOffset, byteLength } = /** @type {DataView<ArrayBuffer>} */ (model.get("payload"));
  const payload = new Uint8Array(buffer, byteOffset, byteLength);
  let telling = false;
  /** @param {MapState} state */
  const tell = (state) => {
    telling = true;
    for (const name of TOLD) model.set(name, /** @type {Record<string, unknown>} */ ({ ...state })[name]);
    model.save_changes();
    telling = false;
  };
  const scrubber = new Scrubber(shadow, new World(payload), viewOf(model), tell);
  const hear = () => {
    if (!telling) scrubber.apply(viewOf(model));
  };
  const names = [...TOLD, "height"].map((name) => `change:${name}`);
  for (const name of names) model.on(name, hear);
  return () => {
    for (const name of names) model.off(name, hear);
    scrubber.destroy();
  };
}

export default { render };
