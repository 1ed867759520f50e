// The same scrubber in a file of its own: the payload lies in the page, and nothing is sent anywhere.

import { Scrubber } from "./scrubber.js";
import { World } from "./world.js";

const part = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));
const payload = Uint8Array.from(atob(part("payload").textContent), (letter) => letter.charCodeAt(0));
/** @type {MapView} */
const view = JSON.parse(part("view").textContent);
new Scrubber(part("map"), new World(payload), view, () => {});
