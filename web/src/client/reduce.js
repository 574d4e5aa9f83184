/**
 * Decides what there is to show after a frame: a pure function that needs neither DOM nor socket.
 *
 * A frame whose number was taken in before is dropped, so a replay that overlaps does no harm. Unknown
 * frames are ignored, so server and widget can be released apart.
 */

import { announce, upsertItem } from "./state.js";

/** @typedef {import("./state.js").State} State */
/** @typedef {import("./state.js").Item} Item */
/** @typedef {import("./state.js").AssistantItem} AssistantItem */
/** @typedef {import("./state.js").CallItem} CallItem */
/** @typedef {import("./frames.js").ServerFrame} Frame */
/**
 * @template {Frame["type"]} T
 * @typedef {Extract<Frame, {type: T}>} Of the frame of this type
 */

/** Reasons for a rejection that go away by themselves. */
const RETRYABLE = new Set(["busy", "rate_limited"]);

/** Errors that concern the page around the chat, and nobody who reads it; or what was said aloud, which is told elsewhere. */
const NOT_FOR_CUSTOMERS = /^(token_|user_|not_heard$)/;

/**
 * @param {State} state is left as it was
 * @param {Frame} frame
 * @returns {State}
 */
export function reduce(state, frame) {
  switch (frame.type) {
    // These two carry a number without being a step in the row of numbered frames.
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
    case "tool.finished":
      return applyToolFinished(state, frame);
    case "confirmation.requested":
      return applyQuestion(state, frame);
    case "handoff.updated":
      return applyHandoff(state, frame);
    case "person.message":
      return applyPerson(state, frame);
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
  const unsent = state.items.filter((item) => item.kind === "customer" && item.delivery !== "logged");
  return { ...known, seq: 0, told: 0, turn: null, question: null, handoff: null, items: unsent };
}

/** @param {State} state @param {Of<"accepted">} frame @returns {State} */
function applyAccepted(state, { id, text, attachments: files = [], at, spoken = false }) {
  return withItem(state, { kind: "customer", id, text, files, at, delivery: "logged", refusal: null, spoken });
}

/** @param {State} state @param {Of<"rejected">} frame @returns {State} */
function applyRejected(state, { id, code, message }) {
  const said = state.items.find((item) => item.kind === "customer" && item.id === id);
  // What is refused under a message of the assistant's is the rating of it.
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
  const told = announce({ ...withItem(state, complete), told: seq }, { kind: "message", text });
  return attachments.length > 0 ? announce(told, { kind: "attached", attachments }) : told;
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
  const last = state.items.findLast((item) => item.kind !== "customer" || item.delivery !== "waiting");
  // Calls that follow one another stand together: they belong to what was just announced.
  if (last?.kind === "tools") return withItem(state, { ...last, calls: [...last.calls, call] });
  return withItem(state, { kind: "tools", id: call.callId, calls: [call] });
}

/** @param {State} state @param {Of<"tool.delayed">} frame @returns {State} */
function applyToolDelayed(state, { call_ids }) {
  return call_ids.reduce((next, id) => updateCall(next, id, { delayed: true }), state);
}

/** @param {State} state @param {Of<"tool.finished">} frame @returns {State} */
function applyToolFinished(state, { call_id, outcome }) {
  return updateCall(state, call_id, { outcome });
}

/** @param {State} state @param {string} id of a call @param {Partial<CallItem>} what is new of it @returns {State} */
function updateCall(state, id, what) {
  /** @param {CallItem} call */
  const isIt = (call) => call.callId === id;
  const group = state.items.find((item) => item.kind === "tools" && item.calls.some(isIt));
  if (group?.kind !== "tools") return state;
  return withItem(state, { ...group, calls: group.calls.map((call) => (isIt(call) ? { ...call, ...what } : call)) });
}

/** @param {State} state @param {Of<"confirmation.requested">} frame @returns {State} */
function applyQuestion(state, { confirmation_id: id, read_back: readBack }) {
  return announce({ ...state, question: { id, readBack } }, { kind: "yes_or_no" });
}

/** @param {State} state @param {Of<"handoff.updated">} frame @returns {State} */
function applyHandoff(state, { state: standing, name: given }) {
  const name = given ?? null;
  const wasThere = state.handoff?.state === "accepted";
  const next = { ...state, handoff: standing === "ended" ? null : { state: standing, name } };
  // Their next yes would be to the person, not to what was asked before.
  if (standing === "accepted") return announce({ ...next, question: null }, { kind: "joined", name: name ?? "" });
  return wasThere ? announce(next, { kind: "gone", name: name ?? "" }) : next;
}

/** @param {State} state @param {Of<"person.message">} frame @returns {State} */
function applyPerson(state, { message_id: id, name, text, at, seq }) {
  const told = { ...withItem(state, { kind: "person", id, name, text, at }), told: seq };
  return announce(told, { kind: "person", name, text });
}

/** @param {State} state @param {Of<"error">} frame @returns {State} */
function applyError(state, { code }) {
  if (NOT_FOR_CUSTOMERS.test(code)) return state;
  // Where one can speak, that is what cannot be had just now; it says so itself.
  if (code === "not_supported" && state.voice?.ready) return state;
  // The frame's own message is for developers.
  const shown = withItem(state, { kind: "went_wrong", id: `error ${state.items.length}`, code });
  return announce(shown, { kind: "went_wrong" });
}

/** @param {State} state @param {string} id @returns {AssistantItem} the message as far as it is known */
function assistantItem(state, id) {
  const known = state.items.find((item) => item.kind === "assistant" && item.id === id);
  return known?.kind === "assistant"
    ? known
    : {
        kind: "assistant",
        id,
        text: "",
        at: null,
        messageKind: null,
        interrupted: false,
        rating: null,
        attachments: [],
        heard: null,
      };
}

/** @param {State} state @param {Item} item @returns {State} */
function withItem(state, item) {
  return { ...state, items: upsertItem(state.items, item) };
}

// Starts over from the server's account of the conversation, keeping only what it has not taken yet.

/** @typedef {import("./frames.js").Snapshot} Snapshot */

/**
 * @param {State} state
 * @param {Snapshot} frame
 * @returns {State} nothing is announced: a screen reader is not made to hear the history again
 */
export function applySnapshot(state, frame) {
  const known = frame.messages.map(snapshotItem);
  const knownIds = new Set(known.filter((item) => item.kind === "customer").map((item) => item.id));
  const unsent = state.items.filter(
    (item) => item.kind === "customer" && item.delivery !== "logged" && !knownIds.has(item.id),
  );
  const { confirmation: asked, handoff } = frame;
  return {
    ...state,
    seq: frame.seq,
    told: frame.seq,
    turn: frame.turn_id,
    handoff: handoff ? { state: handoff.state, name: handoff.name ?? null } : null,
    question: asked && { id: asked.confirmation_id, readBack: asked.read_back },
    items: [...omitted(frame), ...known, ...openItems(frame), ...unsent],
  };
}

/** @param {Snapshot["messages"][number]} message @returns {Item} */
function snapshotItem(message) {
  const { message_id: id, text, at } = message;
  if (message.from === "customer") {
    const { attachments: files = [], spoken = false } = message;
    return { kind: "customer", id, text, files, at, delivery: "logged", refusal: null, spoken };
  }
  if (message.from === "person") return { kind: "person", id, name: message.name, text, at };
  const { kind: messageKind, interrupted, rating, attachments = [], heard = null } = message;
  return { kind: "assistant", id, text, at, messageKind, interrupted, rating, attachments, heard };
}

/** @param {Snapshot} frame @returns {Item[]} what the running turn has begun: what is being told, and the calls that still run */
function openItems({ tools, open_message: open }) {
  /** @type {Item[]} */
  const items = [];
  if (open) {
    const { message_id: id, text, at, heard = null } = open;
    const nothing = { interrupted: false, rating: null, attachments: [] };
    items.push({ kind: "assistant", id, text, at, messageKind: null, ...nothing, heard });
  }
  if (tools.length > 0) {
    const calls = tools.map((tool) => ({ callId: tool.call_id, hint: tool.hint, outcome: null }));
    items.push({ kind: "tools", id: calls[0].callId, calls });
  }
  return items;
}

/** @param {Snapshot} frame @returns {Item[]} a word about what is too long ago to be told */
function omitted({ omitted: count }) {
  return count === 0 ? [] : [{ kind: "omitted", id: "omitted", count }];
}

// Decides what there is to show after something that happened on this side: pure, like `reduce`.

/**
 * `announce` has a screen reader say something. `withdraw` takes away a message that another tab had sent, or given up. `rate` shows a rating that is on its way.
 *
 * @typedef {{action: "say", id: string, text: string, files?: readonly import("./state.js").SentFile[]}
 *   | {action: "announce", announcement: import("./state.js").Announcement}
 *   | {action: "answer", id: string, text: string}
 *   | {action: "retry", id: string}
 *   | {action: "withdraw", id: string}
 *   | {action: "rate", id: string, rating: import("./state.js").Rating | null}
 *   | {action: "link", link: import("./state.js").Link}} LocalAction
 */

/**
 * @param {State} state is left as it was
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
      return { ...state, items: state.items.filter((item) => !isWaiting(item, action.id)) };
    case "rate":
      return withRating(state, action.id, action.rating);
    case "link":
      return withLink(state, action.link);
    default:
      throw new TypeError(`unknown action ${JSON.stringify(action)}`);
  }
}

/** @param {State} state @param {string} id @param {string} text @param {readonly import("./state.js").SentFile[]} [files] @returns {State} */
function withCustomerMessage(state, id, text, files = []) {
  const item = { kind: "customer", id, text, files, at: null, delivery: "waiting", refusal: null };
  return { ...state, items: upsertItem(state.items, /** @type {import("./state.js").CustomerItem} */ (item)) };
}

/** @param {State} state @param {string} id @returns {State} */
function withRetry(state, id) {
  const refused = state.items.find((item) => item.kind === "customer" && item.id === id);
  return refused?.kind === "customer" ? withCustomerMessage(state, id, refused.text, refused.files) : state;
}

/** @param {State} state @param {string} id @param {import("./state.js").Rating | null} rating @returns {State} */
function withRating(state, id, rating) {
  const message = state.items.find((item) => item.kind === "assistant" && item.id === id);
  if (message?.kind !== "assistant") return state;
  return { ...state, items: upsertItem(state.items, { ...message, rating }) };
}

/** @param {import("./state.js").Item} item @param {string} id */
function isWaiting(item, id) {
  return item.kind === "customer" && item.id === id && item.delivery === "waiting";
}

/** @param {State} state @param {import("./state.js").Link} link @returns {State} */
function withLink(state, link) {
  if (link === state.link) return state;
  const next = { ...state, link };
  if (link === "lost" && state.link === "open") return announce(next, { kind: "lost" });
  // Only a customer who has heard of the loss needs to hear of the return.
  if (link === "open" && state.link === "lost" && state.assistant !== null)
    return announce(next, { kind: "back" });
  return next;
}
