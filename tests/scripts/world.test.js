// What the browser reads is what Python wrote.

import assert from "node:assert/strict";
import { test } from "node:test";
import { legendRows } from "../../isogloss/map/scripts/colors.js";
import { World, readSection } from "../../isogloss/map/scripts/world.js";
import { golden, goldenBytes, packMap } from "./maps.js";

test("bytes that Python wrote read back as what Python meant", () => {
  const world = new World(goldenBytes());
  assert.equal(world.count, golden.texts.length);
  assert.equal(world.stopCount, golden.ranks.length);
  assert.deepEqual(world.texts, golden.texts);
  assert.deepEqual([...world.sides], golden.sides);
  assert.deepEqual([...world.links], golden.links);
  assert.deepEqual(world.sizes, [2, 3]);
  assert.deepEqual(world.sentences, [["a cat", "猫"], ["𝒟og \0 ? dog", "狗…"]]);
  assert.deepEqual([world.scores[0].chance, world.scores[0].lower], [0.25, null]);
  golden.ranks.forEach((ranks, stop) => ranks.forEach((rank, point) => assert.equal(world.rank(point, stop), rank)));
});

test("places are off by half a step of the box at most", () => {
  const world = new World(goldenBytes());
  golden.positions.forEach((points, stop) => points.forEach((place, point) => place.forEach((value, axis) => {
    const { left, right, bottom, top } = world.boxes[stop];
    const step = (axis ? top - bottom : right - left) / 65535;
    const read = world.positions[(stop * world.count + point) * 2 + axis];
    assert.ok(Math.abs(read - value) <= step / 2 + Math.abs(value) * 2 ** -23, `${read} for ${value}`);
  })));
});

test("a map reads the same from any place in a message", () => {
  const bytes = goldenBytes();
  for (const before of [1, 2, 3, 4]) {
    const message = new Uint8Array(before + bytes.length);
    message.set(bytes, before);
    const world = new World(message.subarray(before));
    assert.deepEqual(world.texts, golden.texts);
    assert.deepEqual([...world.ranks], golden.ranks.flat());
  }
});

test("a section ends at a multiple of four, and what follows is left", () => {
  for (let length = 0; length < 8; length++) {
    const json = JSON.stringify("x".repeat(length));
    const bytes = new Uint8Array(4 + Math.ceil(json.length / 4) * 4 + 3).fill(7);
    new DataView(bytes.buffer).setUint32(0, json.length, true);
    bytes.set(new TextEncoder().encode(json), 4);
    const [content, rest] = readSection(bytes);
    assert.equal(content, "x".repeat(length));
    assert.deepEqual([...rest], [7, 7, 7]);
  }
});

test("partners are those at the other end of a link, from both ends", () => {
  const world = new World(packMap([Array(5).fill([0, 0])], { links: [0, 1, 0, 3, 2, 3] }));
  assert.deepEqual([0, 1, 2, 3, 4].map((point) => [...world.partnersOf(point)]), [[1, 3], [0], [3], [0, 2], []]);
});

test("a stop's own links are taken on, once", () => {
  const world = new World(packMap([Array(3).fill([0, 0]), Array(3).fill([1, 1])], { links_at: [[0, 1], [2, 1]] }));
  assert.deepEqual([...world.partnersOf(1)], [0]);
  assert.equal(world.turnTo(1), true);
  assert.deepEqual([...world.partnersOf(1)], [2]);
  assert.equal(world.turnTo(1), false);
  assert.equal(world.turnTo(0), true);
  assert.deepEqual([...world.partnersOf(0)], [1]);
});

test("of very many links some are drawn, evenly, and it is said", () => {
  const count = 12_000;
  const links = Array.from({ length: count }, (_, i) => i);
  const world = new World(packMap([Array(count).fill([0, 0])], { links }));
  assert.equal(world.drawnLinks.length, 10_000);
  assert.equal(world.linksLeftOut, " · 5,000 of 6,000 links drawn");
  for (let i = 0; i < world.drawnLinks.length; i += 2) assert.equal(world.drawnLinks[i] + 1, world.drawnLinks[i + 1]);
  assert.equal(new Set(world.drawnLinks).size, 10_000);
});

test("of few links all are drawn, and nothing is said", () => {
  const world = new World(goldenBytes());
  assert.deepEqual([...world.drawnLinks], golden.links);
  assert.equal(world.linksLeftOut, "");
});

