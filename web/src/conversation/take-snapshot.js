/** Starts over from the server's account of the conversation, keeping only what it has not taken yet. */

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
  const { confirmation: asked, handoff } = frame;
  return {
    ...state,
    seq: frame.seq,
    told: frame.seq,
    turn: frame.turn_id,
    handoff: handoff ? { state: handoff.state, name: handoff.name ?? null } : null,
    question: asked && { id: asked.confirmation_id, readBack: asked.read_back },
    items: [...omitted(frame), ...told, ...underWay(frame), ...unsent],
  };
}

/** @param {Snapshot["messages"][number]} message @returns {Item} */
function toldItem(message) {
  const { message_id: id, text, at } = message;
  if (message.from === "customer") {
    const { attachments: files = [], spoken = false } = message;
    return { kind: "customer", id, text, files, at, delivery: "logged", refusal: null, spoken };
  }
  if (message.from === "person") return { kind: "person", id, name: message.name, text, at };
  const { kind: says, interrupted, rating, attachments = [], heard = null } = message;
  return { kind: "assistant", id, text, at, says, interrupted, rating, attachments, heard };
}

/** @param {Snapshot} frame @returns {Item[]} what the running turn has begun: what is being told, and the calls that still run */
function underWay({ tools, open_message: open }) {
  /** @type {Item[]} */
  const items = [];
  if (open) {
    const { message_id: id, text, at, heard = null } = open;
    const nothing = { interrupted: false, rating: null, attachments: [] };
    items.push({ kind: "assistant", id, text, at, says: null, ...nothing, heard });
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
