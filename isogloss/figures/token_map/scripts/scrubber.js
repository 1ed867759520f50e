// The layer scrubber: keeps the state, turns acts of the user into changes of it, asks for frames.

import { pointsInside } from "./camera.js";
import { colorPoints, readTheme } from "./colors.js";
import { Dock } from "./dock.js";
import { clamp, distanceFromTop, element } from "./dom.js";
import { Focus, NO_POINT } from "./focus.js";
import { pointUnder, watchMap, watchSlider } from "./gestures.js";
import { watchKeys } from "./keys.js";
import { Motion } from "./motion.js";
import { Panes } from "./panes.js";
import { Sheet } from "./sheet.js";
import { Side } from "./side.js";
import { Stage } from "./stage.js";
import { saveDrawing, savePicture } from "./takeaway.js";
import { coverPage } from "./talk.js";
import { Toolbar } from "./toolbar.js";
import { Tour } from "./tour.js";

const KEY_PAUSE_MILLISECONDS = 280; // a held arrow key is one change, reported when it rests
const LOWEST = 430; // pixels that a map as high as the window has at least
const HIGHEST = 1200;
const TALK_LETTER = 0.024; // of the screen's height, so that the last row can read it

export class Scrubber {
  /** `send` gets the whole state as plain JSON, once for each completed act of the user. */
  constructor(parent, world, view, send) {
    this.world = world;
    this.send = send;
    this.motion = new Motion(world.stopCount - 1, 0);
    this.focus = new Focus(world);
    this.panes = new Panes(world, (...seen) => this.#follow(...seen));
    this.polygon = [];
    this.frames = 0;
    this.#build(parent);
    this.#listen();
    this.apply(view);
  }

  /** Takes over a view from outside: layer, pins, colouring, switches, talk mode, tour, height.
   *
   * A height of null is what the window leaves below what is above the map. */
  apply(view) {
    this.tour.load(view.tour, view.step);
    const { layer, pins } = this.tour.step ?? view;
    this.motion.jump(layer);
    this.focus.setPins(pins);
    this.coloring = view.color_by;
    this.showLinks = view.links;
    this.showLabels = view.labels;
    this.height = view.height;
    this.#setHeight();
    this.refreshTheme();
    this.setTalk(view.talk, false);
    this.sent = JSON.stringify(this.#snapshot());
    this.panes.join(view.pane, () => this.#introduce());
  }

  refreshTheme() {
    const { talking } = this;
    this.root.classList.remove("dark", "talk"); // so that the page's own paper is read
    this.root.classList.toggle("dark", readTheme(this.root).dark);
    this.root.classList.toggle("talk", talking);
    this.theme = readTheme(this.root);
    this.theme.sides.forEach((color, side) => this.root.style.setProperty(`--side-${side}`, color));
    this.#recolor();
    this.#changed();
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
    this.stage = new Stage(world, { fit: () => this.#fit() });
    this.sheet = new Sheet(world, { go: (stop) => this.#openTile(stop) });
    this.stage.node.append(this.sheet.node);
    this.dock = new Dock(world, { togglePlay: () => this.#togglePlay(), redraw: () => this.invalidate() });
    this.toolbar = new Toolbar(world, {
      search: (query) => this.#search(query),
      links: () => this.#set("showLinks", !this.showLinks),
      labels: () => this.#set("showLabels", !this.showLabels),
      lasso: () => this.#setLasso(!this.lassoing),
      sheet: () => this.#showSheet(!this.sheet.open),
      talk: () => this.setTalk(true),
      tour: () => (this.tour.at === null ? this.tour.move(1) : this.#leaveTour()),
      png: () => savePicture(this.stage.scene(this.#shown())),
      svg: () => saveDrawing(this.stage.scene(this.#shown())),
    });
    this.side = new Side(world, {
      color: (coloring) => this.#set("coloring", coloring),
      unpin: (point) => this.#togglePin(point),
      light: (point) => this.#light(point),
      clearLasso: () => this.#select([]),
    });
    this.tour = new Tour({ go: (step) => this.#goTo(step), leave: () => this.#leaveTour() });
    this.root = element("div", { class: "scrubber" }, this.toolbar.node,
      element("div", { class: "middle" }, this.stage.node, this.side.node),
      this.tour.node, this.dock.node, element("p", { class: "caption" }, world.caption));
    Object.defineProperty(this.root, "scrubber", { value: this.#peephole() });
    parent.append(this.root);
  }

  /** What a test or the browser's console may look at, and never change. */
  #peephole() {
    const scrubber = this;
    return Object.freeze({
      get layer() { return scrubber.motion.layer; },
      get step() { return scrubber.tour.at; },
      get frames() { return scrubber.frames; },
      get pointCount() { return scrubber.world.count; },
      get labelSize() { return scrubber.stage.labels.size; },
      get lit() { return scrubber.focus.lit; },
      get pins() { return [...scrubber.focus.pins]; },
      get selection() { return [...scrubber.focus.selection]; },
      get matches() { return [...scrubber.focus.matches]; },
      get zoom() { return scrubber.stage.camera.zoom; },
      get labels() { return [...scrubber.stage.labels.shown].map(([point, { box, text, opacity }]) => ({ point, text, opacity, ...box })); },
      positionOf: (point) => [scrubber.stage.screen[2 * point], scrubber.stage.screen[2 * point + 1]],
    });
  }

  #listen() {
    this.lifetime = new AbortController();
    const { signal } = this.lifetime;
    const { camera } = this.stage;
    this.observer = new ResizeObserver(() => this.#resize());
    this.observer.observe(this.stage.node);
    this.observer.observe(this.dock.track);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.refreshTheme(), { signal });
    window.addEventListener("resize", () => this.#setHeight(), { signal });
    this.root.addEventListener("pointerdown", (event) => {
      if (!event.target.closest(".group")) this.toolbar.toggleMenu(false);
    });
    this.panes.listen(this.root, signal);
    watchSlider(this.dock.track, {
      begin: (x) => { this.dragging = true; this.#dragTo(x); },
      move: (x) => this.#dragTo(x),
      end: () => { this.dragging = false; this.#settle(Math.round(this.motion.layer)); },
      hover: (x) => this.side.card.showStop(Math.round(this.dock.strip.layerAt(x))),
      leave: () => this.side.card.hide(),
    });
    watchMap(this.stage.node, {
      hover: (x, y) => { if (!this.talking) this.#light(this.#under(x, y), true); },
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
      space: (by) => (this.tour.steps.length ? this.tour.move(by) : this.#togglePlay()),
      tour: (by) => this.tour.move(by),
      toggleLinks: () => this.#set("showLinks", !this.showLinks),
      toggleLabels: () => this.#set("showLabels", !this.showLabels),
      toggleSheet: () => this.#showSheet(!this.sheet.open),
      toggleTalk: () => this.setTalk(!this.talking),
      talking: () => this.talking,
      zoom: (factor) => this.#look(() => camera.zoomAt(camera.width / 2, camera.height / 2, factor)),
      fit: () => this.#fit(),
      escape: () => this.#escape(),
      focusSearch: () => this.toolbar.search.focus(),
      nextMatch: (step) => this.#nextMatch(step),
      clearSearch: () => { this.toolbar.search.value = ""; this.#search(""); this.stage.node.focus(); },
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

  #goTo({ layer, pins }) {
    this.focus.setPins(pins);
    this.motion.glideTo(layer, true);
    this.#changed();
    this.#commit();
  }

  #leaveTour() {
    this.tour.leave();
    this.#changed();
    this.#commit();
  }

  #showSheet(on) {
    this.sheet.show(on);
    this.#light(NO_POINT);
    this.#changed();
  }

  #openTile(stop) {
    this.#showSheet(false);
    this.stage.node.focus({ preventScroll: true });
    this.#settle(stop);
  }

  #set(name, value) {
    this[name] = value;
    this.#recolor();
    this.#changed();
    this.#commit();
  }

  /** A change of what is in view, which may take the word away from under the pointer. */
  #look(change) {
    change();
    this.side.card.hide();
    this.invalidate();
  }

  #fit() {
    this.#look(() => this.stage.camera.fit());
  }

  #under(x, y) {
    return pointUnder(this.stage.screen, x, y, this.stage.radius);
  }

  #click(x, y) {
    const point = this.#under(x, y);
    if (point !== NO_POINT) this.#togglePin(point);
    this.#light(point, true);
  }

  #togglePin(point) {
    this.focus.togglePin(point);
    this.#changed();
    this.#commit();
  }

  /** Marks a word, and shows its card if asked. */
  #light(point, card = false) {
    this.stage.node.classList.toggle("over-point", point !== NO_POINT);
    if (point === NO_POINT || this.lassoing) this.side.card.hide();
    else if (card) this.side.card.showWord(point, this.stop, this.theme);
    if (point === this.focus.lit) return;
    this.focus.lit = point;
    this.panes.tellLit(point);
    this.invalidate(false);
  }

  // --- the map beside this one -----------------------------------------------------------

  #introduce() {
    this.panes.tell({ share: this.motion.target / Math.max(1, this.world.stopCount - 1), resting: true, at: "once" });
    this.#tellView();
  }

  #tellView() {
    const { coloring, showLinks, showLabels } = this;
    this.panes.tell({ coloring, showLinks, showLabels }, { pins: this.focus.pins, selection: this.focus.selection });
  }

  /** Does what was done in the other pane; pins of words that only this map has stay. */
  #follow({ share, resting, at, ...switches }, { pins, selection, lit }, isThere) {
    if (share !== undefined) this.#followTo(share * (this.world.stopCount - 1), resting, at === "once");
    if (pins) this.focus.setPins([...this.focus.pins.filter((pin) => !isThere(pin)), ...pins]);
    if (selection) {
      this.focus.select(selection);
      this.side.list.show(selection);
    }
    if (!this.side.offers(switches.coloring)) delete switches.coloring;
    Object.assign(this, switches);
    if (lit) this.#followLit(lit[0] ?? NO_POINT);
    else if (pins) {
      this.#recolor();
      this.#changed();
    }
    if (share !== undefined) this.led = !resting;
    if (!this.led && !lit) this.#commit(); // on the way nothing is reported, as in a drag
    this.invalidate(share !== undefined || Boolean(pins));
  }

  #followTo(layer, resting, once) {
    if (!resting) this.motion.jump(layer);
    else if (once) this.motion.jump(Math.round(layer));
    else if (this.motion.layer !== Math.round(layer)) this.motion.glideTo(Math.round(layer));
  }

  #followLit(point) {
    this.focus.lit = point;
    if (point === NO_POINT) this.side.card.hide();
    else this.side.card.showWord(point, this.stop, this.theme);
  }

  #search(query) {
    this.focus.search(query);
    this.#light(NO_POINT);
    this.#changed();
  }

  #nextMatch(step) {
    const point = this.focus.nextMatch(step);
    if (point === NO_POINT) return;
    const { screen, camera } = this.stage;
    const [x, y] = [screen[2 * point], screen[2 * point + 1]];
    if (x < 40 || y < 40 || x > camera.width - 40 || y > camera.height - 40) {
      camera.pan(camera.width / 2 - x, camera.height / 2 - y);
    }
    this.#light(point, true);
    this.#changed();
  }

  #setLasso(on) {
    this.lassoing = on;
    this.stage.node.classList.toggle("lassoing", on);
    this.#changed();
  }

  #lasso(polygon, done) {
    this.polygon = done ? [] : polygon;
    this.#light(NO_POINT);
    this.invalidate(false);
    if (!done) return;
    this.#setLasso(false);
    this.#select(polygon.length > 2 ? pointsInside(this.stage.screen, polygon) : []);
  }

  #select(points) {
    this.focus.select(points);
    this.side.list.show(points);
    this.#changed();
    this.#commit();
  }

  #escape() {
    if (this.talking) this.setTalk(false);
    else if (!this.toolbar.menu.hidden) this.toolbar.toggleMenu(false);
    else if (this.sheet.open) this.#showSheet(false);
    else if (this.lassoing) this.#setLasso(false);
    else if (this.focus.selection.length) this.#select([]);
    else if (this.motion.playing) this.#togglePlay();
    else if (this.tour.at !== null) this.#leaveTour();
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
      layer: this.motion.target, pins: this.focus.pins, selection: this.focus.selection, talk: this.talking,
      color_by: this.coloring, links: this.showLinks, labels: this.showLabels, step: this.tour.at,
    };
  }

  #commit() {
    clearTimeout(this.report);
    const snapshot = this.#snapshot();
    const text = JSON.stringify(snapshot);
    if (text === this.sent) return;
    this.sent = text;
    this.send(snapshot);
    this.#tellView();
  }

  // --- drawing ---------------------------------------------------------------------------

  #recolor() {
    this.coloredStop = this.stop;
    Object.assign(this, colorPoints(this.world, this.coloring, this.stop, this.theme));
  }

