// Everything on the map but the mass of markers, and the links of an SVG drawing. The same functions
// draw on a canvas and on the SVG surface, so they use only flat colours, globalAlpha, paths and text.

import { FONT_STACK } from "./dom.js";
import { tracePath, traceShape } from "./shapes.js";

const LINK_OPACITIES = [0.55, 0.36, 0.22, 0.13, 0.07];
const TRAIL = 4; // layers that a trail reaches back
const LONGEST_LINK = 0.45; // of the map's diagonal; longer links stay at the faintest step

/** How strongly each link is drawn: a step of `opacities` for each, or one past them if hidden.
 *
 * `crowd` is 1 where links are few and less the more there are.
 * @param {Scene} scene */
export function linkShades({ world, screen, width, height, bright }) {
  const links = world.drawnLinks;
  const steps = LINK_OPACITIES.length;
  const longest = LONGEST_LINK * Math.hypot(width, height);
  const scale = (steps / longest) ** 2;
  const stepOf = new Uint8Array(links.length / 2);
  for (let i = 0; i < links.length; i += 2) {
    const dx = screen[2 * links[i]] - screen[2 * links[i + 1]];
    const dy = screen[2 * links[i] + 1] - screen[2 * links[i + 1] + 1];
    const hidden = bright && !(bright[links[i]] && bright[links[i + 1]]);
    stepOf[i >> 1] = hidden ? steps : Math.min(steps - 1, Math.sqrt((dx * dx + dy * dy) * scale));
  }
  const crowd = Math.min(1, Math.max(0.1, Math.sqrt(1500 / links.length)));
  return { stepOf, crowd, opacities: LINK_OPACITIES.map((opacity) => opacity * crowd) };
}

/** Fine lines between translations, fainter the longer they are.
 * @param {Surface} context @param {Scene} scene */
export function paintLinks(context, scene) {
  const { world, screen, theme } = scene;
  const links = world.drawnLinks;
  const { stepOf, opacities } = linkShades(scene);
  context.lineWidth = 0.5;
  context.strokeStyle = theme.ink;
  for (let step = opacities.length - 1; step >= 0; step--) {
    context.globalAlpha = opacities[step];
    context.beginPath();
    for (let i = 0; i < links.length; i += 2) {
      if (stepOf[i >> 1] !== step) continue;
      context.moveTo(screen[2 * links[i]], screen[2 * links[i] + 1]);
      context.lineTo(screen[2 * links[i + 1]], screen[2 * links[i + 1] + 1]);
    }
    context.stroke();
  }
  context.globalAlpha = 1;
}

/** Where pinned words and their partners have come from: the last layers, fading backwards.
 *
 * Of the word under the pointer the whole way is shown, with the layers' names; that of several
 * words at once would be a tangle.
 * @param {Surface} context @param {StageScene} scene */
export function paintTrails(context, scene) {
  for (const pin of scene.pins) {
    const whole = pin === scene.lit;
    const partners = scene.world.middles ? [] : scene.world.partnersOf(pin);
    for (const partner of partners) paintTrail(context, scene, partner, whole, false);
    paintTrail(context, scene, pin, whole, whole);
  }
}

/**
 * @param {Surface} context
 * @param {StageScene} scene
 * @param {number} point
 * @param {boolean} whole
 * @param {boolean} named
 */
function paintTrail(context, { world, camera, screen, layer, theme, radius, letter }, point, whole, named) {
  /** @type {Place} */
  const here = [screen[2 * point], screen[2 * point + 1]];
  const stops = camera.pathOf(world, point).map((place, stop) => ({ place, stop }));
  const passed = stops.filter(({ stop }) => stop < layer && (whole || stop > layer - TRAIL));
  const coming = whole ? stops.filter(({ stop }) => stop > layer) : [];
  const path = [...passed, { place: here, stop: layer }, ...coming];
  const color = theme.sides[world.sides[point]];
  const reach = whole ? world.stopCount * 0.75 : TRAIL;
  const strength = (/** @type {number} */ stop) => Math.max(0.2, 1 - Math.abs(stop - layer) / reach);
  context.lineCap = "round";
  context.lineJoin = "round";
  context.lineWidth = 6; // a lane in the colour of the paper, through whatever lies there
  context.strokeStyle = theme.paper;
  context.globalAlpha = 0.75;
  tracePath(context, path.map(({ place }) => place));
  context.stroke();
  context.strokeStyle = color;
  context.lineWidth = Math.max(2, 0.13 * letter);
  for (let i = 1; i < path.length; i++) {
    context.globalAlpha = strength((path[i - 1].stop + path[i].stop) / 2);
    tracePath(context, [path[i - 1].place, path[i].place]);
    context.stroke();
  }
  context.font = `500 ${letter}px ${FONT_STACK}`;
  context.textAlign = "center";
  context.textBaseline = "alphabetic";
  let lastNamed = [-1e9, -1e9];
  for (const { place, stop } of [...passed, ...coming]) {
    context.globalAlpha = strength(stop);
    context.beginPath();
    context.arc(...place, Math.max(1.6, radius * 0.45), 0, 2 * Math.PI);
    context.fillStyle = color;
    context.fill();
    if (!named || Math.hypot(place[0] - lastNamed[0], place[1] - lastNamed[1]) < 1.8 * letter) continue;
    context.globalAlpha = Math.max(0.6, strength(stop));
    writeWithHalo(context, world.stops[stop], place[0], place[1] - radius - 3, color, theme.paper);
    lastNamed = place;
  }
  context.globalAlpha = 1;
}

