// What lies around the map: toolbar, legend, pinned words, the list of a lasso.

import { COLORINGS, legendRows } from "./colors.js";
import { copyText, element, icon, readable } from "./dom.js";

const LISTED = 400; // rows put into the page for one side; the copied text has them all

const ICONS = {
  links: ["M5.5 14.5 14.5 5.5", "M4 16.5a1.6 1.6 0 1 0 0-.1", "M16 4.5a1.6 1.6 0 1 0 0-.1"],
  labels: ["M2.5 15 6.5 5h.4L11 15", "M4 11.6h5.4", "M17.2 9.8V15", "M17.2 12.4a2.4 2.4 0 1 1-4.8 0 2.4 2.4 0 0 1 4.8 0Z"],
  lasso: ["M10 4c4 0 7 1.9 7 4.4s-3 4.4-7 4.4-7-1.9-7-4.4S6 4 10 4Z", "M6.5 12.2c-1.4.7-1.6 2.6-.2 3.2 1 .4 1.7 1 1.2 2"],
  fit: ["M3.5 7.5v-4h4", "M12.5 3.5h4v4", "M16.5 12.5v4h-4", "M7.5 16.5h-4v-4"],
  save: ["M10 3.5v9", "M6.3 9.2 10 12.8l3.7-3.6", "M4 16.5h12"],
  talk: ["M3 4.5h14v9H3Z", "M10 13.5v3", "M7 16.8h6"],
  close: ["M5.5 5.5 14.5 14.5", "M14.5 5.5 5.5 14.5"],
  play: ["M7 4.8v10.4L15.4 10Z"],
  pause: ["M7 5v10", "M13 5v10"],
};

export function iconButton(name, label, onclick, attributes = {}) {
  return element("button", { type: "button", class: "icon", title: label, "aria-label": label, onclick, ...attributes }, icon(...ICONS[name]));
}

export function setIcon(button, name, label) {
  button.replaceChildren(icon(...ICONS[name]));
  button.setAttribute("aria-label", label);
  button.title = label;
}

export class Toolbar {
  constructor(world, actions) {
    this.search = element("input", {
      type: "search", class: "search", placeholder: "Find a word", autocomplete: "off", spellcheck: "false",
      "aria-label": `Find a word in ${world.languages[0].name} or ${world.languages[1].name}`,
      oninput: () => actions.search(this.search.value),
    });
    this.found = element("span", { class: "found", "aria-live": "polite" });
    const possible = { topic: world.topics.length > 0, alignment: world.ranked };
    const offered = COLORINGS.filter(([value]) => possible[value] ?? true);
    this.coloring = element("select", { "aria-label": "Colour by", onchange: () => actions.color(this.coloring.value) },
      ...offered.map(([value, name]) => element("option", { value }, name)));
    this.links = iconButton("links", "Links between translations (L)", actions.links);
    this.labels = iconButton("labels", "Words on the map (W)", actions.labels);
    this.lasso = iconButton("lasso", "Lasso: draw around words (or Shift-drag)", actions.lasso);
    this.menu = element("div", { class: "menu", role: "menu", hidden: true },
      element("button", { type: "button", role: "menuitem", onclick: () => this.#choose(actions.png) }, "PNG image"),
      element("button", { type: "button", role: "menuitem", onclick: () => this.#choose(actions.svg) }, "SVG drawing"));
    this.save = iconButton("save", "Take this view away", () => this.toggleMenu(), { "aria-haspopup": "menu", "aria-expanded": "false" });
    this.node = element("div", { class: "toolbar", role: "toolbar", "aria-label": "Map" },
      element("label", { class: "finder" }, this.search, this.found),
      element("label", { class: "coloring" }, element("span", {}, "Colour"), this.coloring),
      element("span", { class: "spring" }),
      element("span", { class: "group" }, this.links, this.labels, this.lasso),
      element("span", { class: "group" },
        iconButton("fit", "Fit everything (F)", actions.fit), this.save,
        iconButton("talk", "Talk mode (T)", actions.talk), this.menu));
  }

  #choose(action) {
    this.toggleMenu(false);
    action();
  }

  toggleMenu(open = this.menu.hidden) {
    this.menu.hidden = !open;
    this.save.setAttribute("aria-expanded", String(open));
  }

  update({ coloring, links, labels, lassoing, found }) {
    this.coloring.value = coloring;
    this.links.setAttribute("aria-pressed", String(links));
    this.labels.setAttribute("aria-pressed", String(labels));
    this.lasso.setAttribute("aria-pressed", String(lassoing));
    this.found.textContent = found;
  }
}

export function fillLegend(node, world, coloring, theme) {
  const rows = legendRows(world, coloring, theme).map(([color, shape, text]) => {
    const mark = element("span", { class: `mark ${shape === null ? "swatch" : `side-${shape}`}` });
    mark.style.backgroundColor = color ?? theme.ink;
    return element("li", {}, mark, element("bdi", {}, readable(text, 26)));
  });
  const hints = {
    alignment: "Partner’s rank among the other language",
    sentence: "One colour a sentence; eight colours take turns",
  };
  if (hints[coloring]) rows.push(element("li", { class: "hint" }, hints[coloring]));
  node.replaceChildren(...rows);
}

export function fillPins(node, world, pins, unpin) {
  node.replaceChildren(...pins.map((point) => {
    const words = [point, ...world.partnersOf(point)].map((index) => readable(world.texts[index], 16)).join(" – ");
    return element("span", { class: "pin" },
      element("span", { class: `mark side-${world.sides[point]}` }), element("bdi", {}, words),
      iconButton("close", `Unpin ${words}`, () => unpin(point)));
  }));
}

export class SideList {
  constructor(world, { light, clear }) {
    this.world = world;
    this.light = light;
    this.title = element("h3", {});
    this.copy = element("button", { type: "button", class: "plain", onclick: () => this.#copy() }, "Copy as text");
    this.body = element("div", { class: "list-body" });
    this.node = element("aside", { class: "list", hidden: true, "aria-label": "Words inside the lasso" },
      element("header", {}, this.title, this.copy, iconButton("close", "Clear the lasso", clear)), this.body);
  }

  show(points) {
    this.points = points;
    this.node.hidden = points.length === 0;
    this.title.textContent = points.length === 1 ? "1 word" : `${points.length} words`;
    this.copy.textContent = "Copy as text";
    this.body.replaceChildren(...[0, 1].map((side) => this.#section(side)));
  }

  #onSide(side) {
    return this.points.filter((point) => this.world.sides[point] === side);
  }

  #section(side) {
    const points = this.#onSide(side);
    const rows = points.slice(0, LISTED).map((point) => {
      const text = readable(this.world.texts[point], 40);
      return element("li", { onpointerenter: () => this.light(point), onpointerleave: () => this.light(-1) }, element("bdi", {}, text));
    });
    if (points.length > LISTED) rows.push(element("li", { class: "hint" }, `and ${points.length - LISTED} more`));
    return element("section", {},
      element("h4", {}, element("span", { class: `mark side-${side}` }), `${this.world.languages[side].name} · ${points.length}`),
      element("ul", { lang: this.world.languages[side].code }, ...rows));
  }

  async #copy() {
    const sections = [0, 1].map((side) =>
      [this.world.languages[side].name, ...this.#onSide(side).map((point) => this.world.texts[point])].join("\n"));
    await copyText(sections.join("\n\n"));
    this.copy.textContent = "Copied";
  }
}
