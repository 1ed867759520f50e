// From layout to pixels and back, by the same rule as Python.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Camera, nearestPoint, pointsInside } from "../../isogloss/map/scripts/camera.js";
import { World } from "../../isogloss/map/scripts/world.js";
import { golden, goldenBytes, packMap } from "./maps.js";

const near = (one, other, tolerance = 1e-6) => assert.ok(Math.abs(one - other) <= tolerance, `${one} is not ${other}`);

const world = new World(goldenBytes());

function cameraOf(width, height) {
  const camera = new Camera(world.boxes);
  camera.resize(width, height);
  return camera;
}

function project(camera, layer) {
  const screen = new Float64Array(world.count * 2);
  camera.project(world, layer, screen);
  return screen;
}

/** Layout points back from pixels, by the frame of a camera that may be zoomed and moved. */
function layoutOf(camera, stop, screen) {
  const { scaleX, scaleY, middleX, middleY } = camera.frames[stop];
  const { width, height, zoom } = camera;
  const points = [];
  for (let i = 0; i < screen.length; i += 2) {
    const across = ((screen[i] - width / 2) / zoom + (camera.x - 0.5) * width) / scaleX + middleX;
    const up = ((height / 2 - screen[i + 1]) / zoom - (camera.y - 0.5) * height) / scaleY + middleY;
    points.push(...(camera.upright ? [-up, across] : [across, up]));
  }
  return points;
}

test("every stop is framed as Python frames it", () => {
  for (const { width, height, stops } of golden.framed) {
    const camera = cameraOf(width, height);
    stops.forEach(({ places, stretch }, stop) => {
      near(camera.stretchAt(stop), stretch);
      project(camera, stop).forEach((value, i) => near(value, places[i >> 1][i & 1], 0.02)); // 65,535 steps
    });
  }
});

test("from layout to pixels and back is the identity, however one looks at it", () => {
  for (const [width, height] of [[800, 500], [320, 640], [500, 500]]) {
    for (const [x, y, factor, dx, dy] of [[400, 250, 1, 0, 0], [10, 20, 7, 33, -5], [300, 90, 0.6, -80, 41]]) {
      const camera = cameraOf(width, height);
      camera.zoomAt(x, y, factor);
      camera.pan(dx, dy);
      for (let stop = 0; stop < world.stopCount; stop++) {
        const size = world.count * 2;
        const there = world.positions.subarray(stop * size, (stop + 1) * size);
        layoutOf(camera, stop, project(camera, stop)).forEach((value, i) => near(value, there[i], 1e-6 * (1 + Math.abs(value))));
      }
    }
  }
});

test("what is under the pointer stays there when one zooms, and nothing else does", () => {
  const camera = cameraOf(800, 500);
  for (const factor of [1.25, 3, 0.4]) {
    for (const point of [0, 3]) {
      const before = project(camera, 0);
      const [x, y] = [before[2 * point], before[2 * point + 1]];
      const zoom = camera.zoom;
      camera.zoomAt(x, y, factor);
      const after = project(camera, 0);
      near(after[2 * point], x);
      near(after[2 * point + 1], y);
      const grown = (after[2 * 1] - after[2 * 2]) / (before[2 * 1] - before[2 * 2]);
      near(grown, camera.zoom / zoom);
    }
  }
});

test("zoom has its ends, and there the view stays where it is", () => {
  const camera = cameraOf(800, 500);
  camera.zoomAt(100, 100, 1e9);
  assert.equal(camera.zoom, 60);
  const { x, y } = camera;
  camera.zoomAt(700, 20, 2);
  assert.deepEqual([camera.x, camera.y, camera.zoom], [x, y, 60]);
  camera.zoomAt(0, 0, 1e-9);
  assert.equal(camera.zoom, 0.5);
});

test("a drag moves everything by its own length, and fit undoes all", () => {
  const camera = cameraOf(800, 500);
  assert.ok(camera.fitted);
  const fitted = project(camera, 1);
  camera.zoomAt(200, 100, 4);
  const before = project(camera, 1);
  camera.pan(17, -9);
  project(camera, 1).forEach((value, i) => near(value, before[i] + (i & 1 ? -9 : 17)));
  assert.ok(!camera.fitted);
  camera.fit();
  assert.ok(camera.fitted);
  assert.deepEqual(project(camera, 1), fitted);
});

test("all points are on a stage that is fitted", () => {
  for (const [width, height] of [[800, 500], [320, 640], [1000, 90], [30, 30]]) {
    for (let stop = 0; stop < world.stopCount; stop++) {
      project(cameraOf(width, height), stop).forEach((value, i) => assert.ok(value > 0 && value < (i & 1 ? height : width)));
    }
  }
});

test("between two stops a point goes straight from one place to the next, and only forwards", () => {
  for (const [width, height] of [[800, 500], [320, 640]]) {
    const camera = cameraOf(width, height);
    const [from, to] = [project(camera, 0), project(camera, 1)];
    let share = 0;
    for (let step = 0; step <= 20; step++) {
      const now = project(camera, step / 20);
      const shares = Array.from(now, (value, i) => (value - from[i]) / (to[i] - from[i])).filter(Number.isFinite);
      for (const each of shares) near(each, shares[0]);
      assert.ok(shares[0] >= share);
      share = shares[0];
      if (step === 1) assert.ok(share < 1 / 20, "slow at first");
      if (step === 10) near(share, 0.5);
      if (step === 19) assert.ok(share > 19 / 20, "slow at last");
    }
    near(share, 1);
  }
});

test("a path has the places of all stops", () => {
  for (const [width, height] of [[800, 500], [320, 640]]) {
    const camera = cameraOf(width, height);
    camera.zoomAt(99, 77, 1.7);
    camera.pathOf(world, 3).forEach(([x, y], stop) => {
      const screen = project(camera, stop);
      near(x, screen[6]);
      near(y, screen[7]);
    });
  }
});

test("points that all lie in one place are in the middle of the stage", () => {
  const dot = new World(packMap([[[0, 0], [0, 0]]], { boxes: [{ left: 3, right: 3, bottom: 4, top: 4 }] }));
  const camera = new Camera(dot.boxes);
  camera.resize(200, 100);
  const screen = new Float64Array(4);
  camera.project(dot, 0, screen);
  assert.deepEqual([...screen], [100, 50, 100, 50]);
});

test("a projected point is found again where it lies", () => {
  const screen = project(cameraOf(800, 500), 0);
  for (let point = 0; point < world.count; point++) {
    assert.equal(nearestPoint(screen, screen[2 * point] + 2, screen[2 * point + 1] - 2, 9), point);
  }
  assert.equal(nearestPoint(screen, screen[0] - 20, screen[1], 9), -1);
  assert.equal(nearestPoint(screen, screen[0] - 9, screen[1], 9), -1, "the reach itself is out of reach");
});

test("a lasso holds what is inside, also of a shape with a dent", () => {
  const screen = [5, 5, 15, 5, 5, 15, 15, 15, 30, 5];
  assert.deepEqual(pointsInside(screen, [[0, 0], [20, 0], [20, 20], [0, 20]]), [0, 1, 2, 3]);
  assert.deepEqual(pointsInside(screen, [[0, 0], [20, 0], [20, 10], [10, 10], [10, 20], [0, 20]]), [0, 1, 2]);
  assert.deepEqual(pointsInside(screen, [[0, 0], [40, 0], [0, 18]]), [0, 1, 2]);
  assert.deepEqual(pointsInside(screen, []), []);
});
