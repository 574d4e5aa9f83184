/**
 * Computes the next state from a frame of the server (`reduce`) or from something that happened in this page
 * (`applyAction`). Both are pure functions that need neither DOM nor socket.
 *
 * A frame whose number was already applied is ignored, so an overlapping replay is safe. Unknown frames are ignored,
 * so server and widget can be released separately.
 */

import { findItem, isUnsent, isWaiting, newItem, upsertItem } from "./items.js";
import { announce } from "./state.js";

/** @typedef {import("./items.js").AssistantItem} AssistantItem */
/** @typedef {import("./items.js").CallItem} CallItem */
/** @typedef {import("./frames.js").ServerFrame} Frame */
/** @typedef {import("./items.js").Item} Item */
/** @typedef {import("./frames.js").Snapshot} Snapshot */
/** @typedef {import("./state.js").State} State */

/**
 * @template {Frame["type"]} T
 * @typedef {Extract<Frame, {type: T}>} Of the frame of this type
 */

/** Codes of rejections after which sending again can help. */
const RETRYABLE = new Set(["busy", "rate_limited"]);

/** Codes of errors that concern the host page, not the customer; and of one that the voice bar shows. */
const NOT_FOR_CUSTOMERS = /^(token_|user_|not_heard$)/;

/**
 * @param {State} state is not changed
 * @param {Frame} frame
 * @returns {State}
 */
export function reduce(state, frame) {
  switch (frame.type) {
    // These two carry a number, but are not part of the numbered sequence.
    case "welcome":
      return applyWelcome(state, frame);
    case "snapshot":
      return applySnapshot(state, frame);
    default: {
      const seq = "seq" in frame ? frame.seq : undefined;
      if (typeof seq !== "number") return applyStep(state, frame);
      return seq <= state.seq ? state : applyStep({ ...state, seq }, frame);
    }
  }
}

/** @param {State} state @param {Frame} frame @returns {State} */
function applyStep(state, frame) {
  switch (frame.type) {
    case "accepted":
      return applyAccepted(state, frame);
    case "rejected":
      return applyRejected(state, frame);
    case "turn.started":
      return { ...state, turn: frame.turn_id, question: null };
    case "turn.completed":
      return state.turn === frame.turn_id ? { ...state, turn: null } : state;
    case "message.started":
      return withItem(state, { ...assistantItem(state, frame.message_id), at: frame.at });
    case "message.delta":
      return applyDelta(state, frame);
    case "message.completed":
      return applyMessage(state, frame);
    case "message.heard":
      return applyHeard(state, frame);
    case "rated":
      return applyRating(state, frame);
    case "tool.started":
      return applyToolStarted(state, frame);
    case "tool.delayed":
      return applyToolDelayed(state, frame);
    case "tool.progress":
      return applyToolProgress(state, frame);
    case "tool.finished":
      return applyToolFinished(state, frame);
    case "confirmation.requested":
      return applyQuestion(state, frame);
    case "handoff.updated":
      return applyHandoff(state, frame);
    case "person.message":
      return applyPerson(state, frame);
    case "person.typing":
      return { ...state, typist: frame.name };
    case "notice":
      return { ...state, notice: { problem: frame.problem, message: frame.message } };
    case "error":
      return applyError(state, frame);
    default:
      return state;
  }
}

/** @param {State} state @param {Of<"welcome">} frame @returns {State} */
function applyWelcome(state, frame) {
  const { assistant, max_text: maxText, uploads = null, voice = null, epoch, customer } = frame;
  const conversation = frame.conversation_id;
  const known = { ...state, assistant, customer, maxText, uploads, voice, conversation, epoch };
  if (frame.resumed === "replay") return known;
  const items = state.items.filter(isUnsent);
  return { ...known, seq: 0, lastMessageSeq: 0, turn: null, question: null, handoff: null, items };
}

/** @param {State} state @param {Of<"accepted">} frame @returns {State} */
function applyAccepted(state, { id, text, attachments: files = [], at, spoken = false }) {
  return withItem(state, newItem("customer", { id, text, files, at, spoken }));
}

/** @param {State} state @param {Of<"rejected">} frame @returns {State} */
function applyRejected(state, { id, code, message }) {
  const said = state.items.find((item) => item.kind === "customer" && item.id === id);
  // A rejection with the id of an assistant message concerns its rating.
  if (said === undefined) return applyRating(state, { message_id: id, rating: null });
  if (said.kind !== "customer" || said.delivery === "logged") return state;
  const refusal = { code, message, mayRetry: RETRYABLE.has(code) };
  return announce(withItem(state, { ...said, delivery: "refused", refusal }), { kind: "refused", refusal });
}

/** @param {State} state @param {Of<"message.delta">} frame @returns {State} */
function applyDelta(state, { message_id, text }) {
  const open = assistantItem(state, message_id);
  return withItem(state, { ...open, text: open.text + text });
}

