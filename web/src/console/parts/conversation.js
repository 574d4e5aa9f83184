/** Draws conversations: a row of a list, what was said, what is known about the customer, and the field for a reply. */

import { html, nothing } from "lit";
import { repeat } from "lit/directives/repeat.js";
import { duration, moment, shortTime, timeOfDay } from "../strings/format.js";
import { button } from "./controls.js";
import { icon } from "./icons.js";
import { badge } from "./messages.js";

/** @typedef {import("./icons.js").IconName} IconName */
/** @typedef {import("../contract.js").Strings} Strings */
/** @typedef {import("../contract.js").ListedConversation} ListedConversation */
/** @typedef {import("../contract.js").TranscriptItem} TranscriptItem */
/** @typedef {import("../contract.js").ToolCall} ToolCall */
/** @typedef {import("./messages.js").Tone} Tone */

/** @type {Readonly<Record<ListedConversation["state"], IconName>>} */
const STATE_ICONS = { waiting: "waiting", taken: "person", ticket: "audit", assistant: "conversations", closed: "ok" };

const NEEDS_PERSON = new Set(["waiting", "taken", "ticket"]);

/**
 * The conversations, each a link to its own address. Nothing moves while the pointer is on the list: the caller keeps
 * the order, and tells how many new ones wait.
 *
 * @param {{ rows: readonly ListedConversation[], current: string, label: string, address: (id: string) => string, now: number }} options
 * @param {Strings} strings
 */
export function conversationList({ rows, current, label, address, now }, strings) {
  return html`<ul class="list" role="list" aria-label=${label}>
    ${repeat(
      rows,
      ({ id }) => id,
      (row) => html`<li>${conversationRow(row, row.id === current, address(row.id), now, strings)}</li>`,
    )}
  </ul>`;
}

/** @param {ListedConversation} row @param {boolean} isCurrent @param {string} address @param {number} now @param {Strings} strings */
export function conversationRow({ id, sample, state, customer, why, last_text: last, since, unanswered_since: unanswered, by, due, priority = "normal", could_take: could }, isCurrent, address, now, { inbox, example }) {
  const told = state === "taken" && by ? inbox.with(by) : inbox.states[state];
  const waits = state === "waiting" ? since : unanswered;
  const free = could && could.length > 0 ? inbox.couldTake(could.slice(0, 2).join(", ")) : inbox.noOneCould;
  const about = [...(due ? [dueText(due, now, inbox)] : []), ...(state === "waiting" ? (could ? [free] : []) : [told])];
  return html`<a class="list-row conversation-row ${state}" href=${address} data-row=${id} aria-current=${isCurrent ? "true" : nothing}>
    ${icon(STATE_ICONS[state])}
    <span class="name" title=${customer.name ?? nothing}
      >${customer.name ?? inbox.visitor(customer.id.slice(0, 4))} ${sample ? badge(example) : nothing}${priority === "high" || priority === "urgent" ? badge(inbox.priorities[priority], priority === "urgent" ? "bad" : "warn", null) : nothing}</span
    >
    <span class="number waits">${waits ? duration(now - waits) : nothing}</span>
    <span class="why soft small" dir="auto">${(NEEDS_PERSON.has(state) && why) || (last ?? why)}</span>
    ${state === "waiting" ? html`<span class="visually-hidden">${told}</span>` : nothing}
    ${about.length > 0 ? html`<span class="state soft small">${about.map((one, at) => html`${at > 0 ? " · " : ""}${one}`)}</span>` : nothing}
  </a>`;
}

/**
 * The time that is left, or by how much it is exceeded, in words.
 *
 * @param {NonNullable<ListedConversation["due"]>} due @param {number} now @param {Strings["inbox"]} inbox
 */
export function dueText({ kind, at }, now, inbox) {
  const late = now > at;
  const time = shortSpan(Math.abs(at - now), inbox);
  return html`<span class=${late ? "late" : "soft"}>${late ? icon("warning") : nothing}${inbox.promises[kind]}: ${late ? inbox.overdue(time) : inbox.left(time)}</span>`;
}

/** @param {number} ms @param {Strings["inbox"]} inbox @returns {string} such as "12 min", "3 h" or "2 days" */
function shortSpan(ms, inbox) {
  const minutes = Math.ceil(ms / 60_000);
  if (minutes < 120) return inbox.minutes(minutes);
  return minutes < 48 * 60 ? inbox.hours(Math.floor(minutes / 60)) : inbox.days(Math.floor(minutes / 1440));
}

/**
 * What was said, oldest first, with what the assistant did in between.
 *
 * @param {readonly TranscriptItem[]} items
 * @param {Strings} strings
 * @param {string} locale
 * @param {(text: string) => void} [use] takes a proposed answer over into the agent's reply
 */
export function transcript(items, strings, locale, use) {
  return html`<ol class="transcript" role="list">
    ${items.map((item) => html`<li class="said ${item.kind}${"how" in item && item.how && item.how !== "response" ? " aside" : ""}">
      <time class="number soft small" datetime=${new Date(item.at).toISOString()} title=${moment(item.at, locale)}
        >${timeOfDay(item.at, locale)}</time
      >
      ${item.kind === "proposal" ? proposal(item, strings, use) : itemView(item, strings)}
    </li>`)}
  </ol>`;
}

/**
 * An answer that the customer did not get, or does not have yet.
 *
 * @param {Extract<TranscriptItem, { kind: "proposal" }>} item
 * @param {Strings} strings
 * @param {((text: string) => void) | undefined} use
 */
