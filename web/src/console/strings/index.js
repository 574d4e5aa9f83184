/**
 * Chooses the console's texts. English is part of the bundle; the German ones are in `dist/console/strings-de.json`,
 * which is fetched when they are first drawn. The files are made as the widget's: see `src/strings/index.js`.
 */

import { withTexts } from "../../strings/index.js";
import { en } from "./en.js";

/** @typedef {typeof en} Strings */

export const LANGUAGES = /** @type {const} */ (["en", "de"]);

/** @typedef {typeof LANGUAGES[number]} Language */

/** @type {Map<Language, Strings>} */
const known = new Map([["en", en]]);

/** @param {string} locale a language tag such as `de-AT` @returns {Language} the one that the console has */
export function languageOf(locale) {
  const [name] = locale.toLowerCase().split(/[-_]/);
  return LANGUAGES.find((language) => language === name) ?? "en";
}

/** @param {Language} language @returns {Strings} English until the texts are loaded */
export function stringsFor(language) {
  return known.get(language) ?? en;
}

/** @param {Language} language @returns {Promise<void>} settles when its texts can be drawn; English is better than none */
export async function loadStrings(language) {
  if (known.has(language)) return;
  try {
    const answer = await fetch(new URL(`strings-${language}.json?${STRINGS_HASH}`, import.meta.url));
    if (answer.ok) known.set(language, withTexts(en, await answer.json(), language));
  } catch {
    // It is tried again with the next choice of the language.
  }
}
