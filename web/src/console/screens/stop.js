/** Pauses the assistant, a channel, a tool or a version, and lets it go on. For those who may. */

import { html, nothing } from "lit";
import { repeat } from "lit/directives/repeat.js";
import { Task } from "../api.js";
import { button, field, onSubmit } from "../parts/controls.js";
import { icon } from "../parts/icons.js";
import { badge, loaded, problemNotice } from "../parts/messages.js";
import { ago, dayAndTime } from "../strings/format.js";
import { launchRow } from "./launch-mode.js";

/** @typedef {import("../contract.js").Context} Context */
/** @typedef {import("../contract.js").Dialog} Dialog */
/** @typedef {import("../contract.js").Pause} Pause */
/** @typedef {import("../contract.js").PausedKind} PausedKind */
/** @typedef {import("../contract.js").Pauses} Pauses */
/** @typedef {import("../contract.js").Screen} Screen */

/**
 * Something that can be paused.
 *
 * @typedef {object} Part
 * @property {PausedKind} kind
 * @property {string} name as the server knows it
 * @property {string} title as people know it
 * @property {unknown} [about] below the title
 */

/** What others have paused is shown after this time. */
const REFRESH_MS = 5000;

/** @implements {Screen} */
export class StopScreen {
  #context;
  /** @type {Task<Pauses>} */
  #pauses;
  #words = "";
  #timer;

  /** @param {Context} context */
  constructor(context) {
    this.#context = context;
    this.#pauses = new Task(context.changed);
    void this.#load();
    this.#timer = setInterval(() => void this.#refresh(), REFRESH_MS);
  }

