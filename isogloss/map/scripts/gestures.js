// Pointers on the map and on the slider. Listening on the window while a button is down keeps a
// drag alive outside the element it began on.

import { nearestPoint } from "./camera.js";
import { elementOf } from "./dom.js";

const CLICK_SLACK = 4;

/**
 * @param {PointerEvent} start
 * @param {{move: (event: PointerEvent) => void, end: (event: PointerEvent) => void}} actions
 */
function followDrag(start, { move, end }) {
  /** @param {PointerEvent} event */
  const matches = (event) => event.pointerId === start.pointerId;
  const controller = new AbortController();
  /** @param {PointerEvent} event */
  const finish = (event) => {
    if (!matches(event)) return;
    controller.abort();
    end(event);
  };
  const { signal } = controller;
  window.addEventListener("pointermove", (event) => matches(event) && move(event), { signal });
  window.addEventListener("pointerup", finish, { signal });
  window.addEventListener("pointercancel", finish, { signal });
}

/** @param {HTMLElement} track @param {SliderActions} actions */
export function watchSlider(track, { begin, move, end, hover, leave }) {
  track.addEventListener("pointermove", (event) => {
    if (event.buttons === 0) hover(event.clientX - track.getBoundingClientRect().left);
  });
  track.addEventListener("pointerleave", leave);
  track.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    const left = track.getBoundingClientRect().left;
    begin(event.clientX - left);
    followDrag(event, { move: (next) => move(next.clientX - left), end });
  });
}

/** @param {HTMLElement} stage @param {MapActions} actions */
export function watchMap(stage, actions) {
  /** @type {Map<number, Place>} */
  const touches = new Map();
  /** @param {MouseEvent} event @returns {Place} */
  const local = (event) => {
    const box = stage.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };

  stage.addEventListener("pointermove", (event) => {
    if (event.buttons === 0) actions.hover(...local(event));
  });
  stage.addEventListener("pointerleave", (event) => {
    if (event.pointerType !== "touch") actions.leave(); // a lifted finger also leaves, but its card should stay
  });
  stage.addEventListener("wheel", (event) => {
    event.preventDefault();
    const step = event.deltaMode === 1 ? event.deltaY * 16 : event.deltaY;
    actions.zoom(...local(event), Math.exp(-step * (event.ctrlKey ? 0.01 : 0.0018)));
  }, { passive: false });
  stage.addEventListener("dblclick", (event) => actions.doubleClick(...local(event)));

  stage.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || elementOf(event).closest("button")) return;
    touches.set(event.pointerId, local(event));
    if (touches.size === 1 && (event.shiftKey || actions.lassoing())) followLasso(event);
    else followPan(event);
  });

  /** @param {PointerEvent} event */
  function followLasso(event) {
    const polygon = [local(event)];
    followDrag(event, {
      move: (next) => {
        polygon.push(local(next));
        actions.lasso(polygon, false);
      },
      end: () => {
        touches.delete(event.pointerId);
        actions.lasso(polygon, true);
      },
    });
  }

  /** @param {PointerEvent} event */
  function followPan(event) {
    const origin = local(event);
    let travelled = 0;
    followDrag(event, {
      move: (next) => {
        const now = local(next);
        const before = touches.get(event.pointerId) ?? now;
        touches.set(event.pointerId, now);
        travelled = Math.max(travelled, Math.hypot(now[0] - origin[0], now[1] - origin[1]));
        if (touches.size === 1 && travelled > CLICK_SLACK) actions.pan(now[0] - before[0], now[1] - before[1]);
        if (touches.size === 2) pinch(event.pointerId, before, now);
      },
      end: (last) => {
        touches.delete(event.pointerId);
        if (last.type === "pointerup" && travelled <= CLICK_SLACK) actions.click(...local(last));
      },
    });
  }

  /** @param {number} moved @param {Place} before @param {Place} now */
  function pinch(moved, before, now) {
    const [still] = [...touches].filter(([id]) => id !== moved).map(([, place]) => place);
    /** @param {Place} place */
    const distance = (place) => Math.max(10, Math.hypot(place[0] - still[0], place[1] - still[1]));
    actions.zoom((still[0] + now[0]) / 2, (still[1] + now[1]) / 2, distance(now) / distance(before));
    actions.pan((now[0] - before[0]) / 2, (now[1] - before[1]) / 2);
  }
}

/** @param {Float32Array} screen @param {number} x @param {number} y @param {number} radius */
export function pointUnder(screen, x, y, radius) {
  return nearestPoint(screen, x, y, Math.max(9, radius + 5));
}
