/** Draws a group of tool calls as chips, with an icon and a text for the state of each. */

import { html, nothing } from "lit";
import { repeat } from "lit/directives/repeat.js";
import { icon } from "./icons.js";

/** @typedef {import("./contract.js").CallItem} CallItem */
/** @typedef {NonNullable<CallItem["progress"]>} Progress */

/** @param {import("./contract.js").ToolsItem} item @param {import("./contract.js").ViewContext} context */
export function tools({ calls }, { strings, state }) {
  // Safari does not announce a list without bullets as a list unless it has the role.
  return html`
    <ul class="tools" part="tools" role="list">${repeat(
      calls,
      ({ callId }) => callId,
      (call) => toolChip(call, strings, state.locale),
    )}</ul>
  `;
}

/** @param {CallItem} call @param {import("../strings/index.js").Strings} strings @param {string} locale */
function toolChip({ hint, outcome, delayed = false, progress }, strings, locale) {
  const said = hint.trim() || strings.working;
  const label = capitalised(said, locale);
  return html`<li class="chip" part="tool" data-outcome=${outcome ?? "running"} ?data-delayed=${delayed && outcome === null} dir="auto">
    ${icon(iconName(outcome))}<span>${label}${outcome === null ? "…" : outcomeText(outcome, strings)}</span>
    ${progress === undefined || outcome !== null ? nothing : progressBar(progress, label)}
  </li>`;
}

/** How far it is: a bar where the whole is known, and the numbers. @param {Progress} progress @param {string} label */
function progressBar({ done, total, unit }, label) {
  const count = `${done}${total === null ? "" : `/${total}`}${unit === null ? "" : ` ${unit}`}`;
  const bar = total === null ? nothing : html`<progress max=${total} value=${done} aria-label=${label}></progress>`;
  return html`<span class="progress" part="tool-progress">${bar}${count}</span>`;
}

/** @param {CallItem["outcome"]} outcome */
function iconName(outcome) {
  switch (outcome) {
    case null:
      return "spinner";
    case "ok":
    case "empty":
      return "ok";
    case "unknown":
      return "unsure";
    default:
      return "failed";
  }
}

/**
 * The text of the outcome. For success it is hidden, because the icon shows it; screen readers still read it.
 *
 * @param {NonNullable<CallItem["outcome"]>} outcome
 * @param {import("../strings/index.js").Strings} strings
 */
function outcomeText(outcome, strings) {
  const word = strings.outcomes[outcome] ?? strings.outcomes.unknown;
  return html`<span class=${outcome === "ok" ? "visually-hidden" : "ending"}>: ${word}</span>`;
}

/** @param {string} text @param {string} locale */
function capitalised(text, locale) {
  const [first = ""] = text;
  return (locale.startsWith("tr") ? first.toLocaleUpperCase("tr") : first.toUpperCase()) + text.slice(first.length);
}
