// Maps for the tests: the one that Python wrote (golden.py), and any other packed in the same way.

import { readFileSync } from "node:fs";

export const golden = JSON.parse(readFileSync(new URL("./golden.json", import.meta.url), "utf8"));

export const goldenBytes = () => new Uint8Array(Buffer.from(golden.blob, "base64"));

/** The bytes of a map of words: `places` are [x, y] for every stop, in shares of a box of side 1. */
export function packMap(places, header = {}, ranks = places.map((stop) => stop.map(() => 1))) {
  const count = places[0].length;
  const numbers = [...places.flat(2).map((share) => Math.round(share * 65535)), ...ranks.flat()];
  const json = new TextEncoder().encode(JSON.stringify({
    title: "Layer", stops: places.map((_, stop) => String(stop)), names: places.map((_, stop) => `Layer ${stop}`),
    boxes: places.map(() => ({ left: 0, right: 1, bottom: 0, top: 1 })),
    texts: Array.from({ length: count }, (_, i) => `word ${i}`), content: Array(count).fill(1),
    sides: Array.from({ length: count }, (_, i) => i % 2), sentence_of: Array(count).fill(0),
    sentences: [["", ""]], spans: null, shapes: null, middles: 0, links: [], links_at: null,
    languages: [{ code: "en", name: "English" }, { code: "zh", name: "Chinese" }], ...header,
  }));
  const padded = new Uint8Array(4 + Math.ceil(json.length / 4) * 4);
  new DataView(padded.buffer).setUint32(0, json.length, true);
  padded.set(json, 4);
  return new Uint8Array([...padded, ...new Uint8Array(Uint16Array.from(numbers).buffer)]);
}
