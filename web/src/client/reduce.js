/**
 * Decides what there is to show after a frame: a pure function that needs neither DOM nor socket.
 *
 * A frame whose number was taken in before is dropped, so a replay that overlaps does no harm. Unknown
 * frames are ignored, so server and widget can be released apart.
 */

import { announce, putItem } from "./state.js";

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
const PASSING = new Set(["busy", "rate_limited"]);

/** Errors that concern the page around the chat, and nobody who reads it; or what was said aloud, which is told elsewhere. */
const NOT_THE_CUSTOMERS = /^(token_|user_|not_heard$)/;

/**
 * @param {State} state is left as it was
 * @param {Frame} frame
 * @returns {State}
 */
export function reduce(state, frame) {
  switch (frame.type) {
    // These two carry a number without being a step in the row of numbered frames.
    case "welcome":
      return takeWelcome(state, frame);
    case "snapshot":
      return takeSnapshot(state, frame);
    default: {
      const seq = "seq" in frame ? frame.seq : undefined;
      if (typeof seq !== "number") return takeStep(state, frame);
      return seq <= state.seq ? state : takeStep({ ...state, seq }, frame);
    }
  }
}

/** @param {State} state @param {Frame} frame @returns {State} */
function takeStep(state, frame) {
  switch (frame.type) {
    case "accepted":
      return takeAccepted(state, frame);
    case "rejected":
      return takeRejected(state, frame);
    case "turn.started":
      return { ...state, turn: frame.turn_id, question: null };
    case "turn.completed":
      return state.turn === frame.turn_id ? { ...state, turn: null } : state;
    case "message.started":
      return put(state, { ...message(state, frame.message_id), at: frame.at });
    case "message.delta":
      return takeDelta(state, frame);
    case "message.completed":
      return takeMessage(state, frame);
    case "message.heard":
      return takeHeard(state, frame);
    case "rated":
      return takeRating(state, frame);
    case "tool.started":
      return takeToolStarted(state, frame);
    case "tool.delayed":
      return takeToolDelayed(state, frame);
    case "tool.finished":
      return takeToolFinished(state, frame);
    case "confirmation.requested":
      return takeQuestion(state, frame);
    case "handoff.updated":
      return takeHandoff(state, frame);
    case "person.message":
      return takePerson(state, frame);
    case "notice":
      return { ...state, notice: { problem: frame.problem, message: frame.message } };
    case "error":
      return takeError(state, frame);
    default:
      return state;
  }
}

/** @param {State} state @param {Of<"welcome">} frame @returns {State} */
function takeWelcome(state, frame) {
  const { assistant, max_text: maxText, uploads = null, voice = null, epoch, customer } = frame;
  const conversation = frame.conversation_id;
  const known = { ...state, assistant, customer, maxText, uploads, voice, conversation, epoch };
  if (frame.resumed === "replay") return known;
  const unsent = state.items.filter((item) => item.kind === "customer" && item.delivery !== "logged");
  return { ...known, seq: 0, told: 0, turn: null, question: null, handoff: null, items: unsent };
}

/** @param {State} state @param {Of<"accepted">} frame @returns {State} */
function takeAccepted(state, { id, text, attachments: files = [], at, spoken = false }) {
  return put(state, { kind: "customer", id, text, files, at, delivery: "logged", refusal: null, spoken });
}

/** @param {State} state @param {Of<"rejected">} frame @returns {State} */
function takeRejected(state, { id, code, message }) {
  const said = state.items.find((item) => item.kind === "customer" && item.id === id);
  // What is refused under a message of the assistant's is the rating of it.
  if (said === undefined) return takeRating(state, { message_id: id, rating: null });
  if (said.kind !== "customer" || said.delivery === "logged") return state;
  const refusal = { code, message, mayRetry: PASSING.has(code) };
  return announce(put(state, { ...said, delivery: "refused", refusal }), { says: "refused", refusal });
}

