// PNG and SVG of the present view, drawn by the same painter as the screen, with all that tells what
// it shows and how it was made: what is long goes on in the next line, nothing is cut.

import { Cloud } from "./cloud.js";
import { legendRows } from "./colors.js";
import { FONT_STACK, penOf, saveFile } from "./dom.js";
import { scaleNote } from "./stage.js";
import { paintHighlights, paintLabels, paintLinks, paintTrails } from "./painter.js";
import { traceShape } from "./shapes.js";
import { numberText, scoreTitle } from "./strip.js";
import { SvgSurface } from "./svg.js";

const SCALE = 2;
const PAGE_MARGIN = 20;

/** A text in a font, broken into lines, and where it stands.
 * @typedef {{font: string, size: number, opacity: number, lines: string[], pitch: number}} Block */

/** What stands above and below the map: blocks of text, and the legend in rows.
 * @typedef {{title: Block, legend: {row: LegendRow, x: number, y: number}[], head: number, below: Block[], foot: number}} Page */

/** @param {StageScene} scene */
export function savePicture(scene) {
  const canvas = document.createElement("canvas");
  const page = layOut(scene);
  canvas.width = Math.round(scene.width * SCALE);
  canvas.height = Math.round((scene.height + page.head + page.foot) * SCALE);
  const context = penOf(canvas);
  context.scale(SCALE, SCALE);
  paintPage(context, scene, page, () => {
    const cloud = new Cloud(document.createElement("canvas"));
    cloud.resize(scene.width, scene.height, SCALE);
    cloud.draw(scene);
    context.drawImage(cloud.canvas, 0, 0, scene.width, scene.height);
  });
  canvas.toBlob((blob) => blob && saveFile(fileName(scene, "png"), blob), "image/png");
}

/** @param {StageScene} scene */
export function saveDrawing(scene) {
  const page = layOut(scene);
  const surface = new SvgSurface(scene.width, scene.height + page.head + page.foot);
  paintPage(surface, scene, page, () => {
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

/** Where everything goes, in lines no wider than the picture.
 * @param {StageScene} scene @returns {Page} */
function layOut(scene) {
  const { width, world, theme, coloring } = scene;
  const pen = penOf(document.createElement("canvas"));
  const room = width - 2 * PAGE_MARGIN;
  /** @param {string} text @param {number} weight @param {number} size @param {number} opacity @returns {Block} */
  const block = (text, weight, size, opacity = 1) => {
    const font = `${weight} ${size}px ${FONT_STACK}`;
    pen.font = font;
    return { font, size, opacity, lines: linesOf(pen, text, room), pitch: 1.32 * size };
  };
  const title = block(titleOf(scene), 700, 22);
  pen.font = LEGEND_FONT;
  let [x, y] = [PAGE_MARGIN, 12 + title.lines.length * title.pitch + 16];
  const legend = legendRows(world, coloring, theme).flatMap((row) => linesOf(pen, row[2], room - 16).map((text, line) => {
    const wide = 16 + pen.measureText(text).width;
    if (line || (x > PAGE_MARGIN && x + wide > width - PAGE_MARGIN)) [x, y] = [PAGE_MARGIN, y + 20];
    const at = { row: /** @type {LegendRow} */ ([line ? null : row[0], line ? -1 : row[1], text]), x, y };
    x += wide + 18;
    return at;
  }));
  const below = [
    block([scaleNote(scene), scene.showLinks && `Lines: ${world.lines}`].filter(Boolean).join(" · "), 400, 11, 0.65),
    block(world.caption, 500, 14),
    block(scoreLine(scene), 500, 13),
    block(provenanceLine(world), 400, 11, 0.65),
  ].filter(({ lines }) => lines.length);
  const foot = below.reduce((sum, { lines, pitch }) => sum + lines.length * pitch + 4, 12);
  return { title, legend, head: y + 14, below, foot };
}

const LEGEND_FONT = `500 13px ${FONT_STACK}`;

/** @param {Surface} context @param {StageScene} scene @param {Page} page @param {() => void} paintCloud */
function paintPage(context, scene, { title, legend, head, below, foot }, paintCloud) {
  const { width, height, theme } = scene;
  context.fillStyle = theme.paper;
  context.fillRect(0, 0, width, height + head + foot);
  context.save();
  context.translate(0, head);
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
  write(context, title, 12, theme.ink);
  context.font = LEGEND_FONT;
  for (const { row: [color, shape, text], x, y } of legend) {
    context.fillStyle = theme.ink;
    context.fillText(text, x + 16, y);
    if (shape === -1) continue;
    context.fillStyle = color ?? theme.ink;
    traceShape(context, shape ?? 0, x + 5, y - 4.5, 4.5);
    context.fill();
  }
  let y = head + height + 6;
  for (const each of below) y = write(context, each, y, theme.ink) + 4;
}

/** Writes a block from a height on; returns where the next may begin.
 * @param {Surface} context @param {Block} block @param {number} top @param {string} ink */
function write(context, { font, size, opacity, lines, pitch }, top, ink) {
  context.font = font;
  context.fillStyle = ink;
  context.globalAlpha = opacity;
  lines.forEach((line, row) => { context.fillText(line, PAGE_MARGIN, top + row * pitch + size); });
  context.globalAlpha = 1;
  return top + lines.length * pitch;
}

/** The score of the stop, and what it rests on.
 * @param {Scene} scene */
function scoreLine({ world, stop }) {
  const [score] = world.scores;
  return score ? `${scoreTitle(score)}: ${numberText(score.values[stop])}` : "";
}

/** @param {Scene} scene */
const titleOf = ({ world, stop }) => world.names[stop];

/** @param {World} world */
const provenanceLine = (world) => Object.entries(world.provenance).map(([name, value]) => `${name} ${value}`).join(" · ");

/** @param {Scene} scene @param {string} ending */
const fileName = (scene, ending) => `isogloss-${titleOf(scene).toLowerCase().replace(/[^a-z0-9]+/g, "-")}.${ending}`;

/** A text in lines no wider than `width`, broken at spaces, or within a word that is longer.
 * @param {Pick<CanvasRenderingContext2D, "measureText">} pen @param {string} text @param {number} width */
function linesOf(pen, text, width) {
  const fits = (/** @type {string} */ line) => pen.measureText(line).width <= width;
  /** @type {string[]} */
  const lines = [];
  let line = "";
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const longer = line ? `${line} ${word}` : word;
    if (fits(longer)) {
      line = longer;
      continue;
    }
    if (line) lines.push(line);
    line = "";
    for (const letter of word) {
      if (line && !fits(line + letter)) {
        lines.push(line);
        line = "";
      }
      line += letter;
    }
  }
  return line ? [...lines, line] : lines;
}
