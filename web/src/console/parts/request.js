/** Draws a request to a model in sections, the reply as it streamed, and what guardrails held back. */

import { html, nothing } from "lit";
import { count, percent, shortTime } from "../strings/format.js";
import { notice } from "./messages.js";

/** @typedef {import("../contract.js").InspectedRequest} InspectedRequest */
/** @typedef {import("../contract.js").RequestSpan} RequestSpan */
/** @typedef {import("../contract.js").Strings} Strings */

/** @param {InspectedRequest} inspected @param {RequestSpan} span @param {Strings} strings @param {string} locale */
export function requestView({ rebuilt, problem, reply, held }, span, strings, locale) {
  const { inspect } = strings.conversations;
  return html`<h4>${inspect.request}</h4>
    ${rebuilt ? sections(rebuilt, span, strings, locale) : notice({ tone: "warn", title: inspect.notRebuilt, text: [problem] })}
    <h4>${inspect.reply}</h4>
    ${reply.length > 0 ? replyList(reply, strings, locale) : html`<p class="soft">${span.deleted ? inspect.deleted : inspect.noReply}</p>`}
    ${span.error ? notice({ tone: "bad", title: strings.conversations.requestFailed, text: [span.error] }) : nothing}
    ${held.length > 0 ? html`<h4>${strings.conversations.held}</h4>${heldList(held, strings, locale)}` : nothing}`;
}

/** @param {NonNullable<InspectedRequest["rebuilt"]>} rebuilt @param {RequestSpan} span @param {Strings} strings @param {string} locale */
function sections({ sections: parts, same_prompts: same, counted_by: counter }, span, { conversations }, locale) {
  const { inspect } = conversations;
  const all = parts.reduce((sum, { tokens }) => sum + tokens, 0);
  const { input_tokens: input, cached_tokens: cached } = span;
  const reported = input === null ? inspect.notReported : inspect.reported(count(input, locale));
  const share = cached !== null && input ? inspect.cachedShare(percent(cached / input, locale)) : "";
  return html`<p class="soft small">${inspect.how} ${same ? inspect.samePrompts : inspect.otherPrompts}</p>
    <ul class="list" role="list">
      ${parts.map(
        ({ name, text, tokens }) => html`<li><details class="request-part">
          <summary>
            <span>${inspect.parts[name] ?? name}</span>
            <meter min="0" max=${all} value=${tokens} aria-hidden="true"></meter>
            <span class="number soft">${count(tokens, locale)}</span>
          </summary>
          <pre tabindex="0">${text}</pre>
        </details></li>`,
      )}
    </ul>
    <p class="soft small number">${inspect.counted(count(all, locale))} (${counter}). ${reported} ${share}</p>`;
}

/** @param {InspectedRequest["reply"]} reply @param {Strings} strings @param {string} locale */
function replyList(reply, { conversations }, locale) {
  const { inspect } = conversations;
  return html`<ol class="reply-pieces" role="list">
    ${reply.map(
      ({ at_ms: at, kind, text }) => html`<li>
        <span class="number soft">${shortTime(at, locale)}</span>
        ${kind === "text" ? html`<span class="piece">${text}</span>` : html`<span><span class="soft">${inspect.kinds[kind]}</span> <code>${text}</code></span>`}
      </li>`,
    )}
  </ol>`;
}

/** @param {InspectedRequest["held"]} held @param {Strings} strings @param {string} locale */
function heldList(held, { conversations }, locale) {
  return html`<ul class="list" role="list">
    ${held.map(
      ({ at_ms: at, guardrail, text }) => html`<li>
        <p><span class="number soft">${shortTime(at, locale)}</span> <q>${text}</q></p>
        <p class="soft small">${conversations.guardrails[guardrail] ?? guardrail}: ${conversations.inspect.why[guardrail] ?? ""}</p>
      </li>`,
    )}
  </ul>`;
}
