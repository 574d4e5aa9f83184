/** Draws what was said in a turn, oldest first, with what was done in between. */

import { html, nothing } from "lit";
import { moment, timeOfDay } from "../strings/format.js";
import { toolCalls } from "./conversation.js";
import { badge } from "./messages.js";

/** @typedef {import("../contract.js").DetailItem} DetailItem */
/** @typedef {import("../contract.js").Strings} Strings */

/** @param {readonly DetailItem[]} items @param {Strings} strings @param {string} locale */
export function said(items, strings, locale) {
  return html`<ol class="transcript" role="list">
    ${items.map((item) => html`<li class="said ${item.kind}">${itemView(item, strings, locale)}</li>`)}
  </ol>`;
}

/** @param {DetailItem} item @param {Strings} strings @param {string} locale */
function itemView(item, strings, locale) {
  switch (item.kind) {
    case "tools":
      return toolCalls(item.calls, strings);
    case "event":
      return event(item, strings);
    default:
      return message(item, strings, locale);
  }
}

/** @param {Extract<DetailItem, { text: string }>} item @param {Strings} strings @param {string} locale */
function message(item, { inbox, conversations }, locale) {
  const { kind, at_ms: at, name, text, files, how, interrupted, message_kind: messageKind, rating } = item;
  const about = [
    kind === "assistant" ? conversations.kinds[messageKind ?? "open"] : "",
    how === "spoken" ? conversations.spoken : how === "button" ? conversations.button : "",
  ].filter(Boolean);
  return html`<div class="words">
    <span class="speaker">
      <span>${name || inbox.speakers[kind]}</span>
      <time class="number soft" datetime=${new Date(at).toISOString()} title=${moment(at, locale)}>${timeOfDay(at, locale)}</time>
      ${about.length > 0 ? html`<span class="soft">${about.join(", ")}</span>` : nothing}
    </span>
    <p dir="auto">${text}${interrupted ? html` <em class="soft small">(${inbox.interrupted})</em>` : nothing}</p>
    ${files.map((file) => html`<p class="soft small">${file}</p>`)}
    ${rating
      ? html`<p>${badge(conversations.ratings[rating], rating === "up" ? "good" : "bad")} ${item.rating_text}</p>`
      : nothing}
  </div>`;
}

/** @param {Extract<DetailItem, { kind: "event" }>} item @param {Strings} strings */
function event({ event: name, about }, { conversations }) {
  const { answers, events, guardrails, handoffs, levels } = conversations;
  switch (name) {
    case "held":
      return html`<p class="soft small">
        ${badge(events.held, "warn")} ${guardrails[about.guardrail ?? ""] ?? about.guardrail}: <q>${about.text}</q>
      </p>`;
    case "handoff":
      return html`<p class="soft small">
        ${events.handoff}: ${[handoffs[about.state ?? ""] ?? about.state, about.name, about.ticket].filter(Boolean).join(", ")}${about.why
          ? html` (${about.why})`
          : nothing}
      </p>`;
    case "answer":
      return html`<p class="soft small">${events.answer} ${answers[about.answer ?? ""] ?? about.answer}</p>`;
    case "identified":
      return html`<p class="soft small">${events.identified}: ${[levels[about.level ?? ""], about.customer].filter(Boolean).join(", ")}</p>`;
    case "summary":
      return html`<details class="calls"><summary>${events.summary}</summary><p>${about.text}</p></details>`;
    default:
      return html`<p class="soft small">${events[name] ?? name}${about.names ? html`: ${about.names}` : nothing}</p>`;
  }
}

/** @param {{ name: string | null, level: string, customer: string }} who @param {Strings["inbox"]} inbox */
export function nameOf({ name, level, customer }, inbox) {
  return name ?? (level === "anonymous" ? inbox.visitor(customer.slice(0, 4)) : customer);
}
