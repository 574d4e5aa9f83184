/** The launch mode: how the assistant answers, and whom. A row on the page Stop, and the dialog that changes it. */

import { html, nothing } from "lit";
import { Task } from "../api.js";
import { button, choice, field, onSubmit, segments } from "../parts/controls.js";
import { badge, notice, problemNotice } from "../parts/messages.js";
import { ago } from "../strings/format.js";

/** @typedef {import("../contract.js").Context} Context */
/** @typedef {import("../contract.js").Dialog} Dialog */
/** @typedef {import("../contract.js").Launch} Launch */
/** @typedef {import("../contract.js").LaunchMode} LaunchMode */
/** @typedef {import("../contract.js").Level} Level */
/** @typedef {import("../contract.js").Pauses} Pauses */
/** @typedef {import("../contract.js").Strings} Strings */

/** @type {readonly Level[]} */
const LEVELS = ["anonymous", "verified", "signed_in"];
/** @type {readonly LaunchMode[]} */
const MODES = ["usual", "shadow", "approval"];

/** In a few words. @param {Launch} launch @param {Strings} strings */
function launchWords({ percent, levels, locales }, { launch: texts, approvals, locale }) {
  const names = new Intl.DisplayNames([locale], { type: "language" });
  return [
    percent < 100 ? texts.share(percent) : levels.length + locales.length === 0 ? texts.everyone : "",
    levels.map((level) => approvals.levels[level] ?? level).join(", "),
    locales.map((one) => names.of(one) ?? one).join(", "),
  ]
    .filter(Boolean)
    .join(" · ");
}

/**
 * @param {Pauses} pauses
 * @param {Context} context
 * @param {(now: Pauses) => void} done
 */
export function launchRow({ launch, people }, context, done) {
  const { strings, locale, open } = context;
  const { launch: texts, stop } = strings;
  const { mode, chosen } = launch;
  const change = () => open(new LaunchDialog(context, launch, people, done));
  return html`<h2>${texts.title}</h2>
    <table class="table stacks stop" role="table" aria-label=${texts.title}>
      <tbody role="rowgroup">
        <tr role="row" data-item="launch">
          <td role="cell" class="part breaks">
            <div><strong>${texts.modes[mode]}</strong><div class="soft small">${texts.effects[mode]}</div></div>
          </td>
          <td role="cell" class="state-cell">
            <div>
              ${badge(launchWords(launch, strings), chosen ? "warn" : "good")}
              ${chosen
                ? html`<div class="soft small">${stop.by(chosen.by)}, ${ago(chosen.since, locale)}</div>
                    ${chosen.why ? html`<div class="small breaks">${chosen.why}</div>` : nothing}`
                : nothing}
            </div>
          </td>
          <td role="cell" class="acts">${button({ text: texts.change, label: `${texts.change}: ${texts.title}`, run: change })}</td>
        </tr>
      </tbody>
    </table>`;
}

/** @implements {Dialog} */
class LaunchDialog {
  #context;
  #launch;
  #people;
  #done;
  /** @type {LaunchMode} */
  #mode;
  /** @type {Task<Pauses>} */
  #task;

  /** @param {Context} context @param {Launch} launch @param {boolean} people @param {(now: Pauses) => void} done */
  constructor(context, launch, people, done) {
    this.#context = context;
    this.#launch = launch;
    this.#people = people;
    this.#done = done;
    this.#mode = launch.mode;
    this.#task = new Task(context.changed);
  }

  view() {
    const { strings, close } = this.#context;
    const { launch: texts, approvals } = strings;
    const { percent, levels, locales, wait_s: wait } = this.#launch;
    const choose = (/** @type {string} */ mode) => {
      this.#mode = /** @type {LaunchMode} */ (mode);
      this.#context.changed();
    };
    return html`<form id="launch-form" @submit=${onSubmit((values) => void this.#send(values))}>
      <h2 id="dialog-title">${texts.title}</h2>
      ${this.#task.problem ? problemNotice(this.#task.problem, strings) : nothing}
      ${this.#people ? nothing : notice({ tone: "warn", title: texts.noPeople, text: [] })}
      ${segments({
        name: "mode",
        label: texts.mode,
        value: this.#mode,
        options: MODES.map((mode) => /** @type {const} */ ([mode, texts.modes[mode]])),
        choose,
      })}
      <p>${texts.effects[this.#mode]}</p>
      ${this.#mode === "approval"
        ? field({ name: "wait", label: texts.wait, value: String(wait), type: "number", hint: texts.waitHint })
        : nothing}
      ${field({ name: "percent", label: texts.percent, value: String(percent), type: "number", hint: texts.percentHint })}
      <fieldset>
        <legend class="label">${texts.levels}</legend>
        <div class="choices">
          ${LEVELS.map((level) =>
            choice({ name: "levels", value: level, text: approvals.levels[level] ?? level, hint: "", checked: levels.includes(level) }),
          )}
        </div>
      </fieldset>
      ${field({ name: "locales", label: texts.locales, value: locales.join(", "), hint: texts.localesHint })}
      <p class="soft">${texts.others}</p>
      ${field({ name: "why", label: texts.why })}
      <div class="buttons">
        ${button({ text: strings.cancel, run: close })}
        ${button({ text: texts.save, look: "primary", pending: this.#task.pending })}
      </div>
    </form>`;
  }

  /** @param {FormData} values */
  async #send(values) {
    const { api, close, strings, toast } = this.#context;
    const text = (/** @type {string} */ name) => String(values.get(name) ?? "").trim();
    const body = {
      mode: this.#mode,
      percent: Number(text("percent") || 100),
      levels: values.getAll("levels").map(String),
      locales: text("locales").split(/[\s,]+/).filter(Boolean),
      wait_s: Number(text("wait") || this.#launch.wait_s),
      why: text("why").slice(0, 300),
    };
    const done = await this.#task.run(() => api.post("pauses/launch", body));
    if (!done || this.#task.value === null) return;
    close();
    this.#done(this.#task.value);
    toast(strings.launch.done(strings.launch.modes[this.#mode]));
  }
}
