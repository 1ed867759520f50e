// The layer scrubber: keeps the state, turns acts of the user into changes of it, asks for frames.

import { Display } from "./display.js";
import { Dock } from "./dock.js";
import { clamp, element, elementOf } from "./dom.js";
import { Focus, NO_POINT } from "./focus.js";
import { watchMap, watchSlider } from "./gestures.js";
import { isElsewhere, travel } from "./journey.js";
import { watchKeys } from "./keys.js";
import { Motion } from "./motion.js";
import { Panes } from "./panes.js";
import { peephole } from "./peephole.js";
import { Picking } from "./picking.js";
import { Sheet } from "./sheet.js";
import { Side } from "./side.js";
import { Stage } from "./stage.js";
import { saveDrawing, savePicture } from "./takeaway.js";
import { coverPage } from "./talk.js";
import { Toolbar } from "./toolbar.js";
import { Tour } from "./tour.js";

const KEY_PAUSE_MILLISECONDS = 280; // a held arrow key is one change, reported when it rests

/** What of a view is kept as it is.
 * @param {MapView} view */
function readView({ color_by, links, labels, height }) {
  return { coloring: color_by, showLinks: links, showLabels: labels, height };
}

export class Scrubber {
  /** @type {AbortController} */ lifetime;
  /** @type {string | undefined} */ sent;
  /** @type {number | undefined} */ report;
  /** @type {(() => void) | null} */ leaveCover;