test("every point is drawn once, and seldom right after its neighbour in the text", () => {
  for (const count of [1, 31, 32, 33, 640]) {
    const { drawOrder } = new World(packMap([Array(count).fill([0, 0])]));
    assert.deepEqual([...drawOrder].sort((a, b) => a - b), Array.from({ length: count }, (_, i) => i));
    if (count < 640) continue;
    const neighbours = drawOrder.filter((point, i) => i > 0 && Math.abs(point - drawOrder[i - 1]) === 1);
    assert.ok(neighbours.length < count / 10, `${neighbours.length} follow their neighbour`);
  }
});

test("a word's span counts code points, as Python does", () => {
  const told = new World(goldenBytes());
  assert.deepEqual([0, 1, 4].map((point) => told.spanOf(point)), [[2, 5], [0, 3], null]);
  const sought = new World(packMap([Array(3).fill([0, 0])], {
    texts: ["dog", "absent", ""], sides: [0, 0, 0], sentences: [["𝒟𝒟 dog", ""]],
  }));
  assert.deepEqual([0, 1, 2].map((point) => sought.spanOf(point)), [[3, 6], null, null]);
});

test("a word knows its sentence and the translation, a map what its stops are called", () => {
  const world = new World(goldenBytes());
  assert.deepEqual(world.sentenceOf(0), { own: "a cat", others: [[1, "猫"]] });
  assert.deepEqual(world.sentenceOf(2), { own: "猫", others: [[0, "a cat"]] });
  const places = [[[0, 0], [1, 1]]];
  const nounOf = (title) => new World(packMap(places, { title })).stopNoun;
  assert.deepEqual([nounOf("Layer"), nounOf("Share of training")], ["layer", "stop"]);
  const ranked = (ranks) => new World(packMap(places, {}, [ranks])).ranked;
  assert.deepEqual([ranked([0, 0]), ranked([0, 3])], [false, true]);
});

test("a search finds words whatever their case and width", () => {
  const world = new World(packMap([Array(3).fill([0, 0])], { texts: ["ＣＡＴ", "concat", "dog"] }));
  assert.deepEqual(world.find(" Cat "), [0, 1]);
  assert.deepEqual(world.find("  "), []);
});

/** Three languages, two sentences; the last two points are the middles of their stars. */
const stars = () => {
  const languages = ["en", "de", "th"].map((code) => ({ code, name: code }));
  const sides = [0, 0, 1, 1, 2, 2, 0, 0];
  const rows = [0, 1, 0, 1, 0, 1, 0, 1];
  const links = [0, 6, 1, 7, 2, 6, 3, 7, 4, 6, 5, 7];
  const texts = ["a", "b", "c", "d", "e", "f", "", ""];
  const sentences = [["a", "c", "e"], ["b", "d", "f"]];
  return new World(packMap([Array(8).fill([0, 0])],
    { languages, sides, sentence_of: rows, links, texts, sentences, middles: 2, shapes: [3, 4, 3, 4, 3, 4, 0, 0], content: Array(8).fill(1) }));
};

test("a point of a star has the translations for partners, and the middle has no marker", () => {
  const world = stars();
  assert.deepEqual([...world.partnersOf(2)], [0, 4]);
  assert.equal(world.middleOf(2), 6);
  assert.deepEqual([...world.drawOrder].sort(), [0, 1, 2, 3, 4, 5]);
  assert.deepEqual([...world.shapes.slice(0, 6)], [3, 4, 3, 4, 3, 4]);
  assert.deepEqual(world.sentenceOf(3), { own: "d", others: [[0, "b"], [2, "f"]] });
});

test("a map without stars has no middles", () => {
  const world = new World(packMap([Array(4).fill([0, 0])], { links: [0, 1, 2, 3] }));
  assert.equal(world.middleOf(0), -1);
  assert.deepEqual([...world.partnersOf(0)], [1]);
  assert.deepEqual(world.shapes, world.sides);
});

test("of more languages than there are shapes, the first begin anew", () => {
  const sides = Array.from({ length: 10 }, (_, side) => side);
  const languages = sides.map((side) => ({ code: `l${side}`, name: `Language ${side}` }));
  const world = new World(packMap([Array(10).fill([0, 0])], { sides, languages }));
  assert.deepEqual([...world.shapes], [0, 1, 2, 3, 4, 5, 6, 7, 0, 1]);
  const theme = { sides: sides.map(() => "#000000") };
  assert.deepEqual(legendRows(world, "language", theme).map(([, shape]) => shape), [...world.shapes]);
});
