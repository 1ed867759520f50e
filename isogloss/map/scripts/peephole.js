/** What a test or the browser's console may look at, and never change.
 * @param {import("./scrubber.js").Scrubber} scrubber */
export function peephole({ motion, tour, display, stage, focus, world }) {
  return Object.freeze({
    get layer() { return motion.layer; },
    get step() { return tour.at; },
    get frames() { return display.frames; },
    get pointCount() { return world.marked; },
    get labelSize() { return stage.labels.size; },
    get lit() { return focus.lit; },
    get pins() { return [...focus.pins]; },
    get selection() { return [...focus.selection]; },
    get matches() { return [...focus.matches]; },
    get zoom() { return stage.camera.zoom; },
    get labels() { return [...stage.labels.shown].map(([point, { box, text, opacity }]) => ({ point, text, opacity, ...box })); },
    /** @param {number} point */
    positionOf: (point) => [stage.screen[2 * point], stage.screen[2 * point + 1]],
  });
}
