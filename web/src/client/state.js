/**
 * The state of a conversation that the view shows, as plain data that is never changed in place.
 *
 * It holds no texts of the widget's own: the view translates codes and kinds.
 */

/** @typedef {import("./frames.js").Assistant} Assistant */
/** @typedef {import("./items.js").Item} Item */

/** @typedef {{id: string, readBack: string}} Question waits for a yes or no */
/**
 * @typedef {object} Handoff
 * @property {import("./frames.js").HandoffStanding["state"]} state
 * @property {string | null} name of the human agent
 */
/**
 * @typedef {object} ServerNotice for the operator of the server, such as a broken template
 * @property {boolean} problem false once it is repaired
 * @property {string} message
 */
/** @typedef {import("./frames.js").Visitor} Customer how the server identifies the customer */

/**
 * Something that a screen reader reads once.
 *
 * @typedef {{kind: "message", text: string}
 *   | {kind: "attached", attachments: readonly import("./items.js").Attachment[]}
 *   | {kind: "person", name: string, text: string}
 *   | {kind: "joined" | "gone", name: string}
 *   | {kind: "refused", refusal: import("./items.js").Refusal}
 *   | {kind: "file", name: string, problem: import("./uploads.js").Problem | null}
 *   | {kind: "about_voice", text: string, urgent: boolean}
 *   | {kind: "yes_or_no" | "files_busy" | "went_wrong" | "lost" | "back"}} Announcement
 */
/** @typedef {Announcement & {n: number}} NumberedAnnouncement `n` counts up */

/**
 * `idle`: not started. `lost`: reconnecting. `refused`: the server rejects this page, and the client does not retry.
 *
 * @typedef {"idle" | "connecting" | "open" | "lost" | "refused"} Link
 */

/**
 * @typedef {object} State
 * @property {Link} link
 * @property {Assistant | null} assistant null before the first welcome
 * @property {Customer | null} customer null before the first welcome
 * @property {number} maxText the longest message that the server accepts, in characters
 * @property {import("./frames.js").Uploads | null} uploads which files the server accepts; null: none
 * @property {import("./frames.js").Voice | null} voice null if the server has no voice
 * @property {string | null} conversation
 * @property {string | null} epoch the numbering that `seq` belongs to
 * @property {number} seq the highest number of a frame that was applied
 * @property {number} lastMessageSeq the number of the frame that completed the newest message from the company
 * @property {string | null} turn the running turn
 * @property {readonly Item[]} items oldest first
 * @property {Question | null} question
 * @property {Handoff | null} handoff null unless a human agent was requested or is there
 * @property {string | null} typist the name of the agent who is typing right now
 * @property {ServerNotice | null} notice
 * @property {readonly NumberedAnnouncement[]} announcements the newest few, oldest first
 */

/** @type {State} */
export const emptyState = Object.freeze({
  link: "idle",
  assistant: null,
  customer: null,
  maxText: Infinity,
  uploads: null,
  voice: null,
  conversation: null,
  epoch: null,
  seq: 0,
  lastMessageSeq: 0,
  turn: null,
  items: Object.freeze([]),
  question: null,
  handoff: null,
  typist: null,
  notice: null,
  announcements: Object.freeze([]),
});

const MAX_ANNOUNCEMENTS = 8;

/**
 * @param {State} state
 * @param {Announcement} announcement a message without text is not announced
 * @returns {State}
 */
export function announce(state, announcement) {
  if (announcement.kind === "message" && !announcement.text.trim()) return state;
  const n = (state.announcements.at(-1)?.n ?? 0) + 1;
  return {
    ...state,
    announcements: [...state.announcements, { ...announcement, n }].slice(-MAX_ANNOUNCEMENTS),
  };
}
