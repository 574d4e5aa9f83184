/** The conversation as a text file: who said what, and when. */

import { moment } from "../strings/format.js";
import { hasContent, label } from "./attachments.js";

/** @typedef {import("./contract.js").AssistantItem} AssistantItem */
/** @typedef {import("./contract.js").ViewState} ViewState */

/**
 * @param {ViewState} state
 * @param {import("../strings/index.js").Strings} strings
 * @returns {string} what stands in the history, oldest first; Markdown stays as it was written
 */
export function transcriptText({ items, assistant, locale }, strings) {
  const parts = items.flatMap((item) => {
    switch (item.kind) {
      case "customer":
        return item.delivery === "logged" ? [said(strings.you, withFiles(item, strings), locale)] : [];
      case "assistant":
        return hasContent(item) ? [said(assistant?.name ?? strings.assistant, whole(item, strings), locale)] : [];
      case "person":
        return [said(item.name, item, locale)];
      case "omitted":
        return [strings.omitted(item.count)];
      default:
        return [];
    }
  });
  return `${parts.join("\n\n")}\n`;
}

/** @param {AssistantItem} item @param {import("../strings/index.js").Strings} strings what it says, and what came with it */
function whole({ text, at, attachments }, strings) {
  return { at, text: [text.trim(), ...attachments.map((one) => `[${label(one, strings)}]`)].join("\n") };
}

/** @param {import("./contract.js").CustomerItem} item @param {import("../strings/index.js").Strings} strings */
function withFiles({ text, at, files }, strings) {
  return { at, text: [text.trim(), ...files.map(({ name }) => `[${strings.attachment}: ${name}]`)].join("\n") };
}

/** @param {string} who @param {{text: string, at: number | null}} message @param {string} locale */
function said(who, { text, at }, locale) {
  return `${who}${at === null ? "" : ` (${moment(at, locale)})`}:\n${text.trim()}`;
}
