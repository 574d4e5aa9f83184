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
/** @typedef {import("./state.js").AssistantItem} AssistantItem */

/** These carry a number without being one step of the numbered row. */
const OUTSIDE_THE_ROW = new Set(["welcome", "snapshot"]);

/** Reasons for a rejection that go away by themselves. */
const PASSING = new Set(["busy", "rate_limited"]);

/** The connection deals with these without troubling anybody. */
const HANDLED = new Set(["token_invalid"]);

const steps = {
  welcome: takeWelcome,
  snapshot: takeSnapshot,
  accepted: takeAccepted,
  rejected: takeRejected,
  "turn.started": takeTurnStarted,
  "turn.completed": takeTurnCompleted,
  "message.started": takeMessageStarted,
  "message.delta": takeMessageDelta,
  "message.completed": takeMessageCompleted,
  "tool.started": takeToolStarted,
  "tool.finished": takeToolFinished,
  "confirmation.requested": takeConfirmation,
  error: takeError,
};

/**
 * @param {State} state is left as it was
 * @param {import("./frames.js").Frame} frame
 * @returns {State}
 */
export function reduce(state, frame) {
  const step = Object.hasOwn(steps, frame.type) ? steps[frame.type] : (same) => same;
  if (typeof frame.seq !== "number" || OUTSIDE_THE_ROW.has(frame.type)) return step(state, frame);
  return frame.seq <= state.seq ? state : step({ ...state, seq: frame.seq }, frame);
}

function takeWelcome(state, frame) {
  const { assistant, max_text: maxText = Infinity, conversation_id: conversation, epoch } = frame;
  const known = { ...state, assistant, maxText, conversation, epoch };
  if (frame.resumed === "replay") return known;
  const unsent = state.items.filter((item) => item.kind === "customer" && item.delivery !== "logged");
  return { ...known, seq: 0, turn: null, confirmation: null, items: unsent };
}

function takeAccepted(state, frame) {
  const mine = state.items.find((item) => item.kind === "customer" && item.id === frame.id);
  const text = frame.text ?? mine?.text;
  if (text === undefined) return state;
  return { ...state, items: putItem(state.items, { kind: "customer", id: frame.id, text, delivery: "logged" }) };
}

function takeRejected(state, frame) {
  const mine = state.items.find((item) => item.kind === "customer" && item.id === frame.id);
  if (mine === undefined || mine.delivery === "logged") return state;
  const reason = words.rejections[frame.code] ?? frame.message;
  const refused = { ...mine, delivery: "refused", reason, mayRetry: PASSING.has(frame.code) };
  return announce({ ...state, items: putItem(state.items, refused) }, `${words.notSent} ${reason}`);
}

function takeTurnStarted(state, frame) {
  return { ...state, turn: frame.turn_id, confirmation: null };
}

function takeTurnCompleted(state, frame) {
  return state.turn === frame.turn_id || state.turn === null ? { ...state, turn: null } : state;
}

/** @returns {AssistantItem} the message as far as it is known */
function openMessage(state, id) {
  const known = state.items.find((item) => item.kind === "assistant" && item.id === id);
  return known ?? { kind: "assistant", id, text: "", says: null, interrupted: false };
}

function takeMessageStarted(state, frame) {
  return { ...state, items: putItem(state.items, openMessage(state, frame.message_id)) };
}

function takeMessageDelta(state, frame) {
  const open = openMessage(state, frame.message_id);
  return { ...state, items: putItem(state.items, { ...open, text: open.text + frame.text }) };
}

function takeMessageCompleted(state, frame) {
  const open = openMessage(state, frame.message_id);
  const done = { ...open, text: frame.text, says: frame.kind, interrupted: frame.interrupted ?? false };
  return announce({ ...state, items: putItem(state.items, done) }, frame.text);
}

function takeToolStarted(state, frame) {
  const call = { callId: frame.call_id, hint: frame.hint ?? "", outcome: null };
  const last = state.items.at(-1);
  // Calls that follow one another stand together: they belong to what was just announced.
  const group = last?.kind === "tools" ? { ...last, calls: [...last.calls, call] } : { kind: "tools", id: call.callId, calls: [call] };
  return { ...state, items: putItem(state.items, group) };
}

function takeToolFinished(state, frame) {
  const isIt = (call) => call.callId === frame.call_id;
  const group = state.items.find((item) => item.kind === "tools" && item.calls.some(isIt));
  if (group === undefined) return state;
  const calls = group.calls.map((call) => (isIt(call) ? { ...call, outcome: frame.outcome } : call));
  return { ...state, items: putItem(state.items, { ...group, calls }) };
}

function takeConfirmation(state, frame) {
  const asked = { ...state, confirmation: { id: frame.confirmation_id, readBack: frame.read_back } };
  return announce(asked, words.answerYesOrNo);
}

function takeError(state, frame) {
  if (HANDLED.has(frame.code)) return state;
  // The frame's own message is for developers.
  const notice = { kind: "notice", id: `${frame.code}@${state.items.length}`, tone: "wrong", text: words.wentWrong };
  return announce({ ...state, items: putItem(state.items, notice) }, words.wentWrong);
}
