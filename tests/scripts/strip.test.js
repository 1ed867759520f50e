// The strip's axis and its numbers.

import assert from "node:assert/strict";
import { test } from "node:test";
import { axisTop, numberText } from "../../isogloss/map/scripts/strip.js";

test("the axis holds whatever is drawn, its interval too, and not much more", () => {
  assert.equal(axisTop([{ values: [0.3, 0.71], upper: null }]), 0.8);
  assert.equal(axisTop([{ values: [0.3, 0.71], upper: [0.4, 0.83] }]), 1);
  assert.equal(axisTop([{ values: [0.01], upper: null }, { values: [0.35], upper: null }]), 0.4);
  assert.equal(axisTop([]), 0.1);
});

test("numbers are per cent, and what is there is never nothing", () => {
  assert.deepEqual([0, 0.003, 0.005, 0.354, 1].map(numberText), ["0\u00a0%", "0.3\u00a0%", "1\u00a0%", "35\u00a0%", "100\u00a0%"]);
});
