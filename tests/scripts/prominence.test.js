// Which words are written first, and how many.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Labels } from "../../isogloss/map/scripts/labels.js";
import { Prominence } from "../../isogloss/map/scripts/prominence.js";
import { World } from "../../isogloss/map/scripts/world.js";
import { packMap } from "./maps.js";

/** Words in pairs: 0 with 1, 2 with 3, … */
const pairs = (count) => Array.from({ length: count - (count % 2) }, (_, i) => i);
const orderOf = (places, header, ranks) =>
  [...new Prominence(new World(packMap(places, header, ranks))).orderAt(places.length - 1)];

test("at every stop each word has one place, beside its translation", () => {
  const places = [0, 1].map((stop) => Array.from({ length: 31 }, (_, i) => [((i * (7 + stop)) % 31) / 31, ((i * 11) % 31) / 31]));
  const prominence = new Prominence(new World(packMap(places, { links: pairs(31) })));
  for (const stop of [0, 1]) {
    const order = [...prominence.orderAt(stop)];
    assert.deepEqual([...order].sort((a, b) => a - b), Array.from({ length: 31 }, (_, i) => i));
    for (let i = 0; i < 30; i += 2) assert.equal(order[i] >> 1, order[i + 1] >> 1);
    assert.equal(order[30], 30, "a word without a translation comes last");
    assert.equal(prominence.orderAt(stop), prominence.orderAt(stop), "found once");
  }
  assert.notDeepEqual([...prominence.orderAt(0)], [...prominence.orderAt(1)]);
});

test("pairs that lie close come before those that lie apart", () => {
  const places = [[[0, 0], [1, 1], [0.5, 0.5], [0.5, 0.6], [0.2, 0.9], [0.6, 0.9]]];
  assert.deepEqual(orderOf(places, { links: pairs(6) }), [2, 3, 4, 5, 0, 1]);
});

test("of pairs that lie equally, that with the better ranks comes first", () => {
  const places = [Array(6).fill([0.5, 0.5])];
  assert.deepEqual(orderOf(places, { links: pairs(6) }, [[9, 1, 1, 2, 1, 1]]), [4, 5, 2, 3, 0, 1]);
});

test("ranks and distances are weighed by the formula, whatever the size of the layout and where it lies", () => {
  const places = [0, 1].map((stop) => Array.from({ length: 40 }, (_, i) => [((i * (7 + stop)) % 41) / 41, ((i * i + stop) % 37) / 37]));
  const ranks = [0, 1].map((stop) => Array.from({ length: 40 }, (_, i) => 1 + ((i * i * (3 + stop)) % 50)));
  const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
  for (const [left, size] of [[0, 1], [-3, 1], [0, 0.01], [7, 100]]) {
    const boxes = places.map(() => ({ left, right: left + size, bottom: -left, top: size - left }));
    places.forEach((points, stop) => {
      const center = [0, 1].map((axis) => mean(points.map((place) => place[axis])));
      const spread = Math.sqrt(mean(points.map(([x, y]) => (x - center[0]) ** 2 + (y - center[1]) ** 2)));
      const costs = Array.from({ length: 20 }, (_, pair) => {
        const [[x0, y0], [x1, y1]] = [points[2 * pair], points[2 * pair + 1]];
        return (8 * Math.hypot(x0 - x1, y0 - y1)) / spread + Math.log2(ranks[stop][2 * pair]) + Math.log2(ranks[stop][2 * pair + 1]);
      });
      const expected = [...costs.keys()].sort((a, b) => costs[a] - costs[b]).flatMap((pair) => [2 * pair, 2 * pair + 1]);
      const world = new World(packMap(places, { boxes, links: pairs(40) }, ranks));
      assert.deepEqual([...new Prominence(world).orderAt(stop)], expected);
    });
  }
});

test("function words come after content words, punctuation after all", () => {
  const places = [Array(6).fill([0.5, 0.5])];
  const header = { texts: ["…", "。", "the", "的", "cat", "猫"], content: [0, 0, 0, 0, 1, 1] };
  assert.deepEqual(orderOf(places, { ...header, links: pairs(6) }), [4, 5, 2, 3, 0, 1]);
  assert.deepEqual(orderOf(places, header), [4, 5, 2, 3, 0, 1], "also without any links");
  const half = { texts: ["the", "狗", "cat", "猫", "…", "鸟"], content: [0, 1, 1, 1, 0, 1], links: pairs(6) };
  assert.deepEqual(orderOf(places, half), [2, 3, 0, 1, 4, 5], "a pair is as dull as the duller of its words");
});

test("equals stay in the order of the text", () => {
  const places = [Array(40).fill([0.5, 0.5])];
  assert.deepEqual(orderOf(places, { links: pairs(40) }), Array.from({ length: 40 }, (_, i) => i));
});

const context = { measureText: (text) => ({ width: 6 * text.length }) };

function place(labels, world, { width, height, ...changes }) {
  const screen = Float32Array.from({ length: 2 * world.count }, (_, i) => world.positions[i] * (i & 1 ? height : width));
  labels.place(context, {
    screen, width, height, stop: 0, radius: 3, forced: [], moving: false, elapsed: 1000, wanted: true, allowed: null, ...changes,
  });
  return [...labels.shown].filter(([, { leaving }]) => !leaving);
}

function crowd() {
  const places = [Array.from({ length: 900 }, (_, i) => [((i % 30) + 0.5) / 30, (Math.floor(i / 30) + 0.5) / 30])];
  const world = new World(packMap(places, { links: pairs(900) }));
  const labels = new Labels(world);
  labels.setFont(10);
  return { world, labels };
}

test("words are written up to the budget of the stage, apart from each other and inside it", () => {
  const { world, labels } = crowd();
  for (const [width, height] of [[1000, 800], [500, 400]]) {
    const shown = place(labels, world, { width, height });
    assert.equal(shown.length, (width * height) / (10 * 10 * 100));
    shown.forEach(([, { box }], i) => {
      assert.ok(box.left >= 0 && box.top >= 0 && box.right <= width && box.bottom <= height);
      for (const [, { box: other }] of shown.slice(0, i)) {
        assert.ok(box.right <= other.left || other.right <= box.left || box.bottom <= other.top || other.bottom <= box.top);
      }
    });
    labels.shown.clear();
  }
});

test("words that must be written are, beyond any budget; while moving none is added", () => {
  const { world, labels } = crowd();
  const forced = Array.from({ length: 50 }, (_, i) => 18 * i);
  const stage = { width: 300, height: 200 };
  assert.deepEqual(place(labels, world, { ...stage, forced, moving: true }).map(([point]) => point), forced);
  assert.deepEqual(place(labels, world, { ...stage, wanted: false }), []);
});

test("only words that are allowed are written", () => {
  const { world, labels } = crowd();
  const allowed = Uint8Array.from({ length: 900 }, (_, i) => Number(i < 60));
  const shown = place(labels, world, { width: 1000, height: 800, allowed });
  assert.ok(shown.length > 0);
  assert.ok(shown.every(([point]) => point < 60));
});
