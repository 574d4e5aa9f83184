/** Chooses the words for a language tag. A further language is one more file, named here. */

import { de } from "./de.js";
import { en } from "./en.js";
import { voiceDe } from "./voice-de.js";
import { voiceEn } from "./voice-en.js";

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

// Chooses the words about speaking: fetched with it, and not before. A further language is one more file, named here.

/** @typedef {typeof voiceEn} VoiceWords */

/** @type {readonly VoiceWords[]} */
export const voiceLanguages = [voiceEn, voiceDe];

/** @param {string} locale a language tag such as `de-AT` @returns {VoiceWords} English where there is nothing nearer */
export function voiceWordsFor(locale) {
  const language = locale.toLowerCase().split(/[-_]/)[0];
  return voiceLanguages.find((words) => words.locale === language) ?? voiceEn;
}
