// The colours of the points, from the palette of the whole app.

import palette from "../../palette.json" with { type: "json" };

/** The corners of each shape in radii, y downwards; none for a circle. */
export const SHAPES = /** @type {Place[][]} */ (palette.shapes);

export const COLORINGS = [
  ["language", "Language"],
  ["sentence", "Sentence"],
  ["topic", "Topic"],
  ["alignment", "How well aligned"],
];

/** The colours of the paper the component lies on, read from its computed style.
 * @param {Element} root @param {number} languages @returns {Theme} */
export function readTheme(root, languages = 2) {
  const style = getComputedStyle(root);
  const paper = parseColor(style.backgroundColor);
  const dark = luminance(paper) < 0.4;
  const colors = dark ? palette.dark : palette.light;
  return {
    ...colors,
    sides: languages > 2 ? Array.from({ length: languages }, (_, i) => colors.many[i % colors.many.length]) : colors.sides,
    dark,
    paper: hexOf(paper),
    ink: hexOf(parseColor(style.color)),
  };
}

/** Which colours are in use and which of them each point takes: {palette, slots}.
 * @param {World} world @param {string} coloring @param {number} stop @param {Theme} theme @returns {Coloring} */
export function colorPoints(world, coloring, stop, theme) {
  const slots = new Uint8Array(world.count);
  if (coloring === "alignment") {
    for (let i = 0; i < world.count; i++) slots[i] = rankStep(world.rank(i, stop));
    return { palette: [...theme.aligned, theme.none], slots };
  }
  if (coloring === "sentence" || coloring === "topic") {
    const groups = coloring === "sentence" ? world.sentence_of : world.topic_of;
    const kinds = theme.categories.length;
    for (let i = 0; i < world.count; i++) slots[i] = groups[i] < 0 ? kinds : groups[i] % kinds;
    return { palette: [...theme.categories, theme.none], slots };
  }
  slots.set(world.sides);
  return { palette: theme.sides, slots };
}

/** @param {number} rank */
export function rankStep(rank) {
  const { bounds, names } = palette.ranks;
  if (rank === 0) return names.length;
  const step = bounds.findIndex((bound) => rank <= bound);
  return step < 0 ? bounds.length : step;
}

/** @param {string} color @param {string} name @returns {LegendRow} */
const legendRow = (color, name) => [color, null, name];

/** Rows of the legend for a colouring: [colour, shape or null for both, text].
 * @param {World} world @param {string} coloring @param {Theme} theme @returns {LegendRow[]} */
export function legendRows(world, coloring, theme) {
  /** @type {LegendRow[]} */
  const shapes = world.languages.map(({ name }, side) =>
    [coloring === "language" ? theme.sides[side] : null, world.shapesOfTopics ? null : side % SHAPES.length, name]);
  if (world.shapesOfTopics) {
    const colored = coloring === "language" ? shapes : [];
    return [...colored, ...world.topics.map((name, i) => topicRow(coloring, theme, name, i))];
  }
  if (coloring === "alignment") {
    const rows = palette.ranks.names.map((name, step) => legendRow(theme.aligned[step], name));
    if (world.ranks.includes(0)) rows.push(legendRow(theme.none, "not scored"));
    return [...shapes, ...rows];
  }
  if (coloring === "topic") {
    return [...shapes, ...world.topics.slice(0, 8).map((name, i) => legendRow(theme.categories[i], name))];
  }
  return shapes;
}

/** @param {string} coloring @param {Theme} theme @param {string} name @param {number} topic @returns {LegendRow} */
const topicRow = (coloring, theme, name, topic) =>
  [coloring === "topic" ? theme.categories[topic % theme.categories.length] : null, topic % SHAPES.length, name];

/** @param {string} hex */
export function channels(hex) {
  const value = Number.parseInt(hex.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

/** @param {string} text */
function parseColor(text) {
  const numbers = text.match(/[\d.]+/g)?.map(Number) ?? [255, 255, 255];
  return text.startsWith("color(") ? numbers.slice(-3).map((part) => part * 255) : numbers.slice(0, 3);
}

/** @param {Channels} color */
function hexOf(color) {
  return `#${color.map((part) => Math.round(part).toString(16).padStart(2, "0")).join("")}`;
}

/** @param {Channels} color */
function luminance([red, green, blue]) {
  return (0.2126 * red + 0.7152 * green + 0.0722 * blue) / 255;
}
