// The shapes of markers: a circle, and convex polygons that look about as large.

import { SHAPES } from "./colors.js";

/** How far inside a shape of a radius a place lies, in pixels; less than 0 outside.
 * @param {number} shape @param {number} dx @param {number} dy @param {number} radius */
export function depthIn(shape, dx, dy, radius) {
  const corners = SHAPES[shape];
  if (!corners.length) return radius - Math.hypot(dx, dy);
  let depth = Infinity;
  corners.forEach(([x, y], i) => {
    const [toX, toY] = corners[(i + 1) % corners.length];
    const [alongX, alongY] = [toX - x, toY - y];
    const across = alongX * (dy - y * radius) - alongY * (dx - x * radius); // corners go round clockwise
    depth = Math.min(depth, across / Math.hypot(alongX, alongY));
  });
  return depth;
}

/** Makes a line from place to place the path that is drawn next.
 * @param {Surface} context @param {Place[]} places */
export function tracePath(context, places) {
  context.beginPath();
  places.forEach(([x, y], i) => (i ? context.lineTo(x, y) : context.moveTo(x, y)));
}

/** Makes a shape around (x, y) the path that is drawn next.
 * @param {Surface} context @param {number} shape @param {number} x @param {number} y @param {number} radius */
export function traceShape(context, shape, x, y, radius) {
  tracePath(context, SHAPES[shape].map(([across, down]) => [x + across * radius, y + down * radius]));
  if (!SHAPES[shape].length) context.arc(x, y, radius, 0, 2 * Math.PI);
  context.closePath();
}

/** A shape as CSS cuts it out of a box, for legends; a circle and a diamond have their own rules.
 * @param {number} shape */
export function clipOf(shape) {
  const share = (/** @type {number} */ part) => `${Math.round(50 + 38 * part)}%`;
  return `polygon(${SHAPES[shape].map(([across, down]) => `${share(across)} ${share(down)}`).join(", ")})`;
}
