// The shapes of markers: deep in the middle, nothing outside, and about as large as each other.

import assert from "node:assert/strict";
import { test } from "node:test";

import { SHAPES } from "../../isogloss/map/scripts/colors.js";
import { depthIn } from "../../isogloss/map/scripts/shapes.js";

const STEPS = 400;
const REACH = 2;

/** The area of a shape of radius 1, counted on a grid. */
function areaOf(shape) {
  let inside = 0;
  for (let i = 0; i < STEPS; i++) {
    for (let j = 0; j < STEPS; j++) {
      const [x, y] = [i, j].map((step) => (step / STEPS - 0.5) * 2 * REACH);
      inside += Number(depthIn(shape, x, y, 1) > 0);
    }
  }
  return inside * ((2 * REACH) / STEPS) ** 2;
}

test("every shape has its middle inside, and an area like the circle's", () => {
  SHAPES.forEach((_, shape) => {
    assert.ok(depthIn(shape, 0, 0, 5) > 0, `shape ${shape}`);
    assert.ok(depthIn(shape, 9, 9, 5) < 0, `shape ${shape}`);
    assert.ok(Math.abs(areaOf(shape) / Math.PI - 1) < 0.25, `shape ${shape}: ${areaOf(shape)}`);
  });
});

test("a circle and a diamond are as deep as their formulas say", () => {
  assert.equal(depthIn(0, 3, 4, 6), 1);
  assert.ok(Math.abs(depthIn(1, 2, 1, 4) - (4 * 1.3 - 3) / Math.SQRT2) < 1e-9);
});