/** Pinned, hovered and found words with their partners: larger markers joined by strong lines.
 * @param {Surface} context @param {Scene} scene */
export function paintHighlights(context, scene) {
  const { world, screen, theme, radius, pins, lit } = scene;
  const chosen = lit >= 0 ? [...pins.filter((pin) => pin !== lit), lit] : pins;
  context.lineCap = "round";
  for (const point of chosen) {
    context.strokeStyle = theme.ink;
    context.lineWidth = point === lit ? 1.75 : 1.25;
    context.globalAlpha = 0.85;
    const middle = world.middleOf(point);
    const ends = middle < 0 ? world.partnersOf(point) : [point, ...world.partnersOf(point)];
    const from = middle < 0 ? point : middle;
    for (const partner of ends) {
      tracePath(context, [from, partner].map((end) => [screen[2 * end], screen[2 * end + 1]]));
      context.stroke();
    }
    context.globalAlpha = 1;
    for (const shown of [...world.partnersOf(point), point]) paintMarker(context, scene, shown, radius * 1.5 + 1);
  }
}

/** @param {Surface} context @param {Scene} scene @param {number} point @param {number} radius */
function paintMarker(context, { world, screen, theme, palette, slots }, point, radius) {
  traceShape(context, world.shapes[point], screen[2 * point], screen[2 * point + 1], radius);
  context.fillStyle = palette[slots[point]];
  context.fill();
  context.lineWidth = 2;
  context.strokeStyle = theme.ink;
  context.stroke();
}

/** @param {Surface} context @param {StageScene} scene */
export function paintLabels(context, { labels, world, theme, lit, pins }) {
  context.textAlign = "left";
  context.textBaseline = "middle";
  for (const [point, { box, text, opacity }] of labels.shown) {
    const strong = point === lit || pins.includes(point);
    context.font = strong ? labels.font.replace("500", "700") : labels.font;
    context.globalAlpha = opacity;
    const color = strong ? theme.ink : mixColors(theme.sides[world.sides[point]], theme.ink, 0.45);
    writeWithHalo(context, text, box.left, (box.top + box.bottom) / 2, color, theme.paper);
  }
  context.globalAlpha = 1;
}

/**
 * @param {Surface} context
 * @param {string} text
 * @param {number} x
 * @param {number} y
 * @param {string} color
 * @param {string} paper
 */
function writeWithHalo(context, text, x, y, color, paper) {
  context.lineWidth = 3;
  context.lineJoin = "round";
  context.strokeStyle = paper;
  context.strokeText(text, x, y);
  context.fillStyle = color;
  context.fillText(text, x, y);
}

/** @param {Surface} context @param {Place[]} polygon @param {Theme} theme */
export function paintLasso(context, polygon, theme) {
  if (polygon.length < 2) return;
  tracePath(context, polygon);
  context.closePath();
  context.fillStyle = theme.ink;
  context.globalAlpha = 0.07;
  context.fill();
  context.globalAlpha = 0.7;
  context.lineWidth = 1.25;
  context.strokeStyle = theme.ink;
  context.stroke();
  context.globalAlpha = 1;
}

/** @param {string} from @param {string} to @param {number} share */
export function mixColors(from, to, share) {
  const [a, b] = [from, to].map((hex) => Number.parseInt(hex.slice(1), 16));
  /** @param {number} shift */
  const part = (shift) => Math.round(((a >> shift) & 255) * (1 - share) + ((b >> shift) & 255) * share);
  return `#${((part(16) << 16) | (part(8) << 8) | part(0)).toString(16).padStart(6, "0")}`;
}
