// The layer scrubber: keeps the state, turns acts of the user into changes of it, asks for frames.

import { pointsInside } from "./camera.js";
import { colorPoints, readTheme } from "./colors.js";
import { Dock } from "./dock.js";
import { clamp, element } from "./dom.js";
import { pointUnder, watchMap, watchSlider } from "./gestures.js";
import { watchKeys } from "./keys.js";
import { MapView } from "./map.js";
import { Motion } from "./motion.js";
import { SideList, Toolbar, fillLegend, fillPins } from "./panels.js";
import { saveDrawing, savePicture } from "./takeaway.js";
import { coverPage } from "./talk.js";
import { Tooltip } from "./tooltip.js";

const KEY_PAUSE_MILLISECONDS = 280; // a held arrow key is one change, reported when it rests
const NO_POINT = -1;

export class Scrubber {
  /** `send` gets the whole state as plain JSON, once for each completed act of the user. */
  constructor(parent, world, view, send) {
    this.world = world;
    this.send = send;
    this.motion = new Motion(world.stopCount - 1, 0);
    this.selection = [];
    this.matches = [];
    this.match = -1;
    this.lit = NO_POINT;
    this.polygon = [];
    this.bright = null;
    this.frames = 0;
    this.#build(parent);
    this.apply(view);
    this.#listen();
  }