  left() {
    clearInterval(this.#timer);
  }

  heading() {
    return this.#context.strings.places.stop;
  }

  shortcuts() {
    const search = () => document.getElementById("search")?.focus();
    return [{ keys: "/", label: this.#context.strings.keyboard.search, run: search }];
  }

  view() {
    const { strings } = this.#context;
    return html`<div class="screen">
      <div class="head"><h1 tabindex="-1">${this.heading()}</h1></div>
      <p class="soft">${strings.stop.text}</p>
      ${loaded(this.#pauses, strings, () => void this.#load(), (pauses) => this.#parts(pauses))}
    </div>`;
  }

  /** @param {Pauses} pauses */
  #parts(pauses) {
    const { paused, channels, tools, versions } = pauses;
    const { strings } = this.#context;
    const { stop: texts } = strings;
    // Also what is not there any more, such as a tool that was removed.
    const stopped = paused.map(({ kind, name }) => ({ kind, name, title: this.#title(kind, name) }));
    const whole = { kind: /** @type {const} */ ("assistant"), name: "", title: texts.whole, about: texts.wholeHint };
    return html`
      ${stopped.length > 0 ? this.#table(texts.pausedNow, stopped) : nothing}
      ${this.#table(texts.whole, this.#running([whole]), { hidden: true })}
      ${launchRow(pauses, this.#context, (now) => this.#show(now))}
      ${this.#table(
        texts.channels,
        this.#running(channels.map((name) => ({ kind: "channel", name, title: texts.channelNames[name] }))),
      )}
      <h2>${texts.tools}</h2>
      ${tools.length === 0 ? html`<p class="soft">${texts.noTools}</p>` : this.#tools(tools)}
      <h2>${texts.versions}</h2>
      <p class="soft">${texts.versionsHint}</p>
      ${this.#table(texts.versions, this.#running(versions.map((version) => this.#version(version))), { hidden: true })}
    `;
  }

  /** @param {PausedKind} kind @param {string} name */
  #title(kind, name) {
    const { strings } = this.#context;
    if (kind === "assistant") return strings.stop.whole;
    /** @type {Readonly<Record<string, string>>} */
    const names = strings.stop.channelNames;
    return kind === "channel" ? (names[name] ?? name) : name;
  }

  /** @param {readonly Part[]} parts */
  #running(parts) {
    return parts.filter(({ kind, name }) => !this.#pauseOf(kind, name));
  }

  /** @param {Pauses["tools"]} tools */
  #tools(tools) {
    const { stop: texts } = this.#context.strings;
    const found = tools.filter(({ name, does }) => `${name} ${does}`.toLowerCase().includes(this.#words.toLowerCase()));
    const parts = found.map(({ name, does, writes }) => {
      const about = [writes ? texts.writes : texts.reads, does].filter(Boolean).join(" · ");
      return { kind: /** @type {const} */ ("tool"), name, title: name, about };
    });
    return html`<div class="filters">
        <div class="field">
          <label class="visually-hidden" for="search">${texts.searchTools}</label>
          <div class="with-icon">
            ${icon("search")}
            <input class="input" id="search" type="search" placeholder=${texts.searchTools} autocomplete="off" .value=${this.#words} @input=${this.#onSearch} />
          </div>
        </div>
      </div>
      ${parts.length === 0
        ? html`<p class="soft">${texts.noTool(this.#words)}</p>`
        : this.#table(texts.tools, this.#running(parts), { hidden: true })}`;
  }

  /** @param {Pauses["versions"][number]} version @returns {Part} */
  #version({ id, first_used_at: first, newest }) {
    const { strings, locale } = this.#context;
    const { stop: texts } = strings;
    const about = html`${texts.firstUsed(dayAndTime(first, locale))}${newest ? html` ${badge(texts.newest)}` : nothing}`;
    return { kind: "version", name: id, title: id, about };
  }

  /** @param {string} title @param {readonly Part[]} parts @param {{ hidden?: boolean }} [options] */
  #table(title, parts, { hidden = false } = {}) {
    if (parts.length === 0) return nothing;
    return html`${hidden ? nothing : html`<h2>${title}</h2>`}
      <table class="table stacks stop" role="table" aria-label=${title}>
        <tbody role="rowgroup">
          ${repeat(
            parts,
            ({ kind, name }) => `${kind} ${name}`,
            (part) => this.#row(part),
          )}
        </tbody>
      </table>`;
  }

  /** @param {Part} part */
  #row(part) {
    const { strings, locale, open } = this.#context;
    const { stop: texts } = strings;
    const { kind, name, title } = part;
    const pause = this.#pauseOf(kind, name);
    const about = pause && kind !== "assistant" ? strings.kinds[kind] : part.about;
    const ask = () => open(new PauseDialog(this.#context, part, this.#pauses.value?.people ?? false, (now) => this.#paused(part, now)));
    return html`<tr role="row" data-item="${kind} ${name}">
      <td role="cell" class="part breaks">
        <div><strong>${title}</strong>${about ? html`<div class="soft small">${about}</div>` : nothing}</div>
      </td>
      <td role="cell" class="state-cell">
        <div>
          ${pause ? badge(texts.paused, "warn") : badge(texts.running, "good")}
          ${pause
            ? html`<div class="soft small">${texts.by(pause.by)}, ${ago(pause.since, locale)}</div>
                ${pause.why ? html`<div class="small breaks">${pause.why}</div>` : nothing}`
            : nothing}
        </div>
      </td>
      <td role="cell" class="acts">
        ${pause
          ? button({ text: texts.resume, label: texts.resumeOf(title), run: () => void this.#resume(part) })
          : button({ text: texts.pause, label: texts.pauseOf(title), look: kind === "assistant" ? "danger" : "plain", run: ask })}
      </td>
    </tr>`;
  }

  /** @param {PausedKind} kind @param {string} name @returns {Pause | undefined} */
  #pauseOf(kind, name) {
    return this.#pauses.value?.paused.find((one) => one.kind === kind && one.name === name);
  }

  #onSearch = (/** @type {Event} */ { target }) => {
    this.#words = /** @type {HTMLInputElement} */ (target).value.trim();
    this.#context.changed();
  };

  async #load() {
    await this.#pauses.run(() => this.#context.api.get("pauses"));
  }

  /** Quietly: a failure is shown with the next thing that the person does. */
  async #refresh() {
    if (document.hidden || this.#pauses.pending || this.#pauses.value === null) return;
    const task = /** @type {Task<Pauses>} */ (new Task(() => {}));
    if (await task.run(() => this.#context.api.get("pauses"))) this.#show(task.value);
  }

  /** @param {Pauses | null} now */
  #show(now) {
    this.#pauses.value = now;
    this.#context.changed();
  }

  /** @param {Part} part @param {Pauses} now */
  #paused(part, now) {
    const { strings, toast } = this.#context;
    this.#show(now);
    toast(strings.stop.done(part.title), () => void this.#resume(part));
  }

  /** @param {Part} part */
  async #resume({ kind, name, title }) {
    const { api, strings, toast, changed } = this.#context;
    const task = /** @type {Task<Pauses>} */ (new Task(changed));
    const done = await task.run(() => api.post("pauses/resume", { kind, name }));
    if (!done) this.#pauses.problem = task.problem;
    changed();
    if (!done) return;
    this.#show(task.value);
    toast(strings.stop.resumed(title));
  }
}

/** Asks once, in the words of what will happen. @implements {Dialog} */
class PauseDialog {
  #context;
  #part;
  #people;
  #done;
  /** @type {Task<Pauses>} */
  #task;

  /** @param {Context} context @param {Part} part @param {boolean} people @param {(now: Pauses) => void} done */
  constructor(context, part, people, done) {
    this.#context = context;
    this.#part = part;
    this.#people = people;
    this.#done = done;
    this.#task = new Task(context.changed);
  }

  view() {
    const { strings, close } = this.#context;
    const { stop: texts } = strings;
    const { kind, title } = this.#part;
    const answersNoOne = kind === "assistant" || kind === "channel";
    return html`<form id="pause-form" @submit=${onSubmit((values) => void this.#pause(String(values.get("why"))))}>
      <h2 id="dialog-title">${kind === "assistant" ? texts.wholeQuestion : texts.question(title)}</h2>
      ${this.#task.problem ? problemNotice(this.#task.problem, strings) : nothing}
      <p>${texts.effects[kind]} ${answersNoOne ? (this.#people ? texts.people : texts.noPeople) : nothing}</p>
      ${field({ name: "why", label: texts.why, first: true })}
      <div class="buttons">
        ${button({ text: strings.cancel, run: close })}
        ${button({ text: texts.pause, look: "danger", pending: this.#task.pending })}
      </div>
    </form>`;
  }

  /** @param {string} why */
  async #pause(why) {
    const { api, close } = this.#context;
    const { kind, name } = this.#part;
    const done = await this.#task.run(() => api.post("pauses", { kind, name, why: why.slice(0, 300) }));
    if (!done || this.#task.value === null) return;
    close();
    this.#done(this.#task.value);
  }
}