function proposal({ text, state, name }, { inbox }, use) {
  return html`<div class="words">
    <span class="speaker">${inbox.proposal}</span> ${badge(`${inbox.proposals[state]}${name ? ` ${name}` : ""}`, state === "waiting" ? "warn" : "plain")}
    <p dir="auto">${text}</p>
    ${use && state !== "approved" ? button({ text: inbox.useProposal, look: "quiet", run: () => use(text) }) : nothing}
  </div>`;
}

/** @param {Exclude<TranscriptItem, { kind: "proposal" }>} item @param {Strings} strings */
function itemView(item, strings) {
  const { inbox } = strings;
  switch (item.kind) {
    case "tools":
      return toolCalls(item.calls, strings);
    case "event":
      return html`<p class="soft small">${item.event ? (inbox.events[item.event]?.(item.name || inbox.someone) ?? item.event) : ""}${item.event && item.text ? html`: <span dir="auto">${item.text}</span>` : item.text}</p>`;
    default:
      return html`<div class="words">
        <span class="speaker">${item.name ?? inbox.speakers[item.kind]}${item.kind === "note" || item.kind === "hint" ? html` <span class="soft">· ${inbox.kinds[item.kind]}</span>` : nothing}${"how" in item && item.how && item.how !== "response" ? html` <span class="soft">· ${inbox.hows[item.how] ?? item.how}</span>` : nothing}</span>
        <p dir="auto">${item.text}${item.files && item.files.length > 0 ? html` <span class="soft small">[${item.files.join(", ")}]</span>` : nothing}${item.interrupted ? html` <em class="soft small">(${inbox.interrupted})</em>` : nothing}</p>
      </div>`;
  }
}

/**
 * Closed, because most readers only want to know how long it took; open if one has failed.
 *
 * @param {readonly ToolCall[]} calls
 * @param {Strings} strings
 */
export function toolCalls(calls, { inbox, locale }) {
  const longest = Math.max(...calls.map(({ ms }) => ms));
  const failed = calls.some(({ outcome }) => outcome !== null && !["ok", "empty", "awaiting_confirmation"].includes(outcome));
  return html`<details class="calls" ?open=${failed}>
    <summary>${inbox.calls(calls.length)}, <span class="number">${shortTime(longest, locale)}</span></summary>
    <ul class="list" role="list">
      ${calls.map(({ tool, ms, outcome, say, ...more }) => html`<li>
        <code>${tool}</code>${outcome === null ? badge(inbox.running, "plain", "spinner") : badge(inbox.outcomes[outcome] ?? outcome, OUTCOME_TONES[outcome] ?? "bad")}
        <span class="number soft small">${shortTime(ms, locale)}</span>
        ${say ? html`<span class="small">${say}</span>` : nothing}
        ${"arguments" in more || "result" in more ? html`<pre class="inside small" tabindex="0" role="group" aria-label=${tool}>${inside(more)}</pre>` : nothing}
      </li>`)}
    </ul>
  </details>`;
}

/** What went into a call, and what came out. @param {{ arguments?: unknown, result?: unknown }} call */
function inside(call) {
  const parts = [call.arguments, call.result].filter((one) => one !== undefined);
  return parts.map((one) => (typeof one === "string" ? one : JSON.stringify(one, null, 1))).join("\n→ ");
}

/** @type {Readonly<Record<string, Tone>>} */
const OUTCOME_TONES = {
  ok: "good",
  empty: "plain",
  cancelled: "plain",
  awaiting_confirmation: "plain",
  unknown: "warn",
  denied: "warn",
};

/**
 * What stands at the side: sections with a heading each.
 *
 * @param {{ label: string, sections: readonly { heading: string, content: unknown }[] }} options
 */
export function sidePanel({ label, sections }) {
  return html`<aside class="side" aria-label=${label}>
    <h2 class="visually-hidden">${label}</h2>
    ${sections.map(({ heading, content }) => html`<section><h3>${heading}</h3>${content}</section>`)}
  </aside>`;
}

/** Names and values. @param {readonly (readonly [string, unknown])[]} rows */
export function facts(rows) {
  return html`<dl class="facts">${rows.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`;
}

/**
 * The field for a reply. Ctrl or ⌘ with Enter sends it; Enter alone begins a new line, as agents write letters.
 *
 * `above` stands over the field, such as a list that `onKey` moves in; `active` is the id of its current element.
 *
 * @param {{ draft: string, write: (text: string) => void, send: () => void, suggest?: () => void, pending?: boolean, label?: string, sendText?: string, above?: unknown, active?: string | null, onKey?: (event: KeyboardEvent) => boolean, hint?: string }} options
 * @param {Strings} strings
 */
export function replyField({ draft, write, send, suggest, pending = false, label, sendText, above, active = null, onKey, hint }, { inbox }) {
  const changed = (/** @type {Event} */ { target }) => write(/** @type {HTMLTextAreaElement} */ (target).value);
  const pressed = (/** @type {KeyboardEvent} */ event) => {
    if (onKey?.(event)) return;
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.isComposing) return;
    event.preventDefault();
    send();
  };
  return html`<div class="reply">
    ${above ?? nothing}
    <label class="visually-hidden" for="reply">${label ?? inbox.reply}</label>
    <textarea class="input" id="reply" rows="3" placeholder=${label ?? inbox.reply} aria-autocomplete=${onKey ? "list" : nothing} aria-activedescendant=${active ?? nothing} aria-controls=${active ? "reply-picker" : nothing} .value=${draft} @input=${changed} @keydown=${pressed}></textarea>
    <div class="buttons">
      <span class="hint soft small">${hint ?? inbox.sendKeys}</span>
      ${suggest ? button({ text: inbox.suggest, run: suggest }) : nothing}
      ${button({ text: sendText ?? inbox.send, look: "primary", pending, run: send })}
    </div>
  </div>`;
}
