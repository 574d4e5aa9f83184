/** Announces news to screen readers: each finished message once, and problems at once. */

import { plainText } from "../markdown/reader.js";
import { stringsFor } from "../strings/index.js";
import { label } from "./attachments.js";
import { problemText } from "./composer.js";

/** @typedef {import("./contract.js").NumberedAnnouncement} NumberedAnnouncement */

const MAX_PARAGRAPHS = 8;

/** @type {ReadonlySet<NumberedAnnouncement["kind"]>} */
const URGENT = new Set(["refused", "went_wrong", "files_busy"]);

/**
 * @param {ParentNode} panel with a `status` and an `alert`
 * @param {import("./contract.js").ViewState} state
 * @param {readonly NumberedAnnouncement[]} before announcements of the last rendering
 */
export function announceNew(panel, state, before) {
  const { announcements, open, locale } = state;
  const last = before.at(-1)?.n ?? 0;
  for (const one of announcements) {
    // Nothing is announced while the panel is closed. Spoken messages are not read a second time.
    const spoken = one.kind === "message" && state.microphone.speaksAnswers;
    if (one.n > last && open && !spoken) insert(panel, one, sentence(one, state, stringsFor(locale)));
  }
}

/** @param {ParentNode} panel @param {NumberedAnnouncement} announcement @param {string} text */
function insert(panel, announcement, text) {
  const place = panel.querySelector(isUrgent(announcement) ? "[role=alert]" : "[role=status]");
  const paragraph = document.createElement("p");
  paragraph.textContent = text;
  place?.append(paragraph);
  while (place && place.children.length > MAX_PARAGRAPHS) place.firstElementChild?.remove();
}

/** @param {NumberedAnnouncement} announcement @returns {boolean} whether a screen reader interrupts its reading for it */
function isUrgent(announcement) {
  switch (announcement.kind) {
    case "file":
      return announcement.problem !== null;
    case "about_voice":
      return announcement.urgent;
    default:
      return URGENT.has(announcement.kind);
  }
}

/**
 * @param {NumberedAnnouncement} announcement
 * @param {import("./contract.js").ViewState} state
 * @param {import("../strings/index.js").Strings} strings
 * @returns {string}
 */
function sentence(announcement, state, strings) {
  switch (announcement.kind) {
    case "message":
      return plainText(announcement.text);
    case "attached":
      return announcement.attachments.map((one) => label(one, strings)).join(" ");
    case "file":
      return announcement.problem
        ? `${announcement.name}: ${problemText(announcement.problem, state, strings)}`
        : strings.fileReady(announcement.name);
    case "about_voice":
      return announcement.text;
    case "files_busy":
      return strings.filesBusy;
    case "person":
      return `${announcement.name}: ${announcement.text}`;
    case "joined":
      return strings.personThere(announcement.name);
    case "gone":
      return strings.personGone(announcement.name);
    case "refused":
      return `${strings.notSent} ${strings.refusals[announcement.refusal.code] ?? announcement.refusal.message}`;
    case "yes_or_no":
      return strings.answerYesOrNo;
    case "went_wrong":
      return strings.wentWrong;
    case "lost":
      return strings.lost;
    case "back":
      return strings.back;
    default:
      throw new TypeError(`unknown announcement ${JSON.stringify(/** @type {never} */ (announcement))}`);
  }
}