/** @param {State} state @param {Of<"message.completed">} frame @returns {State} */
function applyMessage(state, { message_id, kind, text, interrupted, seq, attachments = [] }) {
  const complete = { ...assistantItem(state, message_id), text, messageKind: kind, interrupted, attachments };
  const next = announce({ ...withItem(state, complete), lastMessageSeq: seq }, { kind: "message", text });
  return attachments.length > 0 ? announce(next, { kind: "attached", attachments }) : next;
}

/** @param {State} state @param {Of<"message.heard">} frame @returns {State} */
function applyHeard(state, { message_id, up_to }) {
  return withItem(state, { ...assistantItem(state, message_id), heard: up_to });
}

/** @param {State} state @param {Pick<Of<"rated">, "message_id" | "rating">} frame @returns {State} */
function applyRating(state, { message_id, rating }) {
  const rated = assistantItem(state, message_id);
  return rated.messageKind === null ? state : withItem(state, { ...rated, rating });
}

/** @param {State} state @param {Of<"tool.started">} frame @returns {State} */
function applyToolStarted(state, { call_id, hint }) {
  /** @type {CallItem} */
  const call = { callId: call_id, hint, outcome: null };
  // A call that runs again, after the server crashed, has its chip already.
  if (state.items.some((item) => item.kind === "tools" && item.calls.some((one) => one.callId === call_id))) return state;
  const last = state.items.findLast((item) => item.kind !== "customer" || item.delivery !== "waiting");
  // Consecutive calls form one group.
  if (last?.kind === "tools") return withItem(state, { ...last, calls: [...last.calls, call] });
  return withItem(state, newItem("tools", { id: call.callId, calls: [call] }));
}

/** @param {State} state @param {Of<"tool.delayed">} frame @returns {State} */
function applyToolDelayed(state, { call_ids }) {
  return call_ids.reduce((next, id) => updateCall(next, id, { delayed: true }), state);
}

/** @param {State} state @param {Of<"tool.progress">} frame @returns {State} */
function applyToolProgress(state, { call_id, done, total, unit }) {
  return updateCall(state, call_id, { progress: { done, total, unit } });
}

/** @param {State} state @param {Of<"tool.finished">} frame @returns {State} */
function applyToolFinished(state, { call_id, outcome }) {
  return updateCall(state, call_id, { outcome });
}

/** @param {State} state @param {string} id of a call @param {Partial<CallItem>} changes @returns {State} */
function updateCall(state, id, changes) {
  /** @param {CallItem} call */
  const matches = (call) => call.callId === id;
  const group = state.items.find((item) => item.kind === "tools" && item.calls.some(matches));
  if (group?.kind !== "tools") return state;
  return withItem(state, { ...group, calls: group.calls.map((call) => (matches(call) ? { ...call, ...changes } : call)) });
}

/** @param {State} state @param {Of<"confirmation.requested">} frame @returns {State} */
function applyQuestion(state, { confirmation_id: id, read_back: readBack }) {
  return announce({ ...state, question: { id, readBack } }, { kind: "yes_or_no" });
}

/** @param {State} state @param {Of<"handoff.updated">} frame @returns {State} */
function applyHandoff(state, { state: handoffState, name: given }) {
  const name = given ?? null;
  const wasThere = state.handoff?.state === "accepted";
  const next = { ...state, typist: null, handoff: handoffState === "ended" ? null : { state: handoffState, name } };
  // The customer's next yes is for the agent, and not an answer to the open question.
  if (handoffState === "accepted") return announce({ ...next, question: null }, { kind: "joined", name: name ?? "" });
  return wasThere ? announce(next, { kind: "gone", name: name ?? "" }) : next;
}

/** @param {State} state @param {Of<"person.message">} frame @returns {State} */
function applyPerson(state, { message_id: id, name, text, at, seq }) {
  const next = { ...withItem(state, newItem("person", { id, name, text, at })), lastMessageSeq: seq, typist: null };
  return announce(next, { kind: "person", name, text });
}

/** @param {State} state @param {Of<"error">} frame @returns {State} */
function applyError(state, { code }) {
  if (NOT_FOR_CUSTOMERS.test(code)) return state;
  // If the server has voice, this error concerns voice, which shows it itself.
  if (code === "not_supported" && state.voice?.ready) return state;
  // The message in the frame is for developers.
  const shown = withItem(state, newItem("went_wrong", { id: `error ${state.items.length}`, code }));
  return announce(shown, { kind: "went_wrong" });
}

/** @param {State} state @param {string} id @returns {AssistantItem} the message as it is so far, or a new one */
function assistantItem(state, id) {
  return findItem(state.items, "assistant", id) ?? newItem("assistant", { id });
}

/** @param {State} state @param {Item} item @returns {State} */
function withItem(state, item) {
  return { ...state, items: upsertItem(state.items, item) };
}

/**
 * Replaces the conversation by the server's, and keeps only what is not sent yet. Nothing is announced: a screen reader
 * does not read the history again.
 *
 * @param {State} state
 * @param {Snapshot} frame
 * @returns {State}
 */