  /** What stands around the map and the map itself are to be drawn again. */
  #changed() {
    const { coloring, theme, stop, focus } = this;
    this.toolbar.update({
      links: this.showLinks, labels: this.showLabels, lassoing: Boolean(this.lassoing), sheet: this.sheet.open, found: focus.found, tour: this.tour,
    });
    this.side.fill({ coloring, theme, stop, pins: focus.pins });
    if (this.ratio) this.sheet.draw(this.#shown(), this.ratio);
    this.invalidate();
  }

  #setHeight() {
    if (this.talking) return; // then it covers the window
    const room = window.innerHeight - distanceFromTop(this.root) - 12;
    const height = this.height ?? clamp(Math.round(room), LOWEST, HIGHEST);
    this.root.style.setProperty("--height", `${height}px`);
  }

  #resize() {
    this.ratio = Math.min(2, window.devicePixelRatio || 1);
    const letter = this.talking ? Math.max(18, Math.ceil(TALK_LETTER * window.innerHeight)) : null;
    this.root.style.setProperty("--letter", `${letter}px`);
    this.stage.resize(this.ratio, letter);
    this.dock.resize(this.ratio, letter ?? 11);
    this.sheet.draw(this.#shown(), this.ratio);
    this.invalidate();
  }

  #shown() {
    const { theme, palette, slots, coloring, showLinks, showLabels, stop } = this;
    const { bright, pins, lit, matches } = this.focus;
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
    this.panes.tellDepth(this.motion.layer, !this.dragging && !this.motion.moving);
    if (this.coloring === "alignment" && this.stop !== this.coloredStop) this.#recolor();
    const state = this.#shown();
    if (this.stale || wasMoving) {
      this.stage.drawBase({ ...state, moving: this.dragging || this.led || this.motion.moving });
      this.dock.draw(state.layer, this.theme, this.motion.playing);
      this.side.update(state.stop);
      this.sheet.mark(state.stop);
    }
    this.stale = false;
    const atRest = !this.dragging && !this.motion.glide && Math.abs(state.layer - state.stop) < 0.06;
    const fading = this.stage.drawWords(state, { elapsed, moving: !atRest, polygon: this.polygon });
    this.frames += 1;
    const again = this.motion.moving || wasMoving || fading;
    this.lastFrame = again ? now : undefined;
    if (again) this.invalidate(this.motion.moving);
  }
}
