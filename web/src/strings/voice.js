/** The widget's texts about voice, which the browser loads with the voice module only. */

import { withTexts } from "./index.js";
import { voiceEn } from "./voice-en.js";

/** @typedef {typeof voiceEn} VoiceStrings */

/** @param {import("./index.js").Texts | undefined} texts of the language; undefined: English @returns {VoiceStrings} */
export function voiceStringsOf(texts) {
  return texts ? withTexts(voiceEn, texts, String(texts.locale)) : voiceEn;
}