function applySnapshot(state, frame) {
  const sent = frame.messages.map(snapshotItem);
  const unsent = state.items.filter((item) => isUnsent(item) && !findItem(sent, "customer", item.id));
  const { confirmation, handoff } = frame;
  return {
    ...state,
    seq: frame.seq,
    lastMessageSeq: frame.seq,
    turn: frame.turn_id,
    handoff: handoff ? { state: handoff.state, name: handoff.name ?? null } : null,
    question: confirmation && { id: confirmation.confirmation_id, readBack: confirmation.read_back },
    items: [...omitted(frame), ...sent, ...openItems(frame), ...unsent],
  };
}

/** @param {Snapshot["messages"][number]} message @returns {Item} */
function snapshotItem(message) {
  const { message_id: id, text, at } = message;
  if (message.from === "customer") {
    const { attachments: files = [], spoken = false } = message;
    return newItem("customer", { id, text, files, at, spoken });
  }
  if (message.from === "person") return newItem("person", { id, name: message.name, text, at });
  const { kind: messageKind, interrupted, rating, attachments = [], heard = null } = message;
  return newItem("assistant", { id, text, at, messageKind, interrupted, rating, attachments, heard });
}

/**
 * @param {Snapshot} frame
 * @returns {Item[]} what the running turn has started: a message, and calls that still run
 */
function openItems({ tools, open_message: open }) {
  /** @type {Item[]} */
  const items = [];
  if (open) {
    const { message_id: id, text, at, heard = null } = open;
    items.push(newItem("assistant", { id, text, at, heard }));
  }
  if (tools.length > 0) {
    const calls = tools.map((tool) => ({
      callId: tool.call_id,
      hint: tool.hint,
      outcome: null,
      ...(tool.progress ? { progress: tool.progress } : {}),
    }));
    items.push(newItem("tools", { id: calls[0].callId, calls }));
  }
  return items;
}

/** @param {Snapshot} frame @returns {Item[]} says how many earlier messages the snapshot leaves out */
function omitted({ omitted: count }) {
  return count === 0 ? [] : [newItem("omitted", { id: "omitted", count })];
}

/**
 * Something that happened in this page. `withdraw` removes a message that another tab has sent or given up. `rate` shows
 * a rating before the server has confirmed it. `typing_over`: the agent has not typed for a while.
 *
 * @typedef {{action: "say", id: string, text: string, files?: readonly import("./items.js").SentFile[]}
 *   | {action: "announce", announcement: import("./state.js").Announcement}
 *   | {action: "answer", id: string, text: string}
 *   | {action: "retry", id: string}
 *   | {action: "withdraw", id: string}
 *   | {action: "rate", id: string, rating: import("./items.js").Rating | null}
 *   | {action: "typing_over"}
 *   | {action: "link", link: import("./state.js").Link}} LocalAction
 */

/**
 * @param {State} state is not changed
 * @param {LocalAction} action
 * @returns {State}
 */
export function applyAction(state, action) {
  switch (action.action) {
    case "say":
      return withCustomerMessage(state, action.id, action.text, action.files);
    case "announce":
      return announce(state, action.announcement);
    case "answer":
      return { ...withCustomerMessage(state, action.id, action.text), question: null };
    case "retry":
      return withRetry(state, action.id);
    case "withdraw":
      return { ...state, items: state.items.filter((item) => !(isWaiting(item) && item.id === action.id)) };
    case "rate":
      return withRating(state, action.id, action.rating);
    case "typing_over":
      return { ...state, typist: null };
    case "link":
      return withLink(state, action.link);
    default:
      throw new TypeError(`unknown action ${JSON.stringify(action)}`);
  }
}

/**
 * @param {State} state
 * @param {string} id
 * @param {string} text
 * @param {readonly import("./items.js").SentFile[]} [files]
 * @returns {State}
 */
function withCustomerMessage(state, id, text, files = []) {
  return withItem(state, newItem("customer", { id, text, files, delivery: "waiting" }));
}

/** @param {State} state @param {string} id @returns {State} */
function withRetry(state, id) {
  const refused = findItem(state.items, "customer", id);
  return refused ? withCustomerMessage(state, id, refused.text, refused.files) : state;
}

/** @param {State} state @param {string} id @param {import("./items.js").Rating | null} rating @returns {State} */
function withRating(state, id, rating) {
  const message = findItem(state.items, "assistant", id);
  return message ? withItem(state, { ...message, rating }) : state;
}

/** @param {State} state @param {import("./state.js").Link} link @returns {State} */
function withLink(state, link) {
  if (link === state.link) return state;
  const next = { ...state, link };
  if (link === "lost" && state.link === "open") return announce(next, { kind: "lost" });
  // A customer who did not hear of the loss need not hear of the return.
  if (link === "open" && state.link === "lost" && state.assistant !== null)
    return announce(next, { kind: "back" });
  return next;
}
