/** Draws badges, empty states, problems, and what is loading. */

import { html, nothing } from "lit";
import { button } from "./controls.js";
import { icon } from "./icons.js";

/** @typedef {import("./icons.js").IconName} IconName */
/** @typedef {import("../strings/index.js").Strings} Strings */
/** @typedef {import("../api.js").ApiProblem} ApiProblem */
/** @typedef {"good" | "warn" | "bad" | "accent" | "plain"} Tone */

/** @type {Readonly<Record<Tone, IconName>>} a tone never relies on its colour alone */
const TONE_ICONS = { good: "ok", warn: "warning", bad: "failed", accent: "info", plain: "info" };

/** @param {string} text @param {Tone} tone @param {IconName | null} [sign] null: none */
export function badge(text, tone = "plain", sign = tone === "plain" ? null : TONE_ICONS[tone]) {
  return html`<span class="badge ${tone}">${sign ? icon(sign) : nothing}${text}</span>`;
}

/**
 * A message in the page.
 *
 * @param {{ tone: Tone, title: string, text?: readonly string[], actions?: unknown, urgent?: boolean }} options
 */
export function notice({ tone, title, text = [], actions, urgent = false }) {
  return html`<div class="notice ${tone}" role=${urgent ? "alert" : nothing}>
    ${icon(TONE_ICONS[tone])}<strong>${title}</strong>
    ${text.length > 0 ? html`<p>${text.join(" ")}</p>` : nothing}
    ${actions ? html`<div class="buttons">${actions}</div>` : nothing}
  </div>`;
}

/**
 * Says what stands here later, and how to get it.
 *
 * @param {{ icon: IconName, title: string, text?: string, actions?: unknown }} options
 */
export function empty({ icon: name, title, text, actions }) {
  return html`<div class="empty">
    ${icon(name)}
    <strong>${title}</strong>
    ${text ? html`<p class="soft">${text}</p>` : nothing}
    ${actions ? html`<div class="buttons">${actions}</div>` : nothing}
  </div>`;
}

/** @param {Strings} strings */
export function loading(strings) {
  return html`<p class="loading">${icon("spinner")}${strings.loading}</p>`;
}

/**
 * What went wrong, in three parts: what happened, what is safe, what to do.
 *
 * @param {ApiProblem} problem
 * @param {Strings} strings
 * @param {() => void} [again]
 */
export function problemNotice(problem, strings, again) {
  const { kind, code, message, uncertain } = problem;
  const { problems } = strings;
  const known = problems.codes[code];
  const title = known ?? ((kind === "invalid" && message) || problems[kind]);
  return notice({
    tone: kind === "busy" ? "warn" : "bad",
    title,
    // A text about one code says itself what to do.
    text: [uncertain ? problems.uncertain : problems.unchanged, ...(known && kind !== "busy" ? [] : [cure(problem, strings)])],
    actions: again ? button({ text: strings.tryAgain, run: again }) : undefined,
    urgent: true,
  });
}

/** @param {ApiProblem} problem @param {Strings} strings */
function cure({ kind, waitS }, { problems }) {
  return kind === "busy" ? problems.busyCure(Math.max(1, Math.ceil(waitS))) : problems[`${kind}Cure`];
}

/**
 * The text of a problem that belongs to one field, where the server names it by its code.
 *
 * @param {ApiProblem | null} problem
 * @param {readonly string[]} codes those of the field
 * @param {Strings} strings
 */
export function problemOf(problem, codes, strings) {
  return problem && codes.includes(problem.code) ? strings.problems.codes[problem.code] : undefined;
}

/**
 * Draws what a task has brought; before that, that it is loading; and if it failed, why.
 *
 * @template T
 * @param {import("../api.js").Task<T>} task
 * @param {Strings} strings
 * @param {() => void} again
 * @param {(value: T) => unknown} draw
 */
export function loaded(task, strings, again, draw) {
  const problem = task.problem ? problemNotice(task.problem, strings, again) : nothing;
  if (task.value !== null) return html`${problem}${draw(task.value)}`;
  return task.problem ? problem : loading(strings);
}
