/** Draws the timeline of a turn: a table with a bar in each row, to scale, the customer's view on top. */

import { html, nothing, svg } from "lit";
import { count, money, percent, shortTime } from "../strings/format.js";
import { badge } from "./messages.js";

/** @typedef {import("../contract.js").TurnTimeline} TurnTimeline */
/** @typedef {import("../contract.js").RequestSpan} RequestSpan */
/** @typedef {import("../contract.js").CallSpan} CallSpan */
/** @typedef {import("../contract.js").Strings} Strings */
/** @typedef {import("./messages.js").Tone} Tone */

/**
 * @typedef {object} Row
 * @property {unknown} label
 * @property {number} start where it stands in the order
 * @property {readonly Part[]} parts
 * @property {string} when
 * @property {string} takes
 * @property {unknown} [about] more about it, below its name
 * @property {unknown} [cost]
 */

/** @typedef {{ from: number, to: number, look: string, tick?: boolean }} Part a piece of a bar, or a line at `from` */

const WIDTH = 1000;
const SHORTEST_WAIT_MS = 20;
const MARGIN = 1.05; // so that what came last can be seen

/**
 * @param {TurnTimeline} turn
 * @param {Strings} strings
 * @param {string} locale
 * @param {{ request?: (request: RequestSpan) => unknown, call?: (call: CallSpan) => unknown }} [more] drawn below the name, such as a button
 */
export function timeline(turn, strings, locale, more = {}) {
  const { conversations } = strings;
  const rows = rowsOf(turn, strings, locale, more);
  const heads = [conversations.lane, conversations.bar, conversations.takes, conversations.cost];
  return html`<table class="timeline" role="table" aria-label=${conversations.timeline}>
    <thead role="rowgroup">
      <tr role="row">${heads.map((text, n) => html`<th role="columnheader" scope="col">${n === 1 ? scale(turn, text, locale) : text}</th>`)}</tr>
    </thead>
    <tbody role="rowgroup">${rows.map((row) => html`<tr role="row">
      <th role="rowheader" scope="row">
        ${row.label}
        <div class="about number">${row.when ? html`<span>${row.when}</span>` : nothing}${row.about}</div>
      </th>
      <td role="cell" class="bar">${bar(row.parts, turn.length_ms * MARGIN)}</td>
      <td role="cell" class="number takes">${row.takes}</td>
      <td role="cell" class="number cost">${row.cost ?? nothing}</td>
    </tr>`)}</tbody>
  </table>`;
}

/** The times at the beginning, the middle and the end of the bars. @param {TurnTimeline} turn @param {string} text @param {string} locale */
function scale({ length_ms }, text, locale) {
  const length = length_ms * MARGIN;
  return html`<span class="visually-hidden">${text}</span
    ><span class="scale number" aria-hidden="true"
      ><span>0</span><span>${shortTime(length / 2, locale)}</span><span>${shortTime(length, locale)}</span></span
    >`;
}

/** @param {readonly Part[]} parts @param {number} length */
function bar(parts, length) {
  const x = (/** @type {number} */ ms) => (Math.min(Math.max(ms, 0), length) / length) * WIDTH;
  return html`<svg class="bar" viewBox="0 0 ${WIDTH} 20" preserveAspectRatio="none" aria-hidden="true">
    <path class="grid" d="M0 0V20M${WIDTH / 2} 0V20M${WIDTH} 0V20" />
    ${parts.map(({ from, to, look, tick }) =>
      tick
        ? svg`<path class="tick ${look}" d="M${x(from)} 1V19" />`
        : svg`<rect class=${look} x=${x(from)} y="4" width=${Math.max(x(to) - x(from), 3)} height="12" />`,
    )}
  </svg>`;
}

/** @param {TurnTimeline} turn @param {Strings} strings @param {string} locale @param {{ request?: (request: RequestSpan) => unknown, call?: (call: CallSpan) => unknown }} more @returns {readonly Row[]} */
function rowsOf(turn, strings, locale, more) {
  const rows = [
    ...turn.requests.map((request) => requestRow(request, turn, strings, locale, more.request)),
    ...turn.calls.map((call) => callRow(call, turn, strings, locale, more.call)),
    ...heldRows(turn, strings, locale),
  ].sort((one, other) => one.start - other.start);
  return [...screenRows(turn, strings, locale), ...beforeRow(turn, strings, locale), ...rows];
}

/** @param {TurnTimeline} turn @param {Strings} strings @param {string} locale @returns {readonly Row[]} */
function screenRows({ messages, length_ms: length }, { conversations }, locale) {
  const shown = messages.filter(({ text }) => text.trim());
  const [first] = shown;
  if (!first) return [];
  const seen = shown.map(({ reached }) => reached.seen?.[0]).findLast(Boolean);
  const heard = shown.filter(({ reached }) => reached.heard);
  const sees = {
    label: conversations.customerSees,
    start: 0,
    parts: [
      // A message stays on the screen; its part goes on until the next one begins.
      ...shown.map(({ kind, start_ms: from }, n) => ({
        from,
        to: shown[n + 1]?.start_ms ?? length * MARGIN,
        look: kind ?? "open",
      })),
      ...(seen && seen <= length ? [{ from: seen, to: seen, look: "seen", tick: true }] : []),
    ],
    when: "",
    takes: "",
    about: [
      ...shown.map(({ kind, start_ms: from }) => html`<span class="key ${kind ?? "open"}">${conversations.kinds[kind ?? "open"]} ${shortTime(from, locale)}</span>`),
      seen ? html`<span>${conversations.seen(shortTime(seen, locale))}</span>` : nothing,
    ],
  };
  if (heard.length === 0) return [sees];
  const until = Math.max(...heard.map(({ reached }) => reached.heard?.[0] ?? 0));
  const hears = {
    label: conversations.customerHears,
    start: 0,
    parts: heard.map(({ start_ms: from, reached }) => ({ from, to: reached.heard?.[0] ?? from, look: "heard" })),
    when: "",
    takes: "",
    about: html`<span>${conversations.heard(shortTime(until, locale))}</span>`,
  };
  return [sees, hears];
}

