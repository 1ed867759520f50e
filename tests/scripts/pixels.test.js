// Colours as numbers, and what is drawn with them on screens of any pixel ratio.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Cloud, shadeOf } from "../../isogloss/map/scripts/cloud.js";
import { WHOLE, layOver, packColor, shareOf } from "../../isogloss/map/scripts/pixels.js";
import { World } from "../../isogloss/map/scripts/world.js";
import { packMap } from "./maps.js";

const COLORS = [[0, 0, 0], [255, 255, 255], [0, 114, 178], [208, 84, 10], [1, 254, 127]];

/** Red, green, blue and alpha of a packed pixel, as a canvas has them. */
const unpack = (pixel) => [...new Uint8Array(Int32Array.of(pixel).buffer)];

test("a packed colour has its channels where a canvas looks for them, and is opaque", () => {
  for (const color of COLORS) assert.deepEqual(unpack(packColor(color)), [...color, 255]);
});

test("a colour that covers all replaces what is there, one that covers nothing leaves it", () => {
  for (const [over, under] of COLORS.flatMap((a) => COLORS.map((b) => [packColor(a), packColor(b)]))) {
    assert.equal(layOver(shareOf(over, WHOLE), under, 0), over);
    assert.equal(layOver(shareOf(over, 0), under, WHOLE), under);
  }
});

test("any share mixes each channel on its own, rounding down, and stays opaque", () => {
  for (const over of COLORS) {
    for (const under of COLORS) {
      for (let share = 0; share <= WHOLE; share++) {
        const mixed = unpack(layOver(shareOf(packColor(over), share), packColor(under), WHOLE - share));
        const expected = over.map((part, i) => Math.floor((part * share) / WHOLE) + Math.floor((under[i] * (WHOLE - share)) / WHOLE));
        assert.deepEqual(mixed, [...expected, 255]);
      }
    }
  }
});

globalThis.ImageData = class {
  constructor(width, height) {
    Object.assign(this, { width, height, data: new Uint8ClampedArray(4 * width * height) });
  }
};

/** Draws one marker of a radius in the middle of a stage of 40 × 30: where in the picture it has colour. */
function drawn(ratio, { shade = 1, side = 0, radius = 5, at = [0.5, 0.5] } = {}) {
  const canvas = { getContext: () => ({ canvas, putImageData: (_, x, y) => { canvas.put = [x, y]; } }) };
  const cloud = new Cloud(canvas);
  cloud.resize(40, 30, ratio);
  const world = new World(packMap([[at]], { sides: [side], texts: ["a"], content: [1] }));
  cloud.draw({
    world, screen: [40 * at[0], 30 * at[1]], slots: [0], palette: ["#d0540a"], radius, shade, bright: null, showLinks: false,
    theme: { paper: "#ffffff", ink: "#000000" }, width: 40, height: 30,
  });
  const { pixels, width, margin } = cloud.frame;
  const colored = [];
  pixels.forEach((pixel, i) => {
    assert.equal(unpack(pixel)[3], 255);
    if (pixel !== packColor([255, 255, 255])) colored.push([(i % width) - margin + 0.5, Math.floor(i / width) - margin + 0.5]);
  });
  assert.deepEqual(canvas.put, [-margin, -margin]);
  return { canvas, colored };
}

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

test("a canvas has as many pixels as the screen, never none", () => {
  for (const ratio of [1, 1.25, 1.5, 2]) {
    const { canvas } = drawn(ratio);
    assert.deepEqual([canvas.width, canvas.height], [Math.round(40 * ratio), Math.round(30 * ratio)]);
  }
  const canvas = { getContext: () => ({ canvas }) };
  new Cloud(canvas).resize(0, 0, 1);
  assert.deepEqual([canvas.width, canvas.height], [1, 1]);
});

test("a marker lies in the same place and is as large on screens of any ratio", () => {
  for (const look of [{}, { side: 1 }, { shade: 0.3 }]) {
    for (const ratio of [1, 1.25, 1.5, 2]) {
      const { colored } = drawn(ratio, look);
      const [xs, ys] = [0, 1].map((axis) => colored.map((place) => place[axis] / ratio));
      assert.ok(Math.abs(mean(xs) - 20) <= 0.51 / ratio, `${mean(xs)} across`);
      assert.ok(Math.abs(mean(ys) - 15) <= 0.51 / ratio, `${mean(ys)} down`);
      const size = Math.max(...xs) - Math.min(...xs) + 1 / ratio;
      const expected = look.shade ? 8 : look.side ? 15 : 12; // crowd, diamond with its ring, circle with its ring
      assert.ok(Math.abs(size - expected) <= 2 / ratio, `${size} wide at ${ratio}`);
    }
  }
});

test("a marker at the edge is cut off and one far outside is not drawn", () => {
  for (const shade of [1, 0.3]) {
    const whole = drawn(2, { shade }).colored.length;
    const seen = drawn(2, { shade, at: [0, 0] }).colored.filter(([x, y]) => x > 0 && y > 0).length;
    assert.ok(seen > whole / 5 && seen < whole / 3, `${seen} of ${whole} pixels of a marker in the corner`);
    for (const at of [[-1, 0.5], [2, 0.5], [0.5, -1], [0.5, 2]]) assert.deepEqual(drawn(2, { shade, at }).colored, []);
  }
});

test("markers are as opaque as there is room, in steps, and never fainter than the faintest", () => {
  const stage = { width: 800, height: 500, zoom: 1 };
  assert.equal(shadeOf(10, 5, stage), 1);
  assert.equal(shadeOf(1e6, 5, stage), 0.3);
  let before = 1;
  for (let count = 100; count < 100_000; count *= 2) {
    const shade = shadeOf(count, 5, stage);
    assert.ok(shade <= before && Math.abs(shade * 20 - Math.round(shade * 20)) < 1e-9);
    assert.ok(shadeOf(count, 5, { ...stage, zoom: 3 }) >= shade, "nearer, there is more room");
    before = shade;
  }
});
