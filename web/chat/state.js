/** What there is to show, as plain data that is never changed in place. */

/** @typedef {import("./frames.js").Assistant} Assistant */
/** @typedef {import("./frames.js").MessageKind} MessageKind */
/** @typedef {import("./frames.js").Outcome} Outcome */

/** @typedef {"waiting" | "logged" | "refused"} Delivery */

/** @typedef {{kind: "customer", id: string, text: string, delivery: Delivery, reason?: string, mayRetry?: boolean}} CustomerItem */
/** @typedef {{kind: "assistant", id: string, text: string, says: MessageKind | null, interrupted: boolean}} AssistantItem `says` is null while the message is still being told */
/** @typedef {{callId: string, hint: string, outcome: Outcome | null}} CallItem `outcome` is null while the call runs */
/** @typedef {{kind: "tools", id: string, calls: readonly CallItem[]}} ToolsItem */
/** @typedef {{kind: "notice", id: string, tone: "wrong" | "quiet", text: string}} NoticeItem */
/** @typedef {CustomerItem | AssistantItem | ToolsItem | NoticeItem} Item */

/** @typedef {{id: string, readBack: string}} Confirmation */
/** @typedef {{n: number, text: string}} News something a screen reader says once; `n` counts up */
/** @typedef {"idle" | "connecting" | "open" | "lost"} Link */

/**
 * @typedef {object} State
 * @property {Link} link
 * @property {Assistant | null} assistant null before the first welcome
 * @property {number} maxText the longest message that the server takes, in characters
 * @property {string | null} conversation
 * @property {string | null} epoch the numbering that `seq` counts in
 * @property {number} seq the cursor: the highest number that was taken in
 * @property {string | null} turn the running turn
 * @property {readonly Item[]} items oldest first
 * @property {Confirmation | null} confirmation what waits for a yes or no
 * @property {readonly News[]} news the last few announcements, oldest first
 */

/** @type {State} */
export const emptyState = Object.freeze({
  link: "idle",
  assistant: null,
  maxText: Infinity,
  conversation: null,
  epoch: null,
  seq: 0,
  turn: null,
  items: Object.freeze([]),
  confirmation: null,
  news: Object.freeze([]),
});