/** @param {State} state @param {Of<"message.delta">} frame @returns {State} */
function takeDelta(state, { message_id, text }) {
  const open = message(state, message_id);
  return put(state, { ...open, text: open.text + text });
}

/** @param {State} state @param {Of<"message.completed">} frame @returns {State} */
function takeMessage(state, { message_id, kind, text, interrupted, seq, attachments = [] }) {
  const complete = { ...message(state, message_id), text, says: kind, interrupted, attachments };
  const told = announce({ ...put(state, complete), told: seq }, { says: "message", text });
  return attachments.length > 0 ? announce(told, { says: "attached", attachments }) : told;
}

/** @param {State} state @param {Of<"message.heard">} frame @returns {State} */
function takeHeard(state, { message_id, up_to }) {
  return put(state, { ...message(state, message_id), heard: up_to });
}

/** @param {State} state @param {Pick<Of<"rated">, "message_id" | "rating">} frame @returns {State} */
function takeRating(state, { message_id, rating }) {
  const rated = message(state, message_id);
  return rated.says === null ? state : put(state, { ...rated, rating });
}

/** @param {State} state @param {Of<"tool.started">} frame @returns {State} */
function takeToolStarted(state, { call_id, hint }) {
  /** @type {CallItem} */
  const call = { callId: call_id, hint, outcome: null };
  const last = state.items.findLast((item) => item.kind !== "customer" || item.delivery !== "waiting");
  // Calls that follow one another stand together: they belong to what was just announced.
  if (last?.kind === "tools") return put(state, { ...last, calls: [...last.calls, call] });
  return put(state, { kind: "tools", id: call.callId, calls: [call] });
}

/** @param {State} state @param {Of<"tool.delayed">} frame @returns {State} */
function takeToolDelayed(state, { call_ids }) {
  return call_ids.reduce((next, id) => change(next, id, { delayed: true }), state);
}

/** @param {State} state @param {Of<"tool.finished">} frame @returns {State} */
function takeToolFinished(state, { call_id, outcome }) {
  return change(state, call_id, { outcome });
}

/** @param {State} state @param {string} id of a call @param {Partial<CallItem>} what is new of it @returns {State} */
function change(state, id, what) {
  /** @param {CallItem} call */
  const isIt = (call) => call.callId === id;
  const group = state.items.find((item) => item.kind === "tools" && item.calls.some(isIt));
  if (group?.kind !== "tools") return state;
  return put(state, { ...group, calls: group.calls.map((call) => (isIt(call) ? { ...call, ...what } : call)) });
}

/** @param {State} state @param {Of<"confirmation.requested">} frame @returns {State} */
function takeQuestion(state, { confirmation_id: id, read_back: readBack }) {
  return announce({ ...state, question: { id, readBack } }, { says: "yes_or_no" });
}

/** @param {State} state @param {Of<"handoff.updated">} frame @returns {State} */
function takeHandoff(state, { state: standing, name: given }) {
  const name = given ?? null;
  const wasThere = state.handoff?.state === "accepted";
  const next = { ...state, handoff: standing === "ended" ? null : { state: standing, name } };
  // Their next yes would be to the person, not to what was asked before.
  if (standing === "accepted") return announce({ ...next, question: null }, { says: "joined", name: name ?? "" });
  return wasThere ? announce(next, { says: "gone", name: name ?? "" }) : next;
}

/** @param {State} state @param {Of<"person.message">} frame @returns {State} */
function takePerson(state, { message_id: id, name, text, at, seq }) {
  const told = { ...put(state, { kind: "person", id, name, text, at }), told: seq };
  return announce(told, { says: "person", name, text });
}

