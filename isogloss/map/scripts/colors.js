// Colours that stay apart for colour-blind eyes, tuned separately for light and dark paper.

const LIGHT = {
  sides: ["#0072b2", "#d0540a"],
  categories: ["#0072b2", "#d0540a", "#00875f", "#b8508f", "#6f4fb0", "#9a7400", "#2f8fb5", "#6b6b6b"],
  aligned: ["#0b2f6b", "#14659b", "#2596a6", "#6cbf9a", "#b4d99a", "#e0e2b0"],
  none: "#b4b8bf",
};

const DARK = {
  sides: ["#58b4f2", "#ff9a4a"],
  categories: ["#58b4f2", "#ff9a4a", "#35d0a0", "#f09ac8", "#b59cf2", "#f0d050", "#8fd6ea", "#bdbdbd"],
  aligned: ["#fde74c", "#a5db4c", "#3fbc84", "#2a8a8c", "#3d5f92", "#4b3f7d"],
  none: "#565c66",
};

export const COLORINGS = [
  ["language", "Language"],
  ["sentence", "Sentence"],
  ["topic", "Topic"],
  ["alignment", "How well aligned"],
];

/** Ranks up to each bound share one step of the alignment scale; the last step takes the rest. */
const RANK_STEPS = [1, 3, 10, 30, 100];

export const RANK_NAMES = ["nearest", "2–3", "4–10", "11–30", "31–100", "further"];

/** The colours of the paper the component lies on, read from its computed style.
 * @param {Element} root @returns {Theme} */
export function readTheme(root) {
  const style = getComputedStyle(root);
  const paper = parseColor(style.backgroundColor);
  const dark = luminance(paper) < 0.4;
  return {
    ...(dark ? DARK : LIGHT),
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
  if (rank === 0) return RANK_NAMES.length;
  const step = RANK_STEPS.findIndex((bound) => rank <= bound);
  return step < 0 ? RANK_STEPS.length : step;
}

/** @param {string} color @param {string} name @returns {LegendRow} */
const legendRow = (color, name) => [color, null, name];

/** Rows of the legend for a colouring: [colour, shape or null for both, text].
 * @param {World} world @param {string} coloring @param {Theme} theme @returns {LegendRow[]} */
export function legendRows(world, coloring, theme) {
  /** @type {LegendRow[]} */
  const shapes = world.languages.map(({ name }, side) => [coloring === "language" ? theme.sides[side] : null, side, name]);
  if (coloring === "alignment") {
    const rows = RANK_NAMES.map((name, step) => legendRow(theme.aligned[step], name));
    if (world.ranks.includes(0)) rows.push(legendRow(theme.none, "not scored"));
    return [...shapes, ...rows];
  }
  if (coloring === "topic") {
    return [...shapes, ...world.topics.slice(0, 8).map((name, i) => legendRow(theme.categories[i], name))];
  }
  return shapes;
}

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