  /** Takes over a view from outside: layer, pins, colouring, switches, talk mode, height. */
  apply(view) {
    this.motion.jump(view.layer);
    this.pins = view.pins.filter((point) => point < this.world.count);
    this.coloring = view.color_by;
    this.showLinks = view.links;
    this.showLabels = view.labels;
    this.root.style.setProperty("--height", `${view.height}px`);
    this.refreshTheme();
    this.setTalk(view.talk, false);
    this.sent = JSON.stringify(this.#snapshot());
  }

  refreshTheme() {
    const { talking } = this;
    this.root.classList.remove("dark", "talk"); // so that the page's own paper is read
    this.root.classList.toggle("dark", readTheme(this.root).dark);
    this.root.classList.toggle("talk", talking);
    this.theme = readTheme(this.root);
    this.theme.sides.forEach((color, side) => this.root.style.setProperty(`--side-${side}`, color));
    this.#recolor();
    this.#updatePanels();
    this.invalidate();
  }

  destroy() {
    this.leaveCover?.();
    this.lifetime.abort();
    this.observer.disconnect();
    cancelAnimationFrame(this.request);
    clearTimeout(this.report);
    this.root.remove();
  }

  get talking() {
    return this.root.classList.contains("talk");
  }

  get stop() {
    return Math.round(this.motion.layer);
  }

  #build(parent) {
    const { world } = this;
    this.map = new MapView(world);
    this.dock = new Dock(world, { togglePlay: () => this.#togglePlay(), redraw: () => this.invalidate() });
    this.toolbar = new Toolbar(world, {
      search: (query) => this.#search(query),
      color: (coloring) => this.#set("coloring", coloring),
      links: () => this.#set("showLinks", !this.showLinks),
      labels: () => this.#set("showLabels", !this.showLabels),
      lasso: () => this.#setLasso(!this.lassoing),
      fit: () => this.#fit(),
      talk: () => this.setTalk(true),
      png: () => savePicture(this.map.scene(this.#shown())),
      svg: () => saveDrawing(this.map.scene(this.#shown())),
    });
    this.legend = element("ul", { class: "legend", "aria-label": "Legend" });
    this.pinned = element("div", { class: "pins" });
    this.list = new SideList(world, { light: (point) => this.#light(point), clear: () => this.#select([]) });
    this.map.node.append(this.pinned, this.legend);
    this.tooltip = new Tooltip(world, this.map.node);
    this.root = element("div", { class: "scrubber" }, this.toolbar.node,
      element("div", { class: "middle" }, this.map.node, this.list.node),
      this.dock.node, element("p", { class: "caption" }, world.caption));
    Object.defineProperty(this.root, "scrubber", { value: this.#peephole() });
    parent.append(this.root);
  }

  /** What a test or the browser's console may look at, and never change. */
  #peephole() {
    const scrubber = this;
    return Object.freeze({
      get layer() { return scrubber.motion.layer; },
      get frames() { return scrubber.frames; },
      get pins() { return [...scrubber.pins]; },
      get selection() { return [...scrubber.selection]; },
      get matches() { return [...scrubber.matches]; },
      get zoom() { return scrubber.map.camera.zoom; },
      get labels() { return [...scrubber.map.labels.shown].map(([point, { box, text, opacity }]) => ({ point, text, opacity, ...box })); },
      positionOf: (point) => [scrubber.map.screen[2 * point], scrubber.map.screen[2 * point + 1]],
    });
  }

  #listen() {
    this.lifetime = new AbortController();
    const { signal } = this.lifetime;
    const { camera } = this.map;
    this.observer = new ResizeObserver(() => this.#resize());
    this.observer.observe(this.map.node);
    this.observer.observe(this.dock.track);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.refreshTheme(), { signal });
    this.root.addEventListener("pointerdown", (event) => {
      if (!event.target.closest(".group")) this.toolbar.toggleMenu(false);
    });
    watchSlider(this.dock.track, {
      begin: (x) => { this.dragging = true; this.#dragTo(x); },
      move: (x) => this.#dragTo(x),
      end: () => { this.dragging = false; this.#settle(Math.round(this.motion.layer)); },
    });
    watchMap(this.map.node, {
      hover: (x, y) => { if (!this.talking) this.#light(this.#under(x, y), x, y); },
      leave: () => this.#light(NO_POINT),
      lassoing: () => this.lassoing,
      zoom: (x, y, factor) => this.#look(() => camera.zoomAt(x, y, factor)),
      pan: (dx, dy) => this.#look(() => camera.pan(dx, dy)),
      click: (x, y) => this.#click(x, y),
      doubleClick: (x, y) => { if (this.#under(x, y) === NO_POINT) this.#fit(); },
      lasso: (polygon, done) => this.#lasso(polygon, done),
    });
    watchKeys(this.root, this.toolbar.search, {
      step: (steps) => this.#step(steps),
      togglePlay: () => this.#togglePlay(),
      toggleLinks: () => this.#set("showLinks", !this.showLinks),
      toggleLabels: () => this.#set("showLabels", !this.showLabels),
      toggleTalk: () => this.setTalk(!this.talking),
      talking: () => this.talking,
      zoom: (factor) => this.#look(() => camera.zoomAt(camera.width / 2, camera.height / 2, factor)),
      fit: () => this.#fit(),
      escape: () => this.#escape(),
      focusSearch: () => this.toolbar.search.focus(),
      nextMatch: (step) => this.#nextMatch(step),
      clearSearch: () => { this.toolbar.search.value = ""; this.#search(""); this.map.node.focus(); },
    }, signal);
  }

  // --- acts of the user ------------------------------------------------------------------

  #dragTo(x) {
    this.motion.jump(this.dock.strip.layerAt(x));
    this.#look(() => {});
  }

  #settle(target) {
    this.motion.glideTo(target);
    this.invalidate();
    this.#commit();
  }

  #step(steps) {
    const from = steps > 0 ? Math.floor(this.motion.target) : Math.ceil(this.motion.target);
    this.motion.glideTo(clamp(from + steps, 0, this.world.stopCount - 1));
    this.invalidate();
    clearTimeout(this.report);
    this.report = setTimeout(() => this.#commit(), KEY_PAUSE_MILLISECONDS);
  }

  #togglePlay() {
    if (this.motion.playing) {
      this.#settle(Math.round(this.motion.layer));
    } else {
      this.motion.play();
      this.invalidate();
    }
  }

  #set(name, value) {
    this[name] = value;
    this.#recolor();
    this.#updatePanels();
    this.invalidate();
    this.#commit();
  }

  /** A change of what is in view; the card would no longer stand beside its word. */
  #look(change) {
    change();
    this.tooltip.hide();
    this.invalidate();
  }

  #fit() {
    this.#look(() => this.map.camera.fit());
  }

  #under(x, y) {
    return pointUnder(this.map.screen, x, y, this.map.radius);
  }

  #click(x, y) {
    const point = this.#under(x, y);
    if (point !== NO_POINT) this.#togglePin(point);
    this.#light(point, x, y);
  }

  #togglePin(point) {
    const pinned = this.pins.includes(point);
    this.pins = pinned ? this.pins.filter((pin) => pin !== point) : [...this.pins, point];
    this.#updatePanels();
    this.invalidate();
    this.#commit();
  }

  #light(point, x, y) {
    this.map.node.classList.toggle("over-point", point !== NO_POINT);
    if (point === NO_POINT || this.lassoing) this.tooltip.hide();
    else if (x !== undefined) this.tooltip.show(point, this.stop, x, y, this.theme);
    if (point === this.lit) return;
    this.lit = point;
    this.invalidate(false);
  }

  #search(query) {
    this.matches = this.world.find(query);
    this.match = -1;
    this.searching = query.trim() !== "";
    this.#light(NO_POINT);
    this.#emphasise();
  }

  #nextMatch(step) {
    const count = this.matches.length;
    if (count === 0) return;
    this.match = this.match < 0 && step < 0 ? count - 1 : (this.match + step + count) % count;
    const point = this.matches[this.match];
    const { screen, camera } = this.map;
    const place = () => [screen[2 * point], screen[2 * point + 1]];
    const [x, y] = place();
    if (x < 40 || y < 40 || x > camera.width - 40 || y > camera.height - 40) {
      camera.pan(camera.width / 2 - x, camera.height / 2 - y);
      this.map.place(this.motion.layer);
    }
    this.#light(point, ...place());
    this.#updatePanels();
    this.invalidate();
  }

  #setLasso(on) {
    this.lassoing = on;
    this.map.node.classList.toggle("lassoing", on);
    this.#updatePanels();
  }

  #lasso(polygon, done) {
    this.polygon = done ? [] : polygon;
    this.lit = NO_POINT;
    this.tooltip.hide();
    this.invalidate(false);
    if (!done) return;
    this.#setLasso(false);
    this.#select(polygon.length > 2 ? pointsInside(this.map.screen, polygon) : []);
  }

