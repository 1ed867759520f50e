// Small helpers for building elements. Strings only ever become text nodes or attribute
// values, so nothing a text contains can turn into markup.

const SVG_NAMESPACE = "http://www.w3.org/2000/svg";

export const FONT_STACK = [
  '"Inter"', '"Source Sans"', '"Source Sans 3"', "system-ui", '"Segoe UI"', '"Helvetica Neue"', "Arial",
  '"Noto Sans CJK SC"', '"PingFang SC"', '"Microsoft YaHei"', '"Source Han Sans SC"', "sans-serif",
].join(", ");

/** @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag @param {Attributes} attributes @param {...(Node | string | null | undefined)} children */
export function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (typeof value === "function") node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children) if (child !== null && child !== undefined) node.append(child);
  return node;
}

/** @param {Record<string, string>} attributes @param {Record<string, string>[]} paths */
function drawing(attributes, paths) {
  /** @param {string} tag @param {Record<string, string>} values */
  const create = (tag, values) => {
    const node = document.createElementNS(SVG_NAMESPACE, tag);
    for (const [name, value] of Object.entries(values)) node.setAttribute(name, value);
    return node;
  };
  const svg = create("svg", { "aria-hidden": "true", ...attributes });
  svg.append(...paths.map((path) => create("path", path)));
  return svg;
}

/** @param {...string} paths */
export const icon = (...paths) => drawing({ viewBox: "0 0 20 20" }, paths.map((d) => ({ d })));

/** A short piece of a line with its dashes, for a legend.
 * @param {number[]} dashes @param {string} name */
export const lineSample = (dashes, name) =>
  drawing({ viewBox: "0 0 26 10", class: `sample ${name}` }, [{ d: "M1 5H25", "stroke-dasharray": dashes.join(" ") }]);

/** The mark of a language, as its points are drawn.
 * @param {World} world @param {number} side */
export const sideMark = ({ shapesOfTopics }, side) =>
  element("span", shapesOfTopics ? { class: "mark swatch", style: `background: var(--side-${side})` } : { class: `mark side-${side}` });

/** The element that an event happened on.
 * @param {Event} event */
export const elementOf = (event) => /** @type {Element} */ (event.target);

// Writing what is already there would still make the browser lay the page out again.

/** @param {Node} node @param {string} text */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** @param {Element} node @param {string} name @param {string} value */
export function setAttribute(node, name, value) {
  if (node.getAttribute(name) !== value) node.setAttribute(name, value);
}

/** How far down a scrolling page the top of a node lies, wherever it is scrolled to.
 * @param {Element} node */
export function distanceFromTop(node) {
  return around(node).reduce((distance, each) => distance + each.scrollTop, node.getBoundingClientRect().top);
}

/** A node and all that it stands in, out of shadow roots, too.
 * @param {Element} node */
export function around(node) {
  const found = [];
  /** @type {Element | undefined} */
  let each = node;
  for (; each; each = each.parentElement ?? hostOf(each)) found.push(each);
  return found;
}

/** The element that a shadow root hangs on, where a node is in one.
 * @param {Element} node */
function hostOf(node) {
  const root = node.getRootNode();
  return root instanceof ShadowRoot ? root.host : undefined;
}

/** One line that can be drawn: control characters become visible pictures, long texts are cut.
 * @param {string} text @param {number} limit */
export function readable(text, limit = 28) {
  const characters = Array.from(text.slice(0, 4 * limit), (character) => {
    const code = character.codePointAt(0) ?? 0;
    if (code < 0x20) return String.fromCodePoint(0x2400 + code);
    return code === 0x7f ? "\u2421" : character;
  });
  if (characters.length === 0) return "\u2205";
  if (characters.length <= limit) return characters.join("");
  // A vowel sign or an accent stays with its letter.
  const letters = Array.from(new Intl.Segmenter().segment(characters.join("")), ({ segment }) => segment);
  return letters.length > limit ? `${letters.slice(0, limit - 1).join("")}…` : letters.join("");
}

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;

/** A text as a line of its own: one from right to left has its full stop at the left.
 * @param {string} text */
export const asLine = (text) => (RIGHT_TO_LEFT.test(text) ? `\u2068${text}\u2069` : text);

/** A name as it stands inside a sentence: "layer 3" for "Layer 3".
 * @param {string} name */
export const insideSentence = (name) => name.slice(0, 1).toLowerCase() + name.slice(1);

/** Where a stop is, in a sentence: "at layer 3", but "after the final norm".
 * @param {string} name */
export const placeOf = (name) => `${name.startsWith("After ") ? "" : "at "}${insideSentence(name)}`;

/** @param {string} name @param {Blob} blob */
export function saveFile(name, blob) {
  const address = URL.createObjectURL(blob);
  const anchor = element("a", { href: address, download: name });
  document.body.append(anchor);
  anchor.click();
  anchor.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** @param {string} text */
export async function copyText(text) {
  if (navigator.clipboard && window.isSecureContext) {
    await navigator.clipboard.writeText(text);
    return;
  }
  const area = element("textarea", { readonly: true });
  area.style.cssText = "position: fixed; opacity: 0";
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
}

/** The pen of a canvas. Browsers have one; null is for canvases that were given to a GPU.
 * @param {HTMLCanvasElement} canvas @param {CanvasRenderingContext2DSettings} [settings] */
export const penOf = (canvas, settings) => /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d", settings));

export const prefersReducedMotion = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** @param {number} value @param {number} low @param {number} high */
export const clamp = (value, low, high) => Math.min(high, Math.max(low, value));
