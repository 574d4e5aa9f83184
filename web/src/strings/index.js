/**
 * Chooses the widget's texts for a language tag. English is part of the chat; the texts of any other language are in
 * `dist/strings-<language>.json`, which is fetched when the widget is first drawn in it.
 *
 * To add a language, add its file here and its name to `TRANSLATED`. `{}` stands for the value. Where a number
 * decides, there is a text for each plural form of the language ("one", "few", "other"); where a name may be
 * missing, one for "none".
 */

import { en } from "./en.js";

/** @typedef {typeof en} Strings */
/** @typedef {{ [key: string]: string | Texts }} Texts */

export const TRANSLATED = ["de", "es", "fr", "he", "it", "nl", "pl", "pt", "sv", "tr"];

/** Languages written from right to left. */
const RIGHT_TO_LEFT = ["ar", "ckb", "dv", "fa", "he", "ps", "sd", "ug", "ur", "yi"];

/** @type {Map<string, { strings: Strings, voice?: Texts }>} by language */
const known = new Map();

/** @type {Map<string, Promise<void>>} by language */
const loading = new Map();

/** @param {string} locale a language tag such as `de-AT` @returns {Strings} English if there is no translation, or not yet */
export function stringsFor(locale) {
  return known.get(language(locale))?.strings ?? en;
}

/** @param {string} locale @returns {Texts | undefined} the texts about voice, unless they are English */
export function voiceTextsFor(locale) {
  return known.get(language(locale))?.voice;
}

/** @param {string} locale @returns {Promise<void> | null} settles when its texts can be drawn; null: they can now */
export function loadStrings(locale) {
  const name = language(locale);
  if (known.has(name) || !TRANSLATED.includes(name)) return null;
  const url = new URL(`strings-${name}.json?${STRINGS_HASH}`, import.meta.url);
  const loaded =
    loading.get(name) ??
    fetch(url)
      .then((response) => response.json())
      .then(
        (texts) => void known.set(name, { strings: withTexts(en, texts, name), voice: texts.voice }),
        // English is better than nothing.
        () => void known.set(name, { strings: en }),
      );
  loading.set(name, loaded);
  return loaded;
}

/**
 * @template {object} T
 * @param {T} model the English texts
 * @param {Texts} texts
 * @param {string} locale
 * @returns {T} the same with these texts; English where one is missing
 */
export function withTexts(model, texts, locale) {
  const plural = new Intl.PluralRules(locale);
  const entries = Object.entries(model).map(([key, english]) => {
    const text = /** @type {any} */ (texts[key] ?? english);
    if (text === english || typeof english === "string") return [key, text];
    if (typeof english === "object") return [key, withTexts(english, text, locale)];
    /** @param {string | number} value */
    const filled = (value) => {
      const form = typeof value === "number" ? plural.select(value) : value || "none";
      return (text[form] ?? text.other ?? text).replace("{}", value);
    };
    return [key, filled];
  });
  return Object.fromEntries(entries);
}

/** @param {string} locale @returns {"ltr" | "rtl"} */
export function directionOf(locale) {
  return RIGHT_TO_LEFT.includes(language(locale)) ? "rtl" : "ltr";
}

/** @param {string} locale */
function language(locale) {
  return locale.toLowerCase().split(/[-_]/)[0];
}
