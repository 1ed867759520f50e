// The same scrubber in a file of its own: the payload lies in the page, and nothing is sent anywhere.
// A comparison has two.

import { Scrubber } from "./scrubber.js";
import { World } from "./world.js";

for (const map of document.querySelectorAll("#maps > div")) {
  const textOf = (/** @type {string} */ name) => /** @type {Element} */ (map.querySelector(name)).textContent ?? "";
  const payload = Uint8Array.from(atob(textOf(".payload")), (letter) => letter.charCodeAt(0));
  /** @type {MapView} */
  const view = JSON.parse(textOf(".view"));
  new Scrubber(map, new World(payload), view, () => {});
}
