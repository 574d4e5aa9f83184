/** Draws a turn next to the same turn of a trial, and what differs. */

import { html, nothing } from "lit";
import { badge } from "./messages.js";
import { said } from "./said.js";
import { timeline } from "./timeline.js";

/** @typedef {import("../contract.js").ReplayedTurn} ReplayedTurn */
/** @typedef {import("../contract.js").DetailSection} DetailSection */
/** @typedef {import("../contract.js").Strings} Strings */

/**
 * @param {ReplayedTurn} turn
 * @param {Strings} strings
 * @param {string} locale
 * @param {string} now what the side of the trial is called
 */
export function comparison({ turn_id: id, before, now: played, changes }, strings, locale, now) {
  const { trials } = strings.conversations;
  return html`<div class="comparison">
      ${side(trials.before, before, strings, locale, `${id}-before`)} ${side(now, played, strings, locale, `${id}-now`)}
    </div>
    ${changes.length === 0 ? nothing : differences(changes, strings, now)}`;
}

/** @param {string} name @param {readonly DetailSection[]} sections @param {Strings} strings @param {string} locale @param {string} id */
function side(name, sections, strings, locale, id) {
  const { conversations } = strings;
  return html`<section class="side-by-side" aria-labelledby=${id}>
    <h3 id=${id}>${name}</h3>
    ${sections.length === 0 ? html`<p class="soft">${conversations.trials.notAnswered}</p>` : nothing}
    ${sections.map(
      ({ turn, items }) => html`${said(items, strings, locale)}
        ${turn === null
          ? nothing
          : html`<details class="calls"><summary>${conversations.timeline}</summary>${timeline(turn, strings, locale)}</details>`}`,
    )}
  </section>`;
}

/** @param {ReplayedTurn["changes"]} changes @param {Strings} strings @param {string} now */
function differences(changes, { conversations, inbox }, now) {
  const { trials } = conversations;
  return html`<table class="differences" role="table" aria-label=${trials.differs}>
    <thead role="rowgroup"><tr role="row">
      ${[trials.differs, trials.before, now].map((text) => html`<th role="columnheader" scope="col">${text}</th>`)}
    </tr></thead>
    <tbody role="rowgroup">${changes.map(({ part, before, now: is }) => html`<tr role="row">
      <th role="rowheader" scope="row">${badge(trials.parts[part], "warn")}</th>
      <td role="cell" data-name=${trials.before}>${lines(only(before, is), part)}</td>
      <td role="cell" data-name=${now}>${lines(only(is, before), part)}</td>
    </tr>`)}</tbody>
  </table>`;

  /** @param {readonly string[]} shown @param {string} part */
  function lines(shown, part) {
    if (shown.length === 0) return html`<span class="soft">${trials.nothing}</span>`;
    return shown.map((line) => html`<p dir="auto">${words(line, part)}</p>`);
  }

  /** The server's words for a call's outcome and a turn's end become those of the person. @param {string} line @param {string} part */
  function words(line, part) {
    if (part === "ended") return conversations.hows[line] ?? line;
    const [, call, outcome = ""] = /^(.*): (\w+)$/s.exec(line) ?? [];
    return part === "calls" && call ? html`<code>${call}</code> ${inbox.outcomes[outcome] ?? outcome}` : line;
  }
}

/** The lines that the other side does not have. @param {readonly string[]} lines @param {readonly string[]} others */
function only(lines, others) {
  return lines.filter((line) => !others.includes(line));
}
