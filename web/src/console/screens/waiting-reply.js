/** One reply of the assistant that waits for a colleague: the question, what it rests on, and what becomes of it. */

import { html, nothing } from "lit";
import { button } from "../parts/controls.js";
import { badge } from "../parts/messages.js";
import { duration } from "../strings/format.js";

/** @typedef {import("../contract.js").Context} Context */
/** @typedef {import("../contract.js").WaitingReply} WaitingReply */
/** @typedef {"approved" | "edited" | "rejected"} ReplyDecision */

/** @param {WaitingReply} reply */
export function replyKey({ conversation, turn }) {
  return `${conversation}/${turn}`;
}

/**
 * @param {WaitingReply} reply
 * @param {{ draft: string, write: (text: string) => void, decide: (decision: ReplyDecision) => void, pending: boolean }} options
 * @param {Context} context
 */
export function waitingReply(reply, { draft, write, decide, pending }, { strings, address, may }) {
  const { waitingReplies: texts, approvals } = strings;
  const { customer, conversation, question, calls, until } = reply;
  const name = customer.name ?? strings.inbox.visitor(customer.id.slice(0, 4));
  const left = until - Date.now();
  const edited = draft.trim() !== reply.text.trim();
  const changed = (/** @type {Event} */ { target }) => write(/** @type {HTMLTextAreaElement} */ (target).value);
  const id = `reply-${replyKey(reply)}`;
  return html`<li class="approval" data-reply=${replyKey(reply)}>
    <div class="approval-head">
      <h2>
        ${may("conversations.read") ? html`<a href=${address(`conversations/${encodeURIComponent(conversation)}`)}>${name}</a>` : name}
        ${badge(approvals.levels[reply.level] ?? reply.level)}
      </h2>
      ${badge(left > 0 ? texts.left(duration(left)) : texts.over, left > 30_000 ? "plain" : "warn")}
    </div>
    <dl class="facts">
      <dt>${texts.question}</dt>
      <dd dir="auto">${question ?? html`<span class="soft">${texts.noQuestion}</span>`}</dd>
      <dt>${texts.results}</dt>
      <dd>
        ${calls.length > 0
          ? calls.map(({ tool, outcome, result, arguments: given }) => html`<div><code>${tool}</code> ${badge(strings.inbox.outcomes[outcome] ?? outcome, outcome === "ok" ? "good" : "warn")}
              <pre class="inside small" tabindex="0" role="group" aria-label=${tool}>${[given, result].map((one) => JSON.stringify(one, null, 1)).join("\n→ ")}</pre></div>`)
          : html`<span class="soft">${texts.noResults}</span>`}
      </dd>
    </dl>
    <div class="field">
      <label for=${id}>${texts.reply}</label>
      <textarea class="input" id=${id} rows="4" dir="auto" maxlength="8000" .value=${draft} @input=${changed}></textarea>
      ${edited ? html`<p class="hint">${texts.editHint}</p>` : nothing}
    </div>
    <div class="buttons">
      ${edited
        ? button({ text: texts.edit, look: "primary", pending, run: () => draft.trim() && decide("edited") })
        : button({ text: texts.approve, label: texts.approveOf(name), look: "primary", pending, run: () => decide("approved") })}
      ${button({ text: texts.reject, label: texts.rejectOf(name), pending, run: () => decide("rejected") })}
    </div>
    <p class="hint soft small">${texts.rejectHint}</p>
  </li>`;
}
