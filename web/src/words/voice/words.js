/** Chooses the words about speaking: fetched with it, and not before. A further language is one more file, named here. */

import { de } from "./de.js";
import { en } from "./en.js";

/** @typedef {typeof en} VoiceWords */

/** @type {readonly VoiceWords[]} */
export const voiceLanguages = [en, de];

/** @param {string} locale a language tag such as `de-AT` @returns {VoiceWords} English where there is nothing nearer */
export function voiceWordsFor(locale) {
  const language = locale.toLowerCase().split(/[-_]/)[0];
  return voiceLanguages.find((words) => words.locale === language) ?? en;
}
