import assert from "node:assert/strict";
import { test } from "node:test";
import {
  directionOf,
  languages,
  stringsFor,
  voiceLanguages,
  voiceStringsFor,
} from "../src/strings/index.js";

/** @param {any} value @returns {any} the keys of all texts, and whether each has one */
function shape(value) {
  if (typeof value === "function") return value(1) !== value(2) || "same";
  if (typeof value === "string") return value.trim() !== "";
  return Object.entries(value).sort().map(([key, inner]) => [key, shape(inner)]);
}

test("every language has every text", () => {
  for (const all of [languages, voiceLanguages]) {
    const [english, ...others] = all.map(shape);
    assert.ok(others.length >= 1);
    assert.doesNotMatch(JSON.stringify(english), /false|"same"/);
    for (const other of others) assert.deepEqual(other, english);
  }
});

test("the nearest language is chosen", () => {
  const asked = ["de", "de-AT", "DE_ch", "en-GB", "fr", "", "ar-EG", "he", "x-nonsense"];
  const chosen = asked.map((locale) => `${stringsFor(locale).locale} ${directionOf(locale)}`);

  const [de, en, right] = ["de ltr", "en ltr", "en rtl"];
  assert.deepEqual(chosen, [de, de, de, en, en, en, right, right, en]);
  assert.deepEqual(["de-AT", "fr"].map((locale) => voiceStringsFor(locale).locale), ["de", "en"]);
});
