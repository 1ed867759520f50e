// Buttons that show a picture instead of a word; the word is their name and title.

import { element, icon } from "./dom.js";

/** @type {Record<string, string[]>} */
const ICONS = {
  links: ["M5.5 14.5 14.5 5.5", "M4 16.5a1.6 1.6 0 1 0 0-.1", "M16 4.5a1.6 1.6 0 1 0 0-.1"],
  labels: ["M2.5 15 6.5 5h.4L11 15", "M4 11.6h5.4", "M17.2 9.8V15", "M17.2 12.4a2.4 2.4 0 1 1-4.8 0 2.4 2.4 0 0 1 4.8 0Z"],
  lasso: ["M10 4c4 0 7 1.9 7 4.4s-3 4.4-7 4.4-7-1.9-7-4.4S6 4 10 4Z", "M6.5 12.2c-1.4.7-1.6 2.6-.2 3.2 1 .4 1.7 1 1.2 2"],
  sheet: ["M3.5 4h5v5h-5Z", "M11.5 4h5v5h-5Z", "M3.5 11.5h5v5h-5Z", "M11.5 11.5h5v5h-5Z"],
  save: ["M10 3.5v9", "M6.3 9.2 10 12.8l3.7-3.6", "M4 16.5h12"],
  talk: ["M3 4.5h14v9H3Z", "M10 13.5v3", "M7 16.8h6"],
  tour: ["M5 17V3.5", "M5 4h10l-2.2 3.5L15 11H5"],
  back: ["M12 5.5 7.5 10l4.5 4.5"],
  next: ["M8 5.5 12.5 10 8 14.5"],
  close: ["M5.5 5.5 14.5 14.5", "M14.5 5.5 5.5 14.5"],
  play: ["M7 4.8v10.4L15.4 10Z"],
  pause: ["M7 5v10", "M13 5v10"],
};

/** @param {string} name @param {string} label @param {() => void} onclick @param {Attributes} attributes */
export function iconButton(name, label, onclick, attributes = {}) {
  return element("button", { type: "button", class: "icon", title: label, "aria-label": label, onclick, ...attributes }, icon(...ICONS[name]));
}

/** @param {HTMLElement} button @param {string} name @param {string} label */
export function setIcon(button, name, label) {
  button.replaceChildren(icon(...ICONS[name]));
  button.setAttribute("aria-label", label);
  button.title = label;
}
