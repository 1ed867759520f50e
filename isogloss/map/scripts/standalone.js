// The same scrubber in a file of its own: the payload lies in the page, and nothing is sent anywhere.

import { Scrubber } from "./scrubber.js";
import { World } from "./world.js";

const payload = Uint8Array.from(atob(document.getElementById("payload").textContent), (letter) => letter.charCodeAt(0));
const view = JSON.parse(document.getElementById("view").textContent);
new Scrubber(document.getElementById("map"), new World(payload), view, () => {});
