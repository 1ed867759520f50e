// The card beside the map: a word with its sentence, translation, partners and their rank, or a
// layer with all its scores.

import { rankStep } from "./colors.js";
import { element, placeOf, readable, sideMark } from "./dom.js";
import { numberText } from "./strip.js";

const CONTEXT_CHARACTERS = 70;

export class Card {
  /** @param {World} world */
  constructor(world) {
    this.world = world;
    this.node = element("div", { class: "card", role: "status", hidden: true });
  }

  /** @param {number} point @param {number} stop @param {Theme} theme */
  showWord(point, stop, theme) {
    const { world } = this;
    const side = world.sides[point];
    const { own, others } = world.sentenceOf(point);
    const partners = [...world.partnersOf(point)];
    const partnerSpans = partners.flatMap((partner) => {
      const found = world.spanOf(partner);
      return found ? [found] : [];
    });
    const span = world.spanOf(point);
    this.#show(
      element("div", { class: "card-head" },
        sideMark(world, side),
        element("bdi", { class: "card-word" }, readable(world.texts[point], 60)),
        element("span", { class: "card-language" }, world.languages[side].name),
      ),
      world.middles ? null : sentenceNode(own, span ? [span] : [], side, world.languages[side].code),
      ...(world.middles ? [translationsNode(world, others)] : others.map(([from, text]) => sentenceNode(text, partnerSpans, from, world.languages[from].code))),
      world.middles ? null : this.#partnerNode(point, partners, stop),
      partners.length > 0 && world.rank(point, stop) ? this.#historyNode(point, stop, theme) : null,
    );
  }

  /** Every score of a stop, with its interval and what a random model reads, or chance.
   * @param {number} stop */
  showStop(stop) {
    const { names, scores } = this.world;
    const rows = scores.flatMap(({ name, values, lower, upper, chance, random, badge }) => {
      const range = lower && upper ? `${numberText(lower[stop])} to ${numberText(upper[stop])}` : "";
      const measured = random ? `random model ${numberText(random[stop])}` : "";
      const luck = measured || (chance === null ? "" : `chance ${numberText(chance)}`);
      return [
        element("dt", {}, name),
        element("dd", {}, element("b", {}, numberText(values[stop])),
          element("span", {}, [range, luck, badge].filter(Boolean).join(" · "))),
      ];
    });
    this.#show(element("div", { class: "card-head" }, element("span", { class: "card-word" }, names[stop])),
      element("dl", { class: "card-scores" }, ...rows));
  }

  hide() {
    if (!this.node.hidden) this.node.hidden = true;
  }

  /** @param {...(Node | null)} parts */
  #show(...parts) {
    this.node.replaceChildren(...parts.filter((part) => part !== null));
    this.node.hidden = false;
  }

  /** @param {number} point @param {number[]} partners @param {number} stop */
  #partnerNode(point, partners, stop) {
    const { world } = this;
    if (partners.length === 0) return element("p", { class: "card-partner" }, `No line from it (lines: ${world.lines}).`);
    const words = element("bdi", {}, partners.map((partner) => readable(world.texts[partner])).join(" · "));
    const rests = element("small", {}, world.lines);
    const rank = world.rank(point, stop);
    if (!rank) return element("p", { class: "card-partner" }, words, rests);
    const others = world.sizes[1 - world.sides[point]];
    const place = rank === 1 ? `nearest of ${others}` : `rank ${rank} of ${others}`;
    return element("p", { class: "card-partner" }, words,
      element("span", { class: "card-rank" }, `${place} ${placeOf(world.names[stop])}`), rests);
  }

  /** A bar for each stop, higher the better the partner's rank there.
   * @param {number} point @param {number} stop @param {Theme} theme */
  #historyNode(point, stop, theme) {
    const { world } = this;
    const worst = Math.log(Math.max(2, world.sizes[1 - world.sides[point]]));
    const bars = world.names.map((name, index) => {
      const rank = Math.max(1, world.rank(point, index));
      const bar = element("i", { title: `${name}: rank ${rank}`, class: index === stop ? "now" : null });
      bar.style.height = `${Math.round(12 + 88 * Math.max(0, 1 - Math.log(rank) / worst))}%`;
      bar.style.backgroundColor = theme.aligned[Math.min(rankStep(rank), theme.aligned.length - 1)];
      return bar;
    });
    return element("div", { class: "card-history", role: "img", "aria-label": "Rank of the partner at every stop" }, ...bars);
  }
}

/** What other languages have for a sentence, a line each.
 * @param {World} world @param {[number, string][]} others */
function translationsNode(world, others) {
  return element("ul", { class: "card-translations" }, ...others.map(([side, text]) =>
    element("li", { lang: world.languages[side].code, dir: "auto" }, sideMark(world, side), element("bdi", {}, readable(text, 60)))));
}

/** A paragraph with the given code-point spans emphasised, cut to the surroundings of the first.
 * @param {string} text @param {[number, number][]} spans @param {number} side @param {string} language */
function sentenceNode(text, spans, side, language) {
  const characters = Array.from(text);
  const ordered = [...spans].sort((a, b) => a[0] - b[0]);
  const focus = ordered[0]?.[0] ?? 0;
  const start = focus > CONTEXT_CHARACTERS * 1.5 ? focus - CONTEXT_CHARACTERS : 0;
  const end = Math.min(characters.length, start + CONTEXT_CHARACTERS * 3);
  const node = element("p", { class: `card-sentence side-${side}`, lang: language, dir: "auto" });
  let at = start;
  if (start > 0) node.append("…");
  for (const [from, to] of ordered) {
    if (from < at || from >= end) continue;
    node.append(characters.slice(at, from).join(""));
    at = Math.min(to, end);
    node.append(element("strong", {}, characters.slice(from, at).join("")));
  }
  node.append(characters.slice(at, end).join(""));
  if (end < characters.length) node.append("…");
  return node;
}
