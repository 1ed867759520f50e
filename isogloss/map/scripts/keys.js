// The keyboard. Inside the component every key works; on the rest of the page only T does, and on a
// tour what a presenter's remote control sends: a step may have opened the page anew.

const TOUR_KEYS = ["PageDown", "PageUp", " "];
const EDITABLE = "input, textarea, select, [contenteditable]";

/** The element a key event really came from, also across shadow roots.
 * @param {KeyboardEvent} event @returns {Element} */
const origin = (event) => /** @type {Element} */ (event.composedPath()[0]);

/**
 * @param {HTMLElement} root
 * @param {HTMLInputElement} search
 * @param {KeyActions} actions
 * @param {AbortSignal} signal
 */
export function watchKeys(root, search, actions, signal) {
  search.addEventListener("keydown", (event) => {
    event.stopPropagation(); // the page must not take typed letters for its own shortcuts
    if (event.key === "Enter") actions.pinMatch();
    if (event.key === "ArrowDown") actions.nextMatch(1);
    if (event.key === "ArrowUp") actions.nextMatch(-1);
    if (event.key === "Escape") actions.clearSearch();
  });
  root.addEventListener("keydown", (event) => {
    if (handle(event)) {
      event.preventDefault();
      event.stopPropagation();
    }
  }, { signal });
  window.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || origin(event).closest?.(EDITABLE)) return;
    if (event.composedPath().includes(root)) return;
    const forAll = event.key.toLowerCase() === "t" || (actions.touring() && TOUR_KEYS.includes(event.key) && !origin(event).closest?.("button, a, summary"));
    const heard = actions.talking() ? actions.leads() && handle(event) : isPlain(event) && forAll;
    if (!heard) return;
    if (!actions.talking()) handle(event);
    event.preventDefault();
    event.stopImmediatePropagation();
  }, { signal, capture: true });

  /** @param {KeyboardEvent} event */
  function handle(event) {
    if (!isPlain(event) || origin(event).closest?.("input, select")) return false;
    const onButton = origin(event).closest?.("button");
    if (onButton && (event.key === " " || event.key === "Enter")) return false;
    const action = {
      ArrowRight: () => actions.step(1),
      ArrowUp: () => actions.step(1),
      ArrowLeft: () => actions.step(-1),
      ArrowDown: () => actions.step(-1),
      Home: () => actions.step(-Infinity),
      End: () => actions.step(Infinity),
      " ": () => actions.space(event.shiftKey ? -1 : 1),
      PageDown: () => actions.tour(1), // what a presenter's remote control sends
      PageUp: () => actions.tour(-1),
      p: actions.togglePlay,
      Escape: actions.escape,
      "/": actions.focusSearch,
      "+": () => actions.zoom(1.25),
      "=": () => actions.zoom(1.25),
      "-": () => actions.zoom(0.8),
      f: actions.fit,
      l: actions.toggleLinks,
      w: actions.toggleLabels,
      a: actions.toggleSheet,
      t: actions.toggleTalk,
    }[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    action?.();
    return Boolean(action);
  }
}

/** @param {KeyboardEvent} event */
const isPlain = (event) => !(event.ctrlKey || event.metaKey || event.altKey);