  /** `send` gets the whole state as plain JSON, once for each completed act of the user.
   * @param {ParentNode} parent @param {World} world @param {MapView} asked @param {(state: MapState) => void} send */
  constructor(parent, world, asked, send) {
    this.world = world;
    this.send = send;
    this.motion = new Motion(world.stopCount - 1, 0);
    this.focus = new Focus(world);
    /** @type {LiveView} */
    this.view = { lassoing: false, polygon: [], dragging: false, led: false, ...readView(asked) };
    this.stage = new Stage(world, { fit: () => this.#fit() });
    this.sheet = new Sheet(world, { go: (stop) => this.#openTile(stop) });
    this.stage.node.append(this.sheet.node);
    this.dock = new Dock(world, { togglePlay: () => this.#togglePlay(), redraw: () => this.display.invalidate(), switched: () => this.#switched() });
    this.toolbar = new Toolbar(world, {
      search: (query) => this.picking.search(query),
      links: () => this.#set("showLinks", !this.view.showLinks),
      labels: () => this.#set("showLabels", !this.view.showLabels),
      lasso: () => this.picking.setLasso(!this.view.lassoing),
      sheet: () => this.#showSheet(!this.sheet.open),
      talk: () => this.setTalk(true),
      tour: () => (this.tour.at === null ? this.tour.move(1) : this.#leaveTour()),
      png: () => savePicture(this.stage.scene(this.display.shown())),
      svg: () => saveDrawing(this.stage.scene(this.display.shown())),
    });
    this.side = new Side(world, {
      color: (coloring) => this.#set("coloring", coloring),
      unpin: (point) => this.picking.togglePin(point),
      light: (point) => this.picking.light(point),
      select: (points) => this.picking.select(points),
    });
    this.tour = new Tour({ go: (step) => this.#goTo(step), leave: () => this.#leaveTour() });
    // The slider is what one comes for, so the keyboard meets it first; styles put it below the map.
    this.name = element("p", { class: "pane-name" }); // what tells it from the map beside it
    this.root = element("div", { class: "scrubber" }, this.name, this.dock.node, this.toolbar.node,
      element("div", { class: "middle" }, this.stage.node, this.side.node),
      this.tour.node, element("p", { class: "caption" }, world.caption));
    const { motion, focus, tour, view, root, name, toolbar, stage, side, sheet, dock } = this;
    this.display = new Display(world, { motion, focus, tour, view }, { root, name, toolbar, stage, side, sheet, dock }, (ended) => {
      if (ended) this.#commit();
      this.panes.tellDepth(motion.layer, !view.dragging && !motion.moving);
    });
    const shared = { motion, focus, view, side, display: this.display };
    this.panes = new Panes(world, shared, { talk: (on) => this.setTalk(on), met: () => this.#share(), commit: () => this.#commit() });
    this.picking = new Picking({ ...shared, stage, panes: this.panes }, () => this.#commit());
    Object.defineProperty(root, "scrubber", { value: peephole(this) });
    parent.append(this.root);
    this.#listen();
    this.apply(asked);
  }

  /** Takes over a view from outside: layer, pins, colouring, switches, talk mode, tour, height.
   *
   * A height of null is what the window leaves below what is above the map.
   * @param {MapView} view */
  apply(view) {
    this.tour.load(view.tour, view.step);
    const step = this.tour.step && !isElsewhere(this.tour.step) ? this.tour.step : null;
    const { layer, pins } = step ?? view;
    if (view.arrives) this.motion.arriveAt(layer);
    else this.motion.jump(layer);
    this.focus.setPins(pins);
    if (view.selection) this.picking.mark(view.selection);
    Object.assign(this.view, readView(view));
    this.dock.switched = new Set(view.curves);
    if (step) this.#takeLook(step);
    this.name.textContent = view.name ?? "";
    this.display.setHeight();
    this.display.refreshTheme();
    this.setTalk(view.talk, false);
    this.sent = JSON.stringify(this.#snapshot());
    this.panes.join(view.pane, () => this.#introduce());
  }

  /** Takes in more of the same points, such as one stop more, and leaves what is on show as it is.
   *
   * Whoever stood at the last stop, and was not on the way elsewhere, is taken to the new one.
   * @param {Uint8Array} payload */
  grow(payload) {
    const { world, motion } = this;
    const follows = motion.target === motion.last && !motion.playing && !this.view.dragging;
    world.take(payload);
    motion.last = world.stopCount - 1;
    this.stage.camera.reframe(world.boxes);
    this.sheet.renew();
    this.dock.renew();
    this.display.recolor();
    this.display.changed();
    if (follows && motion.target !== motion.last) this.#settle(motion.last);
  }

  destroy() {
    this.leaveCover?.();
    this.panes.part();
    this.lifetime.abort();
    clearTimeout(this.report);
    this.root.remove();
  }

  #listen() {
    this.lifetime = new AbortController();
    const { signal } = this.lifetime;
    const { camera } = this.stage;
    this.display.watch(signal);
    this.root.addEventListener("pointerdown", (event) => {
      if (!elementOf(event).closest(".group")) this.toolbar.toggleMenu(false);
    });
    this.panes.listen(this.root, signal);
    watchSlider(this.dock.track, {
      begin: (x) => { this.view.dragging = true; this.#dragTo(x); },
      move: (x) => this.#dragTo(x),
      end: () => { this.view.dragging = false; this.#settle(Math.round(this.motion.layer)); },
      hover: (x) => this.side.card.showStop(Math.round(this.dock.strip.layerAt(x))),
      leave: () => this.side.card.hide(),
    });
    watchMap(this.stage.node, {
      hover: (x, y) => { if (!this.display.talking) this.picking.light(this.picking.under(x, y), true); },
      leave: () => this.picking.light(NO_POINT),
      lassoing: () => this.view.lassoing,
      zoom: (x, y, factor) => this.#look(() => camera.zoomAt(x, y, factor)),
      pan: (dx, dy) => this.#look(() => camera.pan(dx, dy)),
      click: (x, y) => this.picking.click(x, y),
      doubleClick: (x, y) => { if (this.picking.under(x, y) === NO_POINT) this.#fit(); },
      lasso: (polygon, done) => this.picking.lasso(polygon, done),
    });
    watchKeys(this.root, this.toolbar.search, {
      step: (steps) => this.#step(steps),
      togglePlay: () => this.#togglePlay(),
      space: (by) => (this.tour.steps.length ? this.tour.move(by) : this.#togglePlay()),
      tour: (by) => this.tour.move(by),
      toggleLinks: () => this.#set("showLinks", !this.view.showLinks),
      toggleLabels: () => this.#set("showLabels", !this.view.showLabels),
      toggleSheet: () => this.#showSheet(!this.sheet.open),
      toggleTalk: () => this.setTalk(!this.display.talking),
      talking: () => this.display.talking,
      leads: () => this.panes.leads,
      touring: () => this.tour.at !== null,
      zoom: (factor) => this.#look(() => camera.zoomAt(camera.width / 2, camera.height / 2, factor)),
      fit: () => this.#fit(),
      escape: () => this.#escape(),
      focusSearch: () => this.toolbar.search.focus(),
      nextMatch: (step) => this.picking.nextMatch(step),
      pinMatch: () => this.picking.pinMatch(),
      clearSearch: () => { this.toolbar.search.value = ""; this.picking.search(""); this.stage.node.focus(); },
    }, signal);
  }

  // --- acts of the user ------------------------------------------------------------------

  /** @param {number} x */
  #dragTo(x) {
    this.motion.jump(this.dock.strip.layerAt(x));
    this.#look(() => {});
  }

  /** @param {number} target */
  #settle(target) {
    this.motion.glideTo(target);
    this.display.invalidate();
    this.#commit();
  }

  /** @param {number} steps */
  #step(steps) {
    const from = steps > 0 ? Math.floor(this.motion.target) : Math.ceil(this.motion.target);
    this.motion.glideTo(clamp(from + steps, 0, this.world.stopCount - 1));
    this.display.invalidate();
    clearTimeout(this.report);
    this.report = setTimeout(() => this.#commit(), KEY_PAUSE_MILLISECONDS);
  }

  #togglePlay() {
    if (this.motion.playing) {
      this.#settle(Math.round(this.motion.layer));
    } else {
      this.motion.play();
      this.display.invalidate();
    }
  }

  /** @param {TourStep} step */
  #goTo(step) {
    if (isElsewhere(step)) return travel(step, this.tour.at ?? 0, this.display.talking);
    this.#takeLook(step);
    this.focus.setPins(step.pins);
    this.motion.glideTo(step.layer, true);
    this.display.recolor();
    this.display.changed();
    this.#commit();
  }

  /** Colours, lines, words and curves, if the step says them.
   * @param {TourStep} step */
  #takeLook({ where, color_by, links, labels, curves }) {
    if (!where) return;
    Object.assign(this.view, { coloring: color_by, showLinks: links, showLabels: labels });
    this.dock.switched = new Set(curves);
  }

  #leaveTour() {
    this.tour.leave();
    this.display.changed();
    this.#commit();
  }

  /** @param {boolean} on */
  #showSheet(on) {
    this.sheet.show(on);
    this.picking.light(NO_POINT);
    this.display.changed();
  }

  /** @param {number} stop */
  #openTile(stop) {
    this.#showSheet(false);
    this.stage.node.focus({ preventScroll: true });
    this.#settle(stop);
  }

  /** @template {"coloring" | "showLinks" | "showLabels"} K @param {K} name @param {LiveView[K]} value */
  #set(name, value) {
    this.view[name] = value;
    this.display.recolor();
    this.display.changed();
    this.#commit();
  }

  /** Another curve of the strip is drawn, or one less. */
  #switched() {
    this.display.invalidate();
    this.#commit();
  }

  /** A change of what is in view, which may take the word away from under the pointer.
   * @param {() => void} change */
  #look(change) {
    change();
    this.side.card.hide();
    this.display.invalidate();
  }

  #fit() {
    this.#look(() => this.stage.camera.fit());
  }

  // --- the map beside this one -----------------------------------------------------------

  #introduce() {
    this.panes.tellTalk(this.display.talking);
    this.panes.tell({ share: this.motion.target / Math.max(1, this.world.stopCount - 1), resting: true, at: "once" });
    this.#tellView();
  }

  #tellView() {
    const { coloring, showLinks, showLabels } = this.view;
    this.panes.tell({ coloring, showLinks, showLabels }, { pins: this.focus.pins, selection: this.focus.selection });
  }

  #escape() {
    if (this.display.talking) this.setTalk(false);
    else if (!this.toolbar.menu.hidden) this.toolbar.toggleMenu(false);
    else if (this.sheet.open) this.#showSheet(false);
    else if (this.view.lassoing) this.picking.setLasso(false);
    else if (this.focus.selection.length) this.picking.select([]);
    else if (this.motion.playing) this.#togglePlay();
    else if (this.tour.at !== null) this.#leaveTour();
  }

  /** The other map has come or gone: in a talk each has half of the screen. */
  #share() {
    const { place, paired } = this.panes;
    this.root.classList.toggle("left", paired && place === "first");
    this.root.classList.toggle("right", paired && place === "second");
    this.display.resize();
  }

  /** @param {boolean} on @param {boolean} report */
  setTalk(on, report = true) {
    if (on === this.display.talking) return;
    if (on) {
      this.leaveCover = coverPage(this.root, this.panes.leads, () => this.setTalk(false));
    } else {
      this.leaveCover?.();
      this.leaveCover = null;
    }
    this.picking.light(NO_POINT);
    this.display.refreshTheme();
    this.display.resize();
    if (!report) return;
    this.panes.tellTalk(on);
    this.#commit();
  }

  /** @returns {MapState} */
  #snapshot() {
    return {
      layer: this.motion.target, pins: this.focus.pins, selection: this.focus.selection, talk: this.display.talking,
      color_by: this.view.coloring, links: this.view.showLinks, labels: this.view.showLabels, step: this.tour.at,
      curves: [...this.dock.switched].sort((a, b) => a - b),
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
}
