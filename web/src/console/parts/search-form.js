/** Draws what conversations are searched by. The address keeps it, so that a search can be shared and gone back to. */

import { html, nothing } from "lit";
import { live } from "lit/directives/live.js";
import { button, onSubmit, select } from "./controls.js";

/** @typedef {import("../contract.js").Strings} Strings */
/** @typedef {Readonly<Record<string, string>>} Asked by the names of the fields; an empty one is left out */

export const SEARCH_FIELDS = /** @type {const} */ ([
  "q",
  "outcome",
  "rating",
  "customer",
  "tool",
  "call",
  "since",
  "until",
  "cost_from",
  "cost_to",
  "language",
  "version",
]);

const BEFORE_MORE = new Set(["q", "outcome", "rating"]);
const DAY_MS = 86_400_000;

/**
 * @param {URLSearchParams} query
 * @returns {Asked} what the address asks for
 */
export function askedIn(query) {
  return Object.fromEntries(SEARCH_FIELDS.map((name) => [name, query.get(name) ?? ""]).filter(([, value]) => value));
}

/**
 * The same for the server, which has no time zone: days become Unix milliseconds.
 *
 * @param {Asked} asked
 * @returns {Record<string, string>}
 */
export function requestOf({ since = "", until = "", ...asked }) {
  const from = midnight(since);
  const to = midnight(until);
  return {
    ...asked,
    ...(from === null ? {} : { since: String(from) }),
    // The whole day is meant, and a day may have 23 or 25 hours.
    ...(to === null ? {} : { until: String(new Date(to + 1.5 * DAY_MS).setHours(0, 0, 0, 0)) }),
  };
}

/** @param {string} day such as `2026-11-27` @returns {number | null} when it begins here; null: it is no day */
function midnight(day) {
  const at = /^\d{4}-\d\d-\d\d$/.test(day) ? new Date(`${day}T00:00`).getTime() : Number.NaN;
  return Number.isNaN(at) ? null : at;
}

/** @param {Asked} asked @param {(asked: Asked) => void} search @param {Strings} strings */
export function searchForm(asked, search, { conversations, inbox }) {
  const { fields, outcomes, ratings } = conversations;
  const more = Object.keys(asked).filter((name) => !BEFORE_MORE.has(name)).length;
  const send = (/** @type {FormData} */ values) =>
    search(Object.fromEntries(SEARCH_FIELDS.map((name) => [name, String(values.get(name) ?? "").trim()])));
  const choose = (/** @type {Event} */ { target, currentTarget }) => {
    const chosen = target instanceof HTMLSelectElement || (target instanceof HTMLInputElement && target.type === "date");
    if (chosen) /** @type {HTMLFormElement} */ (currentTarget).requestSubmit();
  };
  /** @param {keyof typeof fields & string} name @param {string} [type] @param {string} [step] */
  const text = (name, type = "text", step) => html`<div class="field">
    <label for=${name}>${fields[name]}</label>
    <input class="input" id=${name} name=${name} type=${type} min=${type === "number" ? "0" : nothing} step=${step ?? nothing} autocomplete="off" .value=${live(asked[name] ?? "")} />
  </div>`;
  /** @param {keyof typeof fields & string} name @param {Readonly<Record<string, string>>} texts */
  const choice = (name, texts) =>
    select({
      name,
      label: fields[name],
      value: asked[name] ?? "",
      options: [["", conversations.any], ...Object.entries(texts)],
      choose: () => {},
    });
  return html`<form class="search" role="search" @submit=${onSubmit(send)} @change=${choose}>
    <div class="filters">
      ${text("q", "search")} ${choice("outcome", outcomes)} ${choice("rating", ratings)}
      ${button({ text: conversations.search, icon: "search", look: "primary" })}
    </div>
    <details class="more" ?open=${more > 0}>
      <summary>${conversations.more}${more > 0 ? html` <span class="number">(${more})</span>` : nothing}</summary>
      <div class="filters">
        ${text("customer")} ${text("tool")} ${choice("call", inbox.outcomes)} ${text("since", "date")} ${text("until", "date")}
        ${text("cost_from", "number", "any")} ${text("cost_to", "number", "any")} ${text("language")} ${text("version")}
      </div>
    </details>
  </form>`;
}
