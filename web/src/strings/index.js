/**
 * Chooses the widget's texts for a language tag. To add a language, add its two files and name them here.
 *
 * The texts about voice are separate, because the browser loads them with the voice module only.
 */

import { de } from "./de.js";
import { en } from "./en.js";
import { voiceDe } from "./voice-de.js";
import { voiceEn } from "./voice-en.js";

/** @typedef {typeof en} Strings */

/** @type {readonly Strings[]} */
export const languages = [en, de];

/** Languages written from right to left. */
const RIGHT_TO_LEFT = new Set(["ar", "ckb", "dv", "fa", "he", "ps", "sd", "ug", "ur", "yi"]);

/** @param {string} locale a language tag such as `de-AT` @returns {Strings} English if there is no translation */
export function stringsFor(locale) {
  return languages.find((strings) => strings.locale === language(locale)) ?? en;
}

/** @param {string} locale @returns {"ltr" | "rtl"} */
export function directionOf(locale) {
  return RIGHT_TO_LEFT.has(language(locale)) ? "rtl" : "ltr";
}

/** @param {string} locale */
function language(locale) {
  return locale.toLowerCase().split(/[-_]/)[0];
}

/** @typedef {typeof voiceEn} VoiceStrings */

/** @type {readonly VoiceStrings[]} */
export const voiceLanguages = [voiceEn, voiceDe];

/**
 * @param {string} locale a language tag such as `de-AT`
 * @returns {VoiceStrings} English if there is no translation
 */
export function voiceStringsFor(locale) {
  const language = locale.toLowerCase().split(/[-_]/)[0];
  return voiceLanguages.find((strings) => strings.locale === language) ?? voiceEn;
}
