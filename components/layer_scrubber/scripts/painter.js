// Everything on the map but the mass of markers. The same functions draw on a canvas and on the
// SVG surface, so they use only flat colours, globalAlpha, paths and text.

import { FONT_STACK } from "./dom.js";

const LINK_OPACITIES = [0.55, 0.36, 0.22, 0.13, 0.07];
const LONGEST_LINK = 0.45; // of the map's diagonal; longer links stay at the faintest step

/** Fine lines between translations, fainter the longer they are. */
export function paintLinks(context, { world, screen, width, height, theme, bright, linkWidth }) {
  const { links } = world;
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
  const crowd = Math.min(1, Math.max(0.35, Math.sqrt(1500 / links.length)));
  // A line of at most one device pixel takes the rasteriser's quick way; wider ones cost many times more.
  context.lineWidth = linkWidth;
  context.strokeStyle = theme.ink;
  for (let step = steps - 1; step >= 0; step--) {
    context.globalAlpha = LINK_OPACITIES[step] * crowd;
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

/** The way of a pinned word and its partners through all layers, strongest near the present one. */
export function paintTrails(context, scene) {
  for (const pin of scene.pins) {
    for (const partner of scene.world.partnersOf(pin)) paintTrail(context, scene, partner, false);
    paintTrail(context, scene, pin, true);
  }
}

function paintTrail(context, { world, camera, layer, theme, radius }, point, numbered) {
  const path = camera.pathOf(world, point);
  const color = theme.sides[world.sides[point]];
  const strength = (stop) => Math.max(0.22, 1 - Math.abs(stop - layer) / (world.stopCount * 0.75));
  context.lineCap = "round";
  context.lineJoin = "round";
  context.lineWidth = numbered ? 7 : 5; // a lane in the colour of the paper, through whatever lies there
  context.strokeStyle = theme.paper;
  context.globalAlpha = 0.75;
  context.beginPath();
  path.forEach(([x, y], stop) => (stop ? context.lineTo(x, y) : context.moveTo(x, y)));
  context.stroke();
  context.strokeStyle = color;
  context.lineWidth = numbered ? 2.25 : 1.5;
  for (let stop = 1; stop < path.length; stop++) {
    context.globalAlpha = strength(stop - 0.5);
    context.beginPath();
    context.moveTo(...path[stop - 1]);
    context.lineTo(...path[stop]);
    context.stroke();
  }
  context.font = `500 10px ${FONT_STACK}`;
  context.textAlign = "center";
  context.textBaseline = "alphabetic";
  let lastNumber = [-1e9, -1e9];
  path.forEach(([x, y], stop) => {
    context.globalAlpha = strength(stop);
    context.beginPath();
    context.arc(x, y, Math.max(1.6, radius * 0.45), 0, 2 * Math.PI);
    context.fillStyle = color;
    context.fill();
    if (!numbered || Math.hypot(x - lastNumber[0], y - lastNumber[1]) < 18) return;
    context.globalAlpha = Math.max(0.6, strength(stop));
    writeWithHalo(context, world.stops[stop], x, y - radius - 3, color, theme.paper);
    lastNumber = [x, y];
  });
  context.globalAlpha = 1;
}

/** Pinned, hovered and found words with their partners: larger markers joined by strong lines. */
export function paintHighlights(context, scene) {
  const { world, screen, theme, radius, pins, lit } = scene;
  const chosen = lit >= 0 ? [...pins.filter((pin) => pin !== lit), lit] : pins;
  context.lineCap = "round";
  for (const point of chosen) {
    context.strokeStyle = theme.ink;
    context.lineWidth = point === lit ? 1.75 : 1.25;
    context.globalAlpha = 0.85;
    for (const partner of world.partnersOf(point)) {
      context.beginPath();
      context.moveTo(screen[2 * point], screen[2 * point + 1]);
      context.lineTo(screen[2 * partner], screen[2 * partner + 1]);
      context.stroke();
    }
    context.globalAlpha = 1;
    for (const shown of [...world.partnersOf(point), point]) paintMarker(context, scene, shown, radius * 1.5 + 1);
  }
}

function paintMarker(context, { world, screen, theme, palette, slots }, point, radius) {
  tracePoint(context, world.sides[point], screen[2 * point], screen[2 * point + 1], radius);
  context.fillStyle = palette[slots[point]];
  context.fill();
  context.lineWidth = 2;
  context.strokeStyle = theme.ink;
  context.stroke();
}

/** The outline of a marker: a circle for side 0, a diamond for side 1. */
export function tracePoint(context, side, x, y, radius) {
  context.beginPath();
  if (side === 0) {
    context.arc(x, y, radius, 0, 2 * Math.PI);
  } else {
    const reach = radius * 1.3;
    context.moveTo(x, y - reach);
    context.lineTo(x + reach, y);
    context.lineTo(x, y + reach);
    context.lineTo(x - reach, y);
  }
  context.closePath();
}

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

function writeWithHalo(context, text, x, y, color, paper) {
  context.lineWidth = 3;
  context.lineJoin = "round";
  context.strokeStyle = paper;
  context.strokeText(text, x, y);
  context.fillStyle = color;
  context.fillText(text, x, y);
}

export function paintLasso(context, polygon, theme) {
  if (polygon.length < 2) return;
  context.beginPath();
  polygon.forEach(([x, y], i) => (i ? context.lineTo(x, y) : context.moveTo(x, y)));
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

export function mixColors(from, to, share) {
  const [a, b] = [from, to].map((hex) => Number.parseInt(hex.slice(1), 16));
  const part = (shift) => Math.round(((a >> shift) & 255) * (1 - share) + ((b >> shift) & 255) * share);
  return `#${((part(16) << 16) | (part(8) << 8) | part(0)).toString(16).padStart(6, "0")}`;
}
