/** The conversation as a text file: who said what, and when. */

import { moment } from "../strings/format.js";
import { transcriptEntry } from "./messages.js";

/**
 * @param {import("./contract.js").ViewContext} context
 * @returns {string} the history, oldest first; Markdown stays as it was written
 */
export function transcriptText(context) {
  const { items, locale } = context.state;
  const entries = items.flatMap((item) => transcriptEntry(item, context) ?? []);
  return `${entries.map((entry) => paragraph(entry, locale)).join("\n\n")}\n`;
}

/** @param {import("./contract.js").TranscriptEntry} entry @param {string} locale */
function paragraph({ speaker, at = null, text }, locale) {
  if (speaker === undefined) return text;
  return `${speaker}${at === null ? "" : ` (${moment(at, locale)})`}:\n${text.trim()}`;
}
