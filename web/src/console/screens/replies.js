/** The canned replies: what agents insert in the inbox. For editors and admins. */

import { html, nothing } from "lit";
import { repeat } from "lit/directives/repeat.js";
import { Task } from "../api.js";
import { button, field, onSubmit } from "../parts/controls.js";
import { badge, empty, loaded, problemNotice } from "../parts/messages.js";

/** @typedef {import("../contract.js").Context} Context */
/** @typedef {import("../contract.js").CannedReply} CannedReply */
/** @typedef {import("../contract.js").Dialog} Dialog */
/** @typedef {import("../contract.js").Screen} Screen */

/** @implements {Screen} */
export class RepliesScreen {
  #context;
  /** @type {Task<readonly CannedReply[]>} */
  #replies;

  /** @param {Context} context */
  constructor(context) {
    this.#context = context;
    this.#replies = new Task(context.changed);
    void this.#load();
  }

  heading() {
    return this.#context.strings.places.replies;
  }

  view() {
    const { strings } = this.#context;
    return html`<div class="screen">
      <div class="head">
        <h1 tabindex="-1">${this.heading()}</h1>
        ${button({ text: strings.replies.add, look: "primary", icon: "plus", run: () => this.#edit(null) })}
      </div>
      <p class="soft">${strings.replies.intro}</p>
      ${loaded(this.#replies, strings, () => void this.#load(), (replies) => this.#list(replies))}
    </div>`;
  }

  /** @param {readonly CannedReply[]} replies */
  #list(replies) {
    const { strings, locale } = this.#context;
    const { replies: texts } = strings;
    if (replies.length === 0) return empty({ icon: "conversations", title: texts.noneTitle, text: texts.noneText });
    const names = new Intl.DisplayNames([locale], { type: "language" });
    return html`<ul class="list replies" role="list">
      ${repeat(
        replies,
        ({ id }) => id,
        (reply) => html`<li class="reply-row">
          <div class="badges"><strong>${reply.title}</strong>${reply.locale ? badge(names.of(reply.locale) ?? reply.locale, "plain", null) : nothing}</div>
          <p class="soft" dir="auto">${reply.text}</p>
          <div class="buttons">
            ${button({ text: texts.edit, label: texts.editOf(reply.title), look: "quiet", run: () => this.#edit(reply) })}
            ${button({ text: texts.remove, label: texts.removeOf(reply.title), look: "quiet", run: () => void this.#remove(reply) })}
          </div>
        </li>`,
      )}
    </ul>`;
  }

  async #load() {
    await this.#replies.run(async () => (await this.#context.api.get("replies")).replies);
  }

  /** @param {CannedReply | null} reply null: a new one */
  #edit(reply) {
    this.#context.open(new ReplyDialog(this.#context, reply, (replies) => this.#put(replies)));
  }

  /** @param {CannedReply} reply */
  async #remove(reply) {
    const { api, strings, toast } = this.#context;
    const done = await this.#replies.run(async () => (await api.remove(`replies/${encodeURIComponent(reply.id)}`)).replies);
    if (done) toast(strings.replies.removed(reply.title), () => void this.#restore(reply));
  }

  /** @param {CannedReply} reply */
  async #restore({ id, title, text, locale }) {
    await this.#replies.run(async () => (await this.#context.api.post("replies", { id, title, text, locale })).replies);
  }

  /** @param {readonly CannedReply[]} replies */
  #put(replies) {
    this.#replies.value = replies;
    this.#context.changed();
  }
}

/** @implements {Dialog} */
class ReplyDialog {
  #context;
  #reply;
  #saved;
  /** @type {Task<readonly CannedReply[]>} */
  #task;
  /** The same id again is the same reply, also if the answer to the first attempt was lost. */
  #id;

  /** @param {Context} context @param {CannedReply | null} reply @param {(replies: readonly CannedReply[]) => void} saved */
  constructor(context, reply, saved) {
    this.#context = context;
    this.#reply = reply;
    this.#saved = saved;
    this.#task = new Task(context.changed);
    this.#id = reply?.id ?? crypto.randomUUID();
  }

  view() {
    const { strings, close, locale } = this.#context;
    const { replies: texts } = strings;
    const { title = "", text = "", locale: chosen = "" } = this.#reply ?? {};
    const names = new Intl.DisplayNames([locale], { type: "language" });
    const languages = [...new Set(["en", "de", "fr", "es", "it", "nl", "pl", "pt", "sv", "tr", ...(chosen ? [chosen] : [])])];
    return html`<form class="form" @submit=${onSubmit((values) => void this.#save(values))}>
      <h2 id="dialog-title">${this.#reply ? texts.editTitle : texts.add}</h2>
      ${this.#task.problem ? problemNotice(this.#task.problem, strings) : nothing}
      ${field({ name: "reply-title", label: texts.title, value: title, hint: texts.titleHint, first: true })}
      <div class="field">
        <label for="reply-text">${texts.text}</label>
        <textarea class="input" id="reply-text" name="reply-text" rows="6" maxlength="4000" required aria-describedby="reply-text-hint">${text}</textarea>
        <p class="hint" id="reply-text-hint">${texts.textHint}</p>
      </div>
      <div class="field">
        <label for="reply-locale">${texts.language}</label>
        <select class="select" id="reply-locale" name="reply-locale">
          <option value="" ?selected=${chosen === ""}>${texts.anyLanguage}</option>
          ${languages.map((one) => html`<option value=${one} ?selected=${one === chosen}>${names.of(one) ?? one}</option>`)}
        </select>
      </div>
      <div class="buttons">
        ${button({ text: texts.save, look: "primary", pending: this.#task.pending })}${button({ text: strings.cancel, run: close })}
      </div>
    </form>`;
  }

  /** @param {FormData} values */
  async #save(values) {
    const [title, text, locale] = ["reply-title", "reply-text", "reply-locale"].map((name) => String(values.get(name) ?? "").trim());
    if (!title || !text) return;
    const body = { id: this.#id, title, text, locale };
    const done = await this.#task.run(async () => (await this.#context.api.post("replies", body)).replies);
    if (!done || this.#task.value === null) return;
    this.#context.close();
    this.#saved(this.#task.value);
    this.#context.toast(this.#context.strings.replies.saved(title ?? ""));
  }
}
