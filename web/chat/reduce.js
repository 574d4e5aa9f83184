/**
 * Decides what there is to show after a frame: a pure function that needs neither DOM nor socket.
 *
 * A frame whose number was taken in before is dropped, so a replay that overlaps does no harm. Unknown
 * frames are ignored, so server and widget can be released apart.
 */

import { announce } from "./announce.js";
import { putItem } from "./put-item.js";
import { takeSnapshot } from "./take-snapshot.js";
import { words } from "./words.js";

/** @typedef {import("./state.js").State} State */
/** @typedef {import("./state.js").Item} Item */
/** @typedef {import("./state.js").AssistantItem} AssistantItem */
/** @typedef {import("./state.js").CustomerItem} CustomerItem */
/** @typedef {import("./state.js").CallItem} CallItem */
/** @typedef {import("./state.js").ToolsItem} ToolsItem */
/** @typedef {import("./frames.js").Frame} Frame */

/** Reasons for a rejection that go away by themselves. */
const PASSING = new Set(["busy", "rate_limited"]);

/** Errors that the connection deals with, without troubling anybody. */
const HANDLED = new Set(["token_invalid"]);

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
      return { ...state, turn: frame.turn_id, confirmation: null };
    case "turn.completed":
      return state.turn === frame.turn_id ? { ...state, turn: null } : state;
    case "message.started":
      return put(state, openMessage(state, frame.message_id));
    case "message.delta":
      return takeDelta(state, frame);
    case "message.completed":
      return takeMessage(state, frame);
    case "tool.started":
      return takeToolStarted(state, frame);
    case "tool.finished":
      return takeToolFinished(state, frame);
    case "confirmation.requested":
      return takeQuestion(state, frame);
    case "error":
      return takeError(state, frame);
    default:
      return state;
  }
}

/** @param {State} state @param {import("./frames.js").Welcome} frame @returns {State} */
function takeWelcome(state, frame) {
  const { assistant, max_text: maxText = Infinity, conversation_id: conversation, epoch } = frame;
  const known = { ...state, assistant, maxText, conversation, epoch };
  if (frame.resumed === "replay") return known;
  const unsent = state.items.filter((item) => item.kind === "customer" && item.delivery !== "logged");
  return { ...known, seq: 0, turn: null, confirmation: null, items: unsent };
}

/** @param {State} state @param {import("./frames.js").Accepted} frame @returns {State} */
function takeAccepted(state, { id, text }) {
  return put(state, { kind: "customer", id, text, delivery: "logged" });
}

/** @param {State} state @param {import("./frames.js").Rejected} frame @returns {State} */
function takeRejected(state, { id, code, message }) {
  const said = state.items.find((item) => item.kind === "customer" && item.id === id);
  if (said?.kind !== "customer" || said.delivery === "logged") return state;
  const reason = words.rejections[code] ?? message;
  const refused = put(state, { ...said, delivery: "refused", reason, mayRetry: PASSING.has(code) });
  return announce(refused, `${words.notSent} ${reason}`);
}

/** @param {State} state @param {import("./frames.js").MessageDelta} frame @returns {State} */
function takeDelta(state, { message_id, text }) {
  const open = openMessage(state, message_id);
  return put(state, { ...open, text: open.text + text });
}

/** @param {State} state @param {import("./frames.js").MessageCompleted} frame @returns {State} */
function takeMessage(state, { message_id, kind, text, interrupted = false }) {
  return announce(put(state, { ...openMessage(state, message_id), text, says: kind, interrupted }), text);
}

/** @param {State} state @param {import("./frames.js").ToolStarted} frame @returns {State} */
function takeToolStarted(state, frame) {
  /** @type {CallItem} */
  const call = { callId: frame.call_id, hint: frame.hint ?? "", outcome: null };
  const last = state.items.at(-1);
  // Calls that follow one another stand together: they belong to what was just announced.
  if (last?.kind === "tools") return put(state, { ...last, calls: [...last.calls, call] });
  return put(state, { kind: "tools", id: call.callId, calls: [call] });
}

/** @param {State} state @param {import("./frames.js").ToolFinished} frame @returns {State} */
function takeToolFinished(state, { call_id, outcome }) {
  /** @param {CallItem} call */
  const isIt = (call) => call.callId === call_id;
  const group = state.items.find((item) => item.kind === "tools" && item.calls.some(isIt));
  if (group?.kind !== "tools") return state;
  return put(state, {
    ...group,
    calls: group.calls.map((call) => (isIt(call) ? { ...call, outcome } : call)),
  });
}

/** @param {State} state @param {import("./frames.js").ConfirmationRequested} frame @returns {State} */
function takeQuestion(state, { confirmation_id: id, read_back: readBack }) {
  return announce({ ...state, confirmation: { id, readBack } }, words.answerYesOrNo);
}

/** @param {State} state @param {import("./frames.js").ErrorFrame} frame @returns {State} */
function takeError(state, { code }) {
  if (HANDLED.has(code)) return state;
  // The frame's own message is for developers.
  const notice = put(state, {
    kind: "notice",
    id: `error ${state.items.length}`,
    tone: "wrong",
    text: words.wentWrong,
  });
  return announce(notice, words.wentWrong);
}

/** @param {State} state @param {string} id @returns {AssistantItem} the message as far as it is known */
function openMessage(state, id) {
  const known = state.items.find((item) => item.kind === "assistant" && item.id === id);
  return known?.kind === "assistant"
    ? known
    : { kind: "assistant", id, text: "", says: null, interrupted: false };
}

/** @param {State} state @param {Item} item @returns {State} */
function put(state, item) {
  return { ...state, items: putItem(state.items, item) };
}
