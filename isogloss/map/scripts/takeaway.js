// PNG and SVG of the present view, drawn by the same painter as the screen.

import { Cloud } from "./cloud.js";
import { legendRows } from "./colors.js";
import { FONT_STACK, penOf, readable, saveFile } from "./dom.js";
import { scaleNote } from "./stage.js";
import { paintHighlights, paintLabels, paintLinks, paintTrails } from "./painter.js";
import { traceShape } from "./shapes.js";
import { SvgSurface } from "./svg.js";

const SCALE = 2;
const HEAD = 54;
const FOOT = 62;

/** @param {StageScene} scene */
export function savePicture(scene) {
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(scene.width * SCALE);
  canvas.height = Math.round((scene.height + HEAD + FOOT) * SCALE);
  const context = penOf(canvas);
  context.scale(SCALE, SCALE);
  paintPage(context, scene, () => {
    const cloud = new Cloud(document.createElement("canvas"));
    cloud.resize(scene.width, scene.height, SCALE);
    cloud.draw(scene);
    context.drawImage(cloud.canvas, 0, 0, scene.width, scene.height);
  });
  canvas.toBlob((blob) => blob && saveFile(fileName(scene, "png"), blob), "image/png");
}

/** @param {StageScene} scene */
export function saveDrawing(scene) {
  const surface = new SvgSurface(scene.width, scene.height + HEAD + FOOT);
  paintPage(surface, scene, () => {
    const { screen, slots, palette, radius, shade, bright, world } = scene;
    if (scene.showLinks) paintLinks(surface, scene);
    for (const i of world.drawOrder) {
      surface.globalAlpha = !bright ? shade : bright[i] ? 1 : 0.16;
      surface.fillStyle = palette[slots[i]];
      traceShape(surface, world.shapes[i], screen[2 * i], screen[2 * i + 1], radius);
      surface.fill();
    }
    surface.globalAlpha = 1;
  });
  const text = surface.finish(scene.world.caption || titleOf(scene), provenanceLine(scene.world));
  saveFile(fileName(scene, "svg"), new Blob([text], { type: "image/svg+xml" }));
}

/** @param {Surface} context @param {StageScene} scene @param {() => void} paintCloud */
function paintPage(context, scene, paintCloud) {
  const { width, height, theme, world } = scene;
  context.fillStyle = theme.paper;
  context.fillRect(0, 0, width, height + HEAD + FOOT);
  context.save();
  context.translate(0, HEAD);
  context.beginPath();
  context.rect(0, 0, width, height);
  context.clip();
  paintCloud();
  paintTrails(context, scene);
  paintHighlights(context, scene);
  paintLabels(context, scene);
  context.restore();
  context.textBaseline = "alphabetic";
  context.textAlign = "left";
  context.fillStyle = theme.ink;
  context.font = `700 22px ${FONT_STACK}`;
  context.fillText(titleOf(scene), 20, 35);
  paintLegend(context, scene);
  context.textAlign = "left";
  context.fillStyle = theme.ink;
  context.font = `500 14px ${FONT_STACK}`;
  context.fillText(fitText(context, world.caption, width - 40), 20, HEAD + height + 26);
  context.globalAlpha = 0.65;
  context.font = `400 11px ${FONT_STACK}`;
  const lines = scene.showLinks ? ` · Lines: ${world.lines}` : "";
  context.fillText(`${scaleNote(scene)}${lines}`, 20, HEAD + height - 4);
  context.fillText(fitText(context, provenanceLine(world), width - 40), 20, HEAD + height + 46);
  context.globalAlpha = 1;
}

/** @param {Surface} context @param {Scene} scene */
function paintLegend(context, { world, theme, coloring, width }) {
  let x = width - 20;
  context.font = `500 13px ${FONT_STACK}`;
  for (const [color, shape, name] of legendRows(world, coloring, theme).reverse()) {
    const text = readable(name, 24);
    x -= context.measureText(text).width;
    context.fillStyle = theme.ink;
    context.fillText(text, x, 34);
    context.fillStyle = color ?? theme.ink;
    traceShape(context, shape ?? 0, x - 11, 29.5, 4.5);
    context.fill();
    x -= 34;
  }
}

/** @param {Scene} scene */
const titleOf = ({ world, stop }) => world.names[stop];

/** @param {World} world */
const provenanceLine = (world) => Object.entries(world.provenance).map(([name, value]) => `${name} ${value}`).join(" · ");

/** @param {Scene} scene @param {string} ending */
const fileName = (scene, ending) => `isogloss-${titleOf(scene).toLowerCase().replace(/[^a-z0-9]+/g, "-")}.${ending}`;

/** @param {Surface} context @param {string} text @param {number} width */
function fitText(context, text, width) {
  if (context.measureText(text).width <= width) return text;
  let kept = Array.from(text);
  while (kept.length > 1 && context.measureText(`${kept.join("")}…`).width > width) {
    kept = kept.slice(0, Math.floor(kept.length * 0.97));
  }
  return `${kept.join("")}…`;
}
