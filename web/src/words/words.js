/** Chooses the words for a language tag. A further language is one more file, named here. */

import { de } from "./de.js";
import { en } from "./en.js";

/** @typedef {typeof en} Words */

/** @type {readonly Words[]} */
export const languages = [en, de];

/** Languages that are written from right to left. */
const RIGHT_TO_LEFT = new Set(["ar", "ckb", "dv", "fa", "he", "ps", "sd", "ug", "ur", "yi"]);

/** @param {string} locale a language tag such as `de-AT` @returns {Words} English where there is nothing nearer */
export function wordsFor(locale) {
  return languages.find((words) => words.locale === language(locale)) ?? en;
}

/** @param {string} locale @returns {"ltr" | "rtl"} */
export function directionOf(locale) {
  return RIGHT_TO_LEFT.has(language(locale)) ? "rtl" : "ltr";
}

/** @param {string} locale */
function language(locale) {
  return locale.toLowerCase().split(/[-_]/)[0];
}
