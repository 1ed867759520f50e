// What is drawn of a text: cut between letters, and in its own direction.

import assert from "node:assert/strict";
import { test } from "node:test";

import { asLine, readable } from "../../isogloss/map/scripts/dom.js";

test("a long text is cut between letters, and their signs stay with them", () => {
  assert.equal(readable("abcdef", 6), "abcdef");
  assert.equal(readable("abcdefg", 6), "abcde…");
  const thai = "ที่นี่มีน้ำ"; // six letters with their signs in eleven characters
  assert.equal(readable(thai, 11), thai);
  assert.equal(readable(thai.repeat(3), 4), "ที่นี่มี…");
  assert.equal(readable("क्षत्रिय", 3).endsWith("…"), false);
});

test("a control character is seen, and nothing is something", () => {
  assert.equal(readable("a\u0007"), "a\u2407");
  assert.equal(readable(""), "\u2205");
});

test("only what runs from right to left is set apart from its surroundings", () => {
  assert.equal(asLine("Good morning."), "Good morning.");
  assert.equal(asLine("早上好。"), "早上好。");
  assert.equal(asLine("صباح الخير."), "\u2068صباح الخير.\u2069");
  assert.equal(asLine("בוקר טוב"), "\u2068בוקר טוב\u2069");
});
