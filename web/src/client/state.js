/**
 * What there is to show of a conversation, as plain data that is never changed in place.
 *
 * No words are in it but those of the customer, the assistant and the server.
 */

/** @typedef {import("./frames.js").Assistant} Assistant */
/** @typedef {"acknowledgement" | "status" | "response"} MessageKind */
/** @typedef {import("./frames.js").ToolFinished["outcome"]} Outcome */
/** @typedef {"up" | "down"} Rating */

/** @typedef {"waiting" | "logged" | "refused"} Delivery */
/** @typedef {{code: string, message: string, mayRetry: boolean}} Refusal `code` of a `rejected` frame; `message` is plain English, for codes without words */

/** @typedef {import("./frames.js").SentFile} SentFile */
/** @typedef {{kind: "customer", id: string, text: string, files: readonly SentFile[], at: number | null, delivery: Delivery, refusal: Refusal | null, spoken?: boolean}} CustomerItem `at` in Unix milliseconds, null until the server has it; where there are `files`, there may be no text; `spoken`: it was said aloud */
/** @typedef {import("./frames.js").Attachment} Attachment */
/** @typedef {{kind: "assistant", id: string, text: string, at: number | null, messageKind: MessageKind | null, interrupted: boolean, rating: Rating | null, attachments: readonly Attachment[], heard: number | null}} AssistantItem `messageKind` is null while the message is still being told; `heard`: so many of its characters were told aloud, null where it is not spoken */
/** @typedef {{kind: "person", id: string, name: string, text: string, at: number}} PersonItem what a person of the company said */
/** @typedef {{callId: string, hint: string, outcome: Outcome | null, delayed?: boolean}} CallItem `outcome` is null while the call runs; `delayed`: the customer was told that it takes its time */
/** @typedef {{kind: "tools", id: string, calls: readonly CallItem[]}} ToolsItem */
/** @typedef {{kind: "went_wrong", id: string, code: string}} WrongItem an `error` frame that concerns the customer */
/** @typedef {{kind: "omitted", id: string, count: number}} OmittedItem so many earlier messages are not shown */
/** @typedef {CustomerItem | AssistantItem | PersonItem | ToolsItem | WrongItem | OmittedItem} Item */

/** @typedef {{id: string, readBack: string}} Question what waits for a yes or no */
/** @typedef {{state: import("./frames.js").HandoffStanding["state"], name: string | null}} Handoff how a request for a person stands, and who came */
/** @typedef {{problem: boolean, message: string}} ServerNotice what whoever runs the server should know, such as a template that is broken; no `problem`: it no longer is */
/** @typedef {import("./frames.js").Visitor} Customer who the server takes this to be */

/**
 * @typedef {{kind: "message", text: string}
 *   | {kind: "attached", attachments: readonly Attachment[]}
 *   | {kind: "person", name: string, text: string}
 *   | {kind: "joined" | "gone", name: string}
 *   | {kind: "refused", refusal: Refusal}
 *   | {kind: "file", name: string, problem: import("./uploads.js").Problem | null}
 *   | {kind: "about_voice", text: string, urgent: boolean}
 *   | {kind: "yes_or_no" | "files_busy" | "went_wrong" | "lost" | "back"}} Announcement something a screen reader says once
 */
/** @typedef {Announcement & {n: number}} NumberedAnnouncement `n` counts up */

/**
 * `idle`: not asked to connect. `lost`: trying to come back. `refused`: the server will not have this page, and it is
 * not tried again.
 *
 * @typedef {"idle" | "connecting" | "open" | "lost" | "refused"} Link
 */

/**
 * @typedef {object} State
 * @property {Link} link
 * @property {Assistant | null} assistant null before the first welcome
 * @property {Customer | null} customer null before the first welcome
 * @property {number} maxText the longest message that the server takes, in characters
 * @property {import("./frames.js").Uploads | null} uploads what files the server takes; null: none
 * @property {import("./frames.js").Voice | null} voice whether one can speak here; null: nobody can
 * @property {string | null} conversation
 * @property {string | null} epoch the numbering that `seq` counts in
 * @property {number} seq the cursor: the highest number that was taken in
 * @property {number} told the number under which the assistant's newestMessageId complete message came
 * @property {string | null} turn the running turn
 * @property {readonly Item[]} items oldest first
 * @property {Question | null} question
 * @property {Handoff | null} handoff null while no person is there or was asked for
 * @property {ServerNotice | null} notice
 * @property {readonly NumberedAnnouncement[]} announcements the last few announcements, oldest first
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
  told: 0,
  turn: null,
  items: Object.freeze([]),
  question: null,
  handoff: null,
  notice: null,
  announcements: Object.freeze([]),
});

// Puts an item where it belongs: what the server has stands in its order, what it has not yet taken waits at the end.

/**
 * @param {readonly Item[]} items
 * @param {Item} item takes the place of the one with the same kind and id, if there is one
 * @returns {readonly Item[]}
 */
export function upsertItem(items, item) {
  const at = items.findIndex((old) => old.kind === item.kind && old.id === item.id);
  if (at >= 0 && isWaiting(items[at]) === isWaiting(item)) return items.with(at, item);
  const others = at < 0 ? items : items.toSpliced(at, 1);
  if (isWaiting(item)) return [...others, item];
  return others.toSpliced(others.findLastIndex((other) => !isWaiting(other)) + 1, 0, item);
}

/** @param {Item} item */
function isWaiting(item) {
  return item.kind === "customer" && item.delivery === "waiting";
}

// Puts one more line in the list of what a screen reader is to say.

const MAX_ANNOUNCEMENTS = 8;


/**
 * @param {State} state
 * @param {Announcement} announcement a message without text says nothing
 * @returns {State}
 */
export function announce(state, announcement) {
  if (announcement.kind === "message" && !announcement.text.trim()) return state;
  const n = (state.announcements.at(-1)?.n ?? 0) + 1;
  return { ...state, announcements: [...state.announcements, { ...announcement, n }].slice(-MAX_ANNOUNCEMENTS) };
}

// Which of the assistant's complete messages, and of a person's, were seen.

/** @param {readonly Item[]} items @returns {string | undefined} the id of the newest one */
export function newestMessageId(items) {
  return items.findLast(countsAsMessage)?.id;
}

/**
 * @param {readonly Item[]} items
 * @param {string | undefined} seen the id of the newest one that was; without it, or when it is not there, none was
 * @returns {number} how many were not
 */
export function countUnread(items, seen) {
  const messages = items.filter(countsAsMessage);
  return messages.length - 1 - messages.findLastIndex((item) => item.id === seen);
}

/** @param {Item} item */
function countsAsMessage(item) {
  return item.kind === "person" || (item.kind === "assistant" && item.messageKind !== null);
}