  #select(points) {
    this.selection = points;
    this.list.show(points);
    this.#emphasise();
    this.#commit();
  }

  /** Search and lasso leave what they found in full colour and dim the rest. */
  #emphasise() {
    const chosen = this.searching ? this.matches : this.selection;
    this.bright = this.searching || chosen.length ? new Uint8Array(this.world.count) : null;
    for (const point of chosen) {
      this.bright[point] = 1;
      if (this.searching) for (const partner of this.world.partnersOf(point)) this.bright[partner] = 1;
    }
    this.#updatePanels();
    this.invalidate();
  }

  #escape() {
    if (this.talking) this.setTalk(false);
    else if (!this.toolbar.menu.hidden) this.toolbar.toggleMenu(false);
    else if (this.lassoing) this.#setLasso(false);
    else if (this.selection.length) this.#select([]);
    else if (this.motion.playing) this.#togglePlay();
  }

  setTalk(on, report = true) {
    if (on === this.talking) return;
    if (on) {
      this.leaveCover = coverPage(this.root, () => this.setTalk(false));
    } else {
      this.leaveCover();
      this.leaveCover = null;
    }
    this.#light(NO_POINT);
    this.refreshTheme();
    this.#resize();
    if (report) this.#commit();
  }

  #snapshot() {
    return {
      layer: this.motion.target, pins: this.pins, selection: this.selection, talk: this.talking,
      color_by: this.coloring, links: this.showLinks, labels: this.showLabels,
    };
  }

  #commit() {
    clearTimeout(this.report);
    const snapshot = this.#snapshot();
    const text = JSON.stringify(snapshot);
    if (text === this.sent) return;
    this.sent = text;
    this.send(snapshot);
  }

  // --- drawing ---------------------------------------------------------------------------

  #recolor() {
    this.coloredStop = this.stop;
    Object.assign(this, colorPoints(this.world, this.coloring, this.stop, this.theme));
  }

  #updatePanels() {
    const found = this.matches.length;
    this.toolbar.update({
      coloring: this.coloring, links: this.showLinks, labels: this.showLabels, lassoing: Boolean(this.lassoing),
      found: this.searching ? (this.match >= 0 ? `${this.match + 1} / ${found}` : String(found)) : "",
    });
    fillPins(this.pinned, this.world, this.pins, (point) => this.#togglePin(point));
    fillLegend(this.legend, this.world, this.coloring, this.theme);
  }

  #resize() {
    this.ratio = Math.min(2, window.devicePixelRatio || 1);
    this.map.resize(this.ratio, this.talking);
    this.dock.resize(this.ratio, this.talking);
    this.invalidate();
  }

  #shown() {
    const { theme, palette, slots, bright, pins, lit, matches, coloring, showLinks, showLabels, stop } = this;
    return { theme, palette, slots, bright, pins, lit, matches, coloring, showLinks, showLabels, stop, layer: this.motion.layer };
  }

  /** Asks for a frame; `everything` is false when only words and highlights changed. */
  invalidate(everything = true) {
    this.stale ||= everything;
    this.request ||= requestAnimationFrame((now) => this.#frame(now));
  }

  #frame(now) {
    this.request = 0;
    if (!this.ratio) return; // not laid out yet; the resize observer asks again
    const elapsed = Math.min(50, now - (this.lastFrame ?? now - 16));
    const wasMoving = this.motion.moving;
    if (this.motion.advance(elapsed)) this.#commit();
    if (this.coloring === "alignment" && this.stop !== this.coloredStop) this.#recolor();
    const state = this.#shown();
    if (this.stale || wasMoving) {
      this.map.drawBase(state);
      this.dock.draw(state.layer, this.theme, this.motion.playing);
    }
    this.stale = false;
    const atRest = !this.dragging && !this.motion.glide && Math.abs(state.layer - state.stop) < 0.06;
    const fading = this.map.drawWords(state, { elapsed, moving: !atRest, polygon: this.polygon });
    this.frames += 1;
    const again = this.motion.moving || wasMoving || fading;
    this.lastFrame = again ? now : undefined;
    if (again) this.invalidate(this.motion.moving);
  }
}
