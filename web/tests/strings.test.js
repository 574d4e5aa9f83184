import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { en } from "../src/strings/en.js";
import { TRANSLATED, directionOf, loadStrings, stringsFor, withTexts } from "../src/strings/index.js";
import { voiceEn } from "../src/strings/voice-en.js";
import { voiceStringsOf } from "../src/strings/voice.js";
import { paths, said, shape } from "./texts.js";

globalThis.STRINGS_HASH = "test";
const folder = new URL("../src/strings/", import.meta.url);
const files = readdirSync(folder).filter((file) => file.endsWith(".json"));
/** @param {string} language */
const textsOf = (language) => JSON.parse(readFileSync(new URL(`${language}.json`, folder), "utf8"));

test("every language has every text", () => {
  assert.deepEqual(files.sort(), TRANSLATED.map((language) => `${language}.json`));
  for (const language of TRANSLATED) {
    const { voice, ...chat } = textsOf(language);
    for (const [model, texts] of [
      [en, chat],
      [voiceEn, voice],
    ]) {
      assert.deepEqual(shape(withTexts(model, texts, language)), shape(model), language);
      const own = paths(texts).map((path) => path.replace(/(?<![pP]roblems)\.(none|zero|one|two|few|many|other)$/, ""));
      assert.deepEqual([...new Set(own)].sort(), paths(model).sort(), language);
    }
  }
});

test("no place for a value is left open, and no text is English", () => {
  const english = new Set([...said(en), ...said(voiceEn)].filter((text) => text.includes(" ")));
  for (const language of TRANSLATED) {
    const { voice, ...chat } = textsOf(language);
    const all = [...said(withTexts(en, chat, language)), ...said(voiceStringsOf(voice))];
    assert.deepEqual(all.filter((text) => /[{}]|undefined|\[object/.test(text)), [], language);
    assert.deepEqual(
      all.filter((text) => english.has(text) && !/^[\d\s%]*( %)$|^ %$/.test(text)).filter((text) => !/^\w* ?%$/.test(text)),
      [],
      language,
    );
  }
});

test("a number chooses the plural form of its language", () => {
  const unread = (language, ...numbers) => numbers.map(withTexts(en, textsOf(language), language).unread);

  assert.deepEqual(unread("pl", 1, 2, 5, 22), [
    "1 nowa wiadomość",
    "2 nowe wiadomości",
    "5 nowych wiadomości",
    "22 nowe wiadomości",
  ]);
  assert.deepEqual(unread("tr", 1, 2), ["1 yeni mesaj", "2 yeni mesaj"]);
  assert.deepEqual(unread("fr", 0, 1, 2), ["0 nouveau message", "1 nouveau message", "2 nouveaux messages"]);
  assert.equal(withTexts(en, textsOf("fr"), "fr").personThere(""), "Une personne de l'équipe est maintenant avec vous");
  assert.equal(withTexts(en, textsOf("fr"), "fr").personThere("Zoé"), "Zoé est maintenant avec vous");
});

test("texts are fetched once, and English stands in until then", async () => {
  /** @type {string[]} */
  const asked = [];
  globalThis.fetch = /** @type {any} */ (
    async (/** @type {URL} */ url) => {
      asked.push(url.pathname.split("/").at(-1) ?? "");
      if (url.pathname.includes("-it")) throw new Error("no network");
      return { json: async () => textsOf(url.pathname.slice(-7, -5)) };
    }
  );
  const loading = loadStrings("fr-CA");

  assert.equal(stringsFor("fr").locale, "en");
  assert.equal(loadStrings("FR"), loading);
  await Promise.all([loading, loadStrings("it")]);
  assert.deepEqual([loadStrings("fr"), loadStrings("it"), loadStrings("en"), loadStrings("fi")], [null, null, null, null]);
  assert.deepEqual(["fr-FR", "it", "fi", ""].map((locale) => stringsFor(locale).locale), ["fr", "en", "en", "en"]);
  assert.deepEqual(asked, ["strings-fr.json", "strings-it.json"]);
});

test("three scripts run from right to left", () => {
  const locales = ["de-AT", "ar-EG", "he", "fa_IR", "x-nonsense", ""];

  assert.deepEqual(locales.map(directionOf), ["ltr", "rtl", "rtl", "rtl", "ltr", "ltr"]);
});
