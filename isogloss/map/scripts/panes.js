// Two maps side by side: what is done in one happens in the other, without the server.
//
// Layers go by share of depth, words by where they stand in the text. The pane that was touched
// last leads; the other follows and comes to rest at its own nearest layer. In a talk they share the
// screen.

import { NO_POINT } from "./focus.js";

const CHANNEL = "isogloss-panes";

/** Finds the words of another map on this one: those that overlap in the same sentence. */
class SharedText {
  /** @param {World} world */
  constructor(world) {
    this.world = world;
    // A sentence that the text repeats is told apart by how often it was there before.
    /** @type {Map<string, number>} */
    const seen = new Map();
    this.names = world.sentences.map((pair) => pair.map((text) => {
      seen.set(text, (seen.get(text) ?? 0) + 1);
      return `${seen.get(text)} ${text}`;
    }));
    /** @type {Map<string, number[]>} */
    this.pointsIn = new Map();
    for (let point = 0; point < world.marked; point++) {
      const name = this.#sentence(point);
      const others = this.pointsIn.get(name);
      if (others) others.push(point);
      else this.pointsIn.set(name, [point]);
    }
  }

  /** @param {number} point */
  #sentence(point) {
    return this.names[this.world.sentence_of[point]][this.world.sides[point]];
  }

  /** @param {number} point @returns {WordPlace} */
  wordAt(point) {
    return { sentence: this.#sentence(point), span: this.world.spanOf(point) };
  }

  /** @param {WordPlace} word */
  find({ sentence, span }) {
    if (!span) return [];
    return (this.pointsIn.get(sentence) ?? []).filter((point) => {
      const own = this.world.spanOf(point);
      return own && own[0] < span[1] && span[0] < own[1];
    });
  }
}

export class Panes {
  /** @type {SharedText} */ text;
  /** @type {boolean} */ leading;
  /** @type {() => void} */ introduce;
  /** @type {number | undefined} */ share;
  /** @type {boolean | undefined} */ resting;

  /** `state` is what changes and is shown; `talk` begins or leaves talk mode, `met` is called when the
   * other pane has come or gone, and `commit` after what is to be reported.
   * @param {World} world @param {PaneState} state @param {PaneActions} actions */
  constructor(world, state, actions) {
    Object.assign(this, { world, ...state, ...actions });
    this.place = ""; // "first", "second", or alone
    this.paired = false;
  }

  /** Whether keys that are pressed elsewhere on the page are for this map. */
  get leads() {
    return !this.paired || this.leading;
  }

  /** Takes its place; `introduce` tells everything to whoever is already there.
   * @param {string | undefined} place @param {() => void} introduce */
  join(place, introduce) {
    if (this.place !== (place ?? "")) this.part();
    this.place = place ?? "";
    if (!this.place) return;
    this.text ??= new SharedText(this.world);
    this.leading = this.place === "first";
    this.introduce = introduce;
    this.#send(this.leading ? { leading: true } : { joining: true });
    if (this.leading) introduce();
  }

  /** Listens to the other pane, and to the first touch that makes this one lead.
   * @param {HTMLElement} root @param {AbortSignal} signal */
  listen(root, signal) {
    document.addEventListener(CHANNEL, (event) => this.#hear(/** @type {CustomEvent<PaneMessage>} */ (event).detail), { signal });
    for (const act of ["pointerdown", "keydown", "wheel"]) {
      root.addEventListener(act, () => this.#lead(), { signal, capture: true, passive: true });
    }
  }

  /** Tells the other pane what has changed here; `points` are lists of points by name.
   * @param {PaneNews} state @param {PanePoints} points */
  tell(state, points = {}) {
    if (this.place && this.leading) this.#send({ state, points });
  }

  /** Tells how deep this pane is, once for each place.
   * @param {number} layer @param {boolean} resting */
  tellDepth(layer, resting) {
    const share = layer / Math.max(1, this.world.stopCount - 1);
    if (this.share === share && this.resting === resting) return;
    [this.share, this.resting] = [share, resting];
    this.tell({ share, resting });
  }

  /** Tells which word is under the pointer, whoever leads.
   * @param {number} point */
  tellLit(point) {
    if (this.place) this.#send({ state: {}, points: { lit: point < 0 ? [] : [point] } });
  }

  /** Tells that talk mode was begun or left, whoever leads.
   * @param {boolean} talk */
  tellTalk(talk) {
    if (this.place) this.#send({ talk });
  }

  /** Tells the other pane that it is alone from now on. */
  part() {
    if (this.place) this.#send({ parting: true });
    this.#pair(false);
    this.place = "";
  }

  /** @param {boolean} paired */
  #pair(paired) {
    if (paired === this.paired) return;
    this.paired = paired;
    if (paired) this.#send({}); // so that the other one knows, too
    this.met();
  }

  #lead() {
    if (!this.place || this.leading) return;
    this.leading = true;
    this.#send({ leading: true });
  }

  /** @param {Omit<PaneMessage, "from">} message */
  #send(message) {
    document.dispatchEvent(new CustomEvent(CHANNEL, { detail: { ...message, from: this } }));
  }

  /** @param {PaneMessage} message */
  #hear({ from, joining, leading, parting, talk, state, points }) {
    if (from === this || !this.place || from.place === this.place) return;
    this.#pair(!parting);
    if (talk !== undefined) this.talk(talk);
    if (joining) this.#welcome();
    if (leading) this.leading = false;
    if (!state) return;
    const found = Object.entries(points ?? {}).map(([name, list]) => [name, this.#translate(list, from)]);
    this.#follow(state, Object.fromEntries(found), (point) => from.text.find(this.text.wordAt(point)).length > 0);
  }

  /** Does here what was done there; pins of words that only this map has stay.
   * @param {PaneNews} state @param {PanePoints} points @param {(point: number) => boolean} isThere */
  #follow({ share, resting, at, ...switches }, { pins, selection, lit }, isThere) {
    const { focus, view, side, display } = this;
    if (share !== undefined) this.#goTo(share * (this.world.stopCount - 1), resting, at === "once");
    if (pins) focus.setPins([...focus.pins.filter((pin) => !isThere(pin)), ...pins]);
    if (selection) {
      focus.select(selection);
      side.list.show(selection);
    }
    if (!side.offers(switches.coloring)) delete switches.coloring;
    Object.assign(view, switches);
    if (lit) this.#light(lit[0] ?? NO_POINT);
    else if (pins) {
      display.recolor();
      display.changed();
    }
    if (share !== undefined) view.led = !resting;
    if (!view.led && !lit) this.commit(); // on the way nothing is reported, as in a drag
    display.invalidate(share !== undefined || Boolean(pins));
  }

  /** @param {number} layer @param {boolean | undefined} resting @param {boolean} once */
  #goTo(layer, resting, once) {
    const { motion } = this;
    if (!resting) motion.jump(layer);
    else if (once) motion.jump(Math.round(layer));
    else if (motion.layer !== Math.round(layer)) motion.glideTo(Math.round(layer));
  }

  /** @param {number} point */
  #light(point) {
    const { focus, side, display } = this;
    focus.lit = point;
    if (point === NO_POINT) side.card.hide();
    else side.card.showWord(point, display.stop, display.theme);
  }

  #welcome() {
    this.leading = this.place === "first";
    if (this.leading) this.introduce();
  }

  /** @param {number[]} list @param {Panes} from */
  #translate(list, from) {
    return [...new Set(list.flatMap((point) => this.text.find(from.text.wordAt(point))))];
  }
}