/** @param {State} state @param {Of<"error">} frame @returns {State} */
function takeError(state, { code }) {
  if (NOT_THE_CUSTOMERS.test(code)) return state;
  // Where one can speak, that is what cannot be had just now; it says so itself.
  if (code === "not_supported" && state.voice?.ready) return state;
  // The frame's own message is for developers.
  const shown = put(state, { kind: "went_wrong", id: `error ${state.items.length}`, code });
  return announce(shown, { says: "went_wrong" });
}

/** @param {State} state @param {string} id @returns {AssistantItem} the message as far as it is known */
function message(state, id) {
  const known = state.items.find((item) => item.kind === "assistant" && item.id === id);
  return known?.kind === "assistant"
    ? known
    : {
        kind: "assistant",
        id,
        text: "",
        at: null,
        says: null,
        interrupted: false,
        rating: null,
        attachments: [],
        heard: null,
      };
}

/** @param {State} state @param {Item} item @returns {State} */
function put(state, item) {
  return { ...state, items: putItem(state.items, item) };
}

// Starts over from the server's account of the conversation, keeping only what it has not taken yet.

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

// Decides what there is to show after something that happened on this side: pure, like `reduce`.

/**
 * `tell` has a screen reader say something. `withdraw` takes away a message that another tab had sent, or given up. `rate` shows a rating that is on its way.
 *
 * @typedef {{act: "say", id: string, text: string, files?: readonly import("./state.js").SentFile[]}
 *   | {act: "tell", news: import("./state.js").Announcement}
 *   | {act: "answer", id: string, text: string}
 *   | {act: "retry", id: string}
 *   | {act: "withdraw", id: string}
 *   | {act: "rate", id: string, rating: import("./state.js").Rating | null}
 *   | {act: "link", link: import("./state.js").Link}} Act
 */

/**
 * @param {State} state is left as it was
 * @param {Act} act
 * @returns {State}
 */
export function act(state, act) {
  switch (act.act) {
    case "say":
      return said(state, act.id, act.text, act.files);
    case "tell":
      return announce(state, act.news);
    case "answer":
      return { ...said(state, act.id, act.text), question: null };
    case "retry":
      return retried(state, act.id);
    case "withdraw":
      return { ...state, items: state.items.filter((item) => !isWaiting(item, act.id)) };
    case "rate":
      return rated(state, act.id, act.rating);
    case "link":
      return linked(state, act.link);
    default:
      throw new TypeError(`unknown act ${JSON.stringify(act)}`);
  }
}

/** @param {State} state @param {string} id @param {string} text @param {readonly import("./state.js").SentFile[]} [files] @returns {State} */
function said(state, id, text, files = []) {
  const item = { kind: "customer", id, text, files, at: null, delivery: "waiting", refusal: null };
  return { ...state, items: putItem(state.items, /** @type {import("./state.js").CustomerItem} */ (item)) };
}

/** @param {State} state @param {string} id @returns {State} */
function retried(state, id) {
  const refused = state.items.find((item) => item.kind === "customer" && item.id === id);
  return refused?.kind === "customer" ? said(state, id, refused.text, refused.files) : state;
}

/** @param {State} state @param {string} id @param {import("./state.js").Rating | null} rating @returns {State} */
function rated(state, id, rating) {
  const message = state.items.find((item) => item.kind === "assistant" && item.id === id);
  if (message?.kind !== "assistant") return state;
  return { ...state, items: putItem(state.items, { ...message, rating }) };
}

/** @param {import("./state.js").Item} item @param {string} id */
function isWaiting(item, id) {
  return item.kind === "customer" && item.id === id && item.delivery === "waiting";
}

/** @param {State} state @param {import("./state.js").Link} link @returns {State} */
function linked(state, link) {
  if (link === state.link) return state;
  const next = { ...state, link };
  if (link === "lost" && state.link === "open") return announce(next, { says: "lost" });
  // Only a customer who has heard of the loss needs to hear of the return.
  if (link === "open" && state.link === "lost" && state.assistant !== null)
    return announce(next, { says: "back" });
  return next;
}
