// The line of a tour on pages that have no map: the sentence, back and on.

import { endJourney, travel } from "./journey.js";
import { Tour } from "./tour.js";

const TYPING = "input, textarea, select, button, a, summary, [contenteditable], [role=slider], [role=radio], [role=option]";

/** @type {WeakMap<HTMLElement, AbortController>} */
const shownIn = new WeakMap();

/** @param {{data: {steps: TourStep[], at: number}, parentElement: HTMLElement}} component */
export default function mount({ data, parentElement }) {
  shownIn.get(parentElement)?.abort();
  const lifetime = new AbortController();
  shownIn.set(parentElement, lifetime);
  const tour = new Tour({ go: (step) => travel({ ...step, where: step.where || "?" }, tour.at ?? 0, false), leave: endJourney });
  tour.load(data.steps, data.at < 0 ? null : data.at);
  tour.node.classList.add("bar");
  parentElement.append(tour.node); // its style sheet stands there, too
  lifetime.signal.addEventListener("abort", () => tour.node.remove());
  window.addEventListener("keydown", (event) => {
    const by = { PageDown: 1, PageUp: -1, " ": event.shiftKey ? -1 : 1 }[event.key];
    const from = /** @type {Element} */ (event.composedPath()[0]);
    if (by === undefined || tour.at === null || from.closest?.(TYPING)) return;
    event.preventDefault();
    tour.move(by);
  }, { signal: lifetime.signal });
  return () => lifetime.abort();
}
