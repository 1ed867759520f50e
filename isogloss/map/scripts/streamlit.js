// The component as Streamlit calls it: once at first, and again whenever its data or the theme change.

import { distanceFromTop } from "./dom.js";
import { Scrubber } from "./scrubber.js";
import { World, readSection } from "./world.js";

/** Lets the Tab key begin at a map that the page opens with, for whoever has not begun elsewhere:
 * before it come a dozen links of the sidebar. Nothing keeps the focus.
 * @param {HTMLElement} root */
function beginHere(root) {
  if (document.activeElement !== document.body || distanceFromTop(root) > window.innerHeight / 2) return;
  root.tabIndex = -1;
  root.focus({ preventScroll: true });
  root.blur();
  root.removeAttribute("tabindex");
}

/** @type {WeakMap<HTMLElement, {scrubber: Scrubber, digest?: string, series?: string, revision?: number}>} */
const mounted = new WeakMap();

/**
 * @param {{data: Uint8Array, parentElement: HTMLElement, setStateValue: (name: string, value: unknown) => void}} component
 */
export default function mount({ data, parentElement, setStateValue }) {
  /** @type {[MapView, Uint8Array]} */
  const [view, payload] = readSection(data);
  // The second of two panes does what the first does, which is all that the page needs to know.
  /** @param {MapState} state */
  const send = (state) => {
    if (view.pane !== "second") setStateValue("view", { ...state, revision: view.revision });
  };
  let entry = mounted.get(parentElement);
  if (entry && entry.digest !== view.digest && view.series && entry.series === view.series) {
    entry.scrubber.send = send;
    entry.scrubber.grow(payload);
    entry.digest = view.digest;
  }
  if (entry && entry.digest !== view.digest) {
    entry.scrubber.destroy();
    entry = undefined;
  }
  if (entry) {
    entry.scrubber.send = send;
    if (entry.revision !== view.revision) entry.scrubber.apply(view);
    else entry.scrubber.display.refreshTheme();
  } else {
    entry = { scrubber: new Scrubber(parentElement, new World(payload), view, send), digest: view.digest, series: view.series };
    mounted.set(parentElement, entry);
    beginHere(entry.scrubber.root);
  }
  entry.revision = view.revision;
  return () => {
    mounted.get(parentElement)?.scrubber.destroy();
    mounted.delete(parentElement);
  };
}
