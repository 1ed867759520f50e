// Steps of a tour that show another page, another study or other settings: they are opened by their
// address, as a link would be.

// As in tour.py: what does not change which page is shown, and what on it.
const NOT_THE_PLACE = ["layer", "pins", "color", "lines", "words", "curves", "talk", "tour", "step"];
const FILE = "?"; // a step of the very map that a file holds

/** @param {string} page @param {URLSearchParams} query */
function showsWhat(page, query) {
  const kept = [...query].filter(([name]) => !NOT_THE_PLACE.includes(name)).map((pair) => pair.join("="));
  return `${page}?${kept.sort().join("&")}`;
}

const pageNow = () => location.pathname.split("/").pop() ?? "";

/** Whether a step shows something else than what is open.
 * @param {TourStep} step */
export function isElsewhere({ where }) {
  if (!where || where === FILE) return false;
  const [page, query] = where.split("?");
  return showsWhat(page, new URLSearchParams(query)) !== showsWhat(pageNow(), new URLSearchParams(location.search));
}

/** Opens a step by its address; the tour and talk mode go along.
 * @param {TourStep} step @param {number} at @param {boolean} talk */
export function travel({ where, layer, pins, color_by, links, labels, curves }, at, talk) {
  const [page, place] = where.split("?");
  const query = new URLSearchParams(place);
  query.set("layer", String(layer));
  if (!page) {
    query.set("pins", pins.join("."));
    if (color_by !== "language") query.set("color", color_by);
    if (!links) query.set("lines", "0");
    if (!labels) query.set("words", "0");
    if (curves.length) query.set("curves", curves.join("."));
    if (talk) query.set("talk", "1");
  }
  query.set("tour", new URLSearchParams(location.search).get("tour") ?? "");
  query.set("step", String(at + 1));
  location.assign(`${location.pathname.replace(/[^/]*$/, "")}${page}?${query}`);
}

/** Opens the same view without the tour. */
export function endJourney() {
  const query = new URLSearchParams(location.search);
  for (const name of ["tour", "step"]) query.delete(name);
  location.assign(`${location.pathname}?${query}`);
}
