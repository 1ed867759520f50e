// The one row of tools above the map.

import { element } from "./dom.js";
import { iconButton } from "./icons.js";

export class Toolbar {
  /** @type {HTMLInputElement} */ search;

  /** @param {World} world @param {ToolbarActions} actions */
  constructor(world, actions) {
    this.search = element("input", {
      type: "search", class: "search", placeholder: `Find a ${world.kind}`, title: "Enter pins it, the arrow keys go through all that are found",
      autocomplete: "off", spellcheck: "false",
      "aria-label": `Find a ${world.kind} in ${world.languages.length > 2 ? "any language" : world.languages.map(({ name }) => name).join(" or ")}`,
      oninput: () => actions.search(this.search.value),
    });
    this.found = element("span", { class: "found", "aria-live": "polite" });
    this.links = iconButton("links", `Lines between ${world.kind}s (L)`, actions.links);
    this.labels = iconButton("labels", `${world.middles ? "Sentences" : "Words"} on the map (W)`, actions.labels);
    this.lasso = iconButton("lasso", `Lasso: draw around ${world.kind}s (or Shift-drag)`, actions.lasso, { class: "icon precise" });
    this.sheet = iconButton("sheet", `Every ${world.stopNoun} at once (A)`, actions.sheet);
    this.menu = element("div", { class: "menu", role: "menu", hidden: true },
      element("button", { type: "button", role: "menuitem", onclick: () => this.#choose(actions.png) }, "PNG image"),
      element("button", { type: "button", role: "menuitem", onclick: () => this.#choose(actions.svg) }, "SVG drawing"));
    this.save = iconButton("save", "Take this view away", () => this.toggleMenu(), { "aria-haspopup": "menu", "aria-expanded": "false" });
    this.tour = iconButton("tour", "Tour, step by step (Space)", actions.tour);
    this.node = element("div", { class: "toolbar", role: "toolbar", "aria-label": "Map" },
      element("label", { class: "finder" }, this.search, this.found),
      element("span", { class: "spring" }),
      element("span", { class: "group" }, this.links, this.labels, this.lasso),
      element("span", { class: "group" }, this.sheet),
      element("span", { class: "group" }, this.tour, this.save, iconButton("talk", "Talk mode (T)", actions.talk), this.menu));
  }

  /** @param {() => void} action */
  #choose(action) {
    this.toggleMenu(false);
    action();
  }

  toggleMenu(open = this.menu.hidden) {
    this.menu.hidden = !open;
    this.save.setAttribute("aria-expanded", String(open));
  }

  /** @param {ToolbarState} state */
  update({ links, labels, lassoing, sheet, found, tour }) {
    this.tour.hidden = tour.steps.length === 0;
    this.tour.setAttribute("aria-pressed", String(tour.at !== null));
    this.links.setAttribute("aria-pressed", String(links));
    this.labels.setAttribute("aria-pressed", String(labels));
    this.lasso.setAttribute("aria-pressed", String(lassoing));
    this.sheet.setAttribute("aria-pressed", String(sheet));
    this.found.textContent = found;
  }
}
