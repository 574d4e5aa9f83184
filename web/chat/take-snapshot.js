/** Starts over from the server's account of the conversation, keeping only what it has not taken yet. */

import { words } from "./words.js";

/** @typedef {import("./state.js").State} State */
/** @typedef {import("./state.js").Item} Item */
/** @typedef {import("./frames.js").Snapshot} Snapshot */

/**
 * @param {State} state
 * @param {Snapshot} frame
 * @returns {State} nothing is announced: a screen reader is not made to hear the history again
 */
export function takeSnapshot(state, frame) {
  const told = frame.messages.map(toldItem);
  const known = new Set(told.filter((item) => item.kind === "customer").map((item) => item.id));
  const unsent = state.items.filter(
    (item) => item.kind === "customer" && item.delivery !== "logged" && !known.has(item.id),
  );
  const asked = frame.confirmation ?? null;
  return {
    ...state,
    seq: frame.seq,
    turn: frame.turn_id ?? null,
    confirmation: asked && { id: asked.confirmation_id, readBack: asked.read_back },
    items: [...omitted(frame), ...told, ...underWay(frame), ...unsent],
  };
}

/** @param {import("./frames.js").ToldMessage} message @returns {Item} */
function toldItem(message) {
  const { message_id: id, text } = message;
  if (message.from === "customer") return { kind: "customer", id, text, delivery: "logged" };
  return {
    kind: "assistant",
    id,
    text,
    says: message.kind ?? "response",
    interrupted: message.interrupted ?? false,
  };
}

/** @param {Snapshot} frame @returns {Item[]} what the running turn has begun: what is being told, and the calls that still run */
function underWay({ tools = [], open_message: open }) {
  const calls = tools.map((tool) => ({ callId: tool.call_id, hint: tool.hint ?? "", outcome: null }));
  /** @type {Item[]} */
  const message = open
    ? [{ kind: "assistant", id: open.message_id, text: open.text, says: null, interrupted: false }]
    : [];
  return calls.length === 0 ? message : [...message, { kind: "tools", id: calls[0].callId, calls }];
}

/** @param {Snapshot} frame @returns {Item[]} a word about what is too long ago to be told */
function omitted({ omitted: count = 0 }) {
  return count === 0 ? [] : [{ kind: "notice", id: "omitted", tone: "quiet", text: words.omitted(count) }];
}
