// How the layer changes over time: it never turns back, and it ends exactly at stops.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { Motion } from "../../isogloss/map/scripts/motion.js";

let reduced = false;
globalThis.matchMedia = () => ({ matches: reduced });
beforeEach(() => {
  reduced = false;
});

/** Every layer on the way until the motion rests, by frames of so many milliseconds. */
function layersOf(motion, frame) {
  const layers = [motion.layer];
  const ends = [];
  for (let frames = 0; motion.moving; frames++) {
    assert.ok(frames < 100_000, "it must come to rest");
    ends.push(motion.advance(frame));
    layers.push(motion.layer);
  }
  return { layers, ends };
}

const neverFalls = (values) => values.every((value, i) => i === 0 || value >= values[i - 1]);

test("a glide goes one way only and ends exactly at its stop, whatever the frames", () => {
  for (const frame of [0.1, 7, 16.7, 50, 1e6]) {
    for (const [from, to] of [[0, 1], [0.37, 5], [12, 3], [4, 4], [2.5, 12]]) {
      for (const watched of [false, true]) {
        const motion = new Motion(12, from);
        motion.glideTo(to, watched);
        assert.equal(motion.target, to);
        const { layers, ends } = layersOf(motion, frame);
        assert.equal(layers.at(-1), to);
        assert.ok(neverFalls(from < to ? layers : layers.reverse()));
        assert.ok(!ends.includes(true), "a glide is not the end of playing");
      }
    }
  }
});

test("a way that is watched takes longer the longer it is, up to a limit", () => {
  const time = (to, watched, from = 0) => {
    const motion = new Motion(100, from);
    motion.glideTo(to, watched);
    return layersOf(motion, 1).layers.length;
  };
  assert.equal(time(1, false), time(100, false));
  assert.ok(time(1, true) < time(4, true));
  assert.equal(time(50, true), time(100, true));
  for (const from of [3, 9, 60]) assert.equal(time(from - 2, true, from), time(2, true), "wherever it begins");
});

test("playing goes through all layers, ends exactly at the last and says so once", () => {
  for (const frame of [7, 16.7, 50]) {
    const motion = new Motion(3, 1.4);
    motion.play();
    const { layers, ends } = layersOf(motion, frame);
    assert.equal(layers[0], 1.4);
    assert.ok(neverFalls(layers));
    assert.equal(layers.at(-1), 3);
    assert.equal(motion.target, 3);
    assert.deepEqual(ends.filter(Boolean), [true]);
    assert.equal(ends.at(-1), true);
  }
});

test("played from the last layer it begins anew; with one layer there is nothing to play", () => {
  const motion = new Motion(3, 3);
  motion.play();
  motion.advance(1);
  assert.ok(motion.layer < 0.01);
  for (const last of [0, 1]) {
    const short = new Motion(last, 0);
    short.play();
    assert.equal(short.moving, last > 0);
  }
});

test("where less motion is wanted, a glide jumps and playing shows only whole layers", () => {
  reduced = true;
  const motion = new Motion(4, 0);
  motion.glideTo(3);
  assert.deepEqual([motion.layer, motion.moving], [3, false]);
  motion.jump(0);
  motion.play();
  motion.advance(1);
  assert.equal(motion.layer, 0, "not before it has been reached");
  assert.ok(layersOf(motion, 100).layers.every(Number.isInteger));
  assert.equal(motion.layer, 4);
});

test("no layer lies outside, and a jump ends whatever was moving", () => {
  const motion = new Motion(4, 9);
  assert.equal(motion.layer, 4);
  motion.glideTo(-Infinity);
  assert.equal(motion.target, 0);
  motion.advance(0);
  assert.equal(motion.layer, 4, "no time has passed");
  motion.jump(-1);
  assert.equal(motion.layer, 0);
  motion.jump(2.5);
  assert.deepEqual([motion.layer, motion.target, motion.moving], [2.5, 2.5, false]);
  motion.play();
  motion.glideTo(99);
  assert.deepEqual([motion.playing, motion.target], [false, 4]);
});

test("a stop that is added while playing is played, too", () => {
  const motion = new Motion(2, 0);
  motion.play();
  motion.advance(50);
  motion.last = 3;
  const { layers, ends } = layersOf(motion, 16);
  assert.equal(layers.at(-1), 3);
  assert.ok(neverFalls(layers));
  assert.deepEqual(ends.filter(Boolean).length, 1);
});

test("who arrives sees the first stop for a moment, goes to the layer, and is there to be reported", () => {
  const motion = new Motion(12, 3);
  motion.arriveAt(8);
  assert.equal(motion.target, 8);
  motion.advance(50);
  assert.equal(motion.layer, 0, "nothing moves at once");
  const { layers, ends } = layersOf(motion, 16.7);
  assert.ok(neverFalls(layers));
  assert.deepEqual([layers.at(-1), ends.includes(true)], [8, false]);
  reduced = true;
  motion.arriveAt(8);
  assert.deepEqual([motion.layer, motion.moving], [8, false]);
});