/** The time before the first model was asked. @param {TurnTimeline} turn @param {Strings} strings @param {string} locale @returns {readonly Row[]} */
function beforeRow({ requests }, { conversations }, locale) {
  const until = requests[0]?.start_ms ?? 0;
  if (until < SHORTEST_WAIT_MS) return [];
  return [
    {
        label: conversations.before,
      start: 0,
      parts: [{ from: 0, to: until, look: "before" }],
      when: "",
      takes: shortTime(until, locale),
    },
  ];
}

/** @param {RequestSpan} request @param {TurnTimeline} turn @param {Strings} strings @param {string} locale @param {((request: RequestSpan) => unknown) | undefined} more @returns {Row} */
function requestRow(request, { length_ms: length }, { conversations }, locale, more) {
  const { role, attempt, model, start_ms: from, first_ms: first, end_ms: to, error, stopped } = request;
  const told = [
    attempt > 1 ? conversations.attempt(attempt) : "",
    first === null ? "" : conversations.firstToken(shortTime(first - from, locale)),
  ].filter(Boolean);
  return {
    label: html`<span>${conversations.roles[role]}</span> <span class="soft">${model}</span>`,
    start: from,
    parts: [
      { from, to: first ?? to ?? length, look: error ? "bad" : "thinks" },
      ...(first === null ? [] : [{ from: first, to: to ?? length, look: "streams" }]),
    ],
    when: conversations.at(shortTime(from, locale)),
    takes: to === null ? conversations.stillRuns : shortTime(to - from, locale),
    about: [
      ...told.map((text) => html`<span>${text}</span>`),
      error ? badge(conversations.requestFailed, "bad") : nothing,
      stopped ? badge(conversations.stopped, "plain") : nothing,
      more?.(request) ?? nothing,
    ],
    cost: costOf(request, conversations, locale),
  };
}

/**
 * @param {Pick<RequestSpan, "input_tokens" | "output_tokens" | "cached_tokens" | "cost_usd">} request
 * @param {Strings["conversations"]} conversations
 * @param {string} locale
 */
export function costOf({ input_tokens: input, output_tokens: output, cached_tokens: cached, cost_usd: usd }, conversations, locale) {
  const price = usd === null ? conversations.costUnknown : usd === 0 ? conversations.free : money(usd, locale);
  const tokens = input === null || output === null ? "" : `${count(input, locale)} + ${count(output, locale)}`;
  return html`${price}<div class="about">${tokens ? conversations.tokensInOut(tokens) : nothing}
    ${cached && input ? html`<span>${conversations.cached(percent(cached / input, locale))}</span>` : nothing}</div>`;
}

/** @type {Readonly<Record<string, Tone>>} */
const CALL_TONES = { empty: "plain", cancelled: "plain", awaiting_confirmation: "plain", denied: "warn", unknown: "warn" };

/** @param {CallSpan} call @param {TurnTimeline} turn @param {Strings} strings @param {string} locale @param {((call: CallSpan) => unknown) | undefined} more @returns {Row} */
function callRow(call, { length_ms: length }, { conversations, inbox }, locale, more) {
  const { tool, requested_ms: asked, start_ms: from, end_ms: to, outcome, late, reused_from: reused } = call;
  const failed = outcome !== null && outcome !== "ok" && outcome !== "empty";
  const end = to ?? length;
  return {
    label: html`<code>${tool}</code>`,
    start: from ?? asked,
    parts: from === null ? [{ from: asked, to: asked, look: "plain", tick: true }] : [{ from, to: end, look: failed ? "bad" : "runs" }],
    when: conversations.at(shortTime(from ?? asked, locale)),
    takes: from === null ? conversations.notRun : to === null ? conversations.stillRuns : shortTime(to - from, locale),
    about: [
      outcome && outcome !== "ok" ? badge(inbox.outcomes[outcome] ?? outcome, CALL_TONES[outcome] ?? "bad") : nothing,
      late ? badge(conversations.late, "warn") : nothing,
      reused ? html`<span>${conversations.reused(reused)}</span>` : nothing,
      more?.(call) ?? nothing,
    ],
  };
}

/** @param {TurnTimeline} turn @param {Strings} strings @param {string} locale @returns {readonly Row[]} */
function heldRows({ held }, { conversations }, locale) {
  const [first] = held;
  if (!first) return [];
  return [
    {
        label: conversations.held,
      start: first.at_ms,
      parts: held.map(({ at_ms: at }) => ({ from: at, to: at, look: "held", tick: true })),
      when: conversations.at(shortTime(first.at_ms, locale)),
      takes: "",
      about: [...new Set(held.map(({ guardrail }) => guardrail))].map(
        (one) => html`<span>${conversations.guardrails[one] ?? one}</span>`,
      ),
    },
  ];
}
