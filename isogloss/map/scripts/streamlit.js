// The component as Streamlit calls it: once at first, and again whenever its data or the theme change.

import { Scrubber } from "./scrubber.js";
import { World, readSection } from "./world.js";

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
    else entry.scrubber.refreshTheme();
  } else {
    entry = { scrubber: new Scrubber(parentElement, new World(payload), view, send), digest: view.digest, series: view.series };
    mounted.set(parentElement, entry);
  }
  entry.revision = view.revision;
  return () => {
    mounted.get(parentElement)?.scrubber.destroy();
    mounted.delete(parentElement);
  };
}
