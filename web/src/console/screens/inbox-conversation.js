/** One conversation of the inbox: what was said, who the customer is, and what an agent can do. */

import { html, nothing } from "lit";
import { ApiProblem, Task } from "../api.js";
import { button, segments, select } from "../parts/controls.js";
import { dueText, facts, replyField, sidePanel, transcript } from "../parts/conversation.js";
import { badge, empty, loading, notice, problemNotice } from "../parts/messages.js";
import { ago } from "../strings/format.js";
import { CloseDialog, HandBackDialog, TakeOverDialog } from "./inbox-dialogs.js";
import { ReplyPicker } from "./reply-picker.js";

/** @typedef {import("../contract.js").Context} Context */
/** @typedef {import("../contract.js").InboxRow} InboxRow */
/** @typedef {import("../contract.js").TranscriptItem} TranscriptItem */
/** @typedef {import("../contract.js").Draft} Draft */

/** @type {Map<string, Draft>} what was begun to be written, by conversation; it stays while the page is open */
const drafts = new Map();

/** How near to its end the transcript must be to follow new messages, in pixels. */
const NEAR_PX = 80;

const TYPING_EVERY_MS = 3_000;
const TYPING_SHOWN_MS = 6_000;

export class ConversationPane {
  #context;
  #back;
  #stop;
  /** @type {Map<string, TranscriptItem>} by key, in order */
  #items = new Map();
  #omitted = 0;
  /** @type {InboxRow | null} */
  #row = null;
  /** @type {readonly InboxRow[]} the customer's other conversations */
  #earlier = [];
  /** @type {string | null} the code of a refusal */
  #refused = null;
  /** @type {Task<unknown>} */
  #action;
  /** @type {import("../contract.js").Colleagues | null} */
  #colleagues = null;
  #aboutOpen = false;
  #newTag = "";
  /** Until when it is shown that the customer types. */
  #typingUntil = 0;
  #typingTimer = 0;
  #typedAt = -TYPING_EVERY_MS;
  #picker;

  /** @param {Context} context @param {string} id @param {() => string} back the address of the list */
  constructor(context, id, back) {
    this.#context = context;
    this.id = id;
    this.#back = back;
    this.#picker = new ReplyPicker(context);
    this.#action = new Task(context.changed);
    this.#stop = context.live.follow("conversation", id, {
      following: (frame) => this.#onFollowing(/** @type {any} */ (frame)),
      news: (news) => this.#onNews(/** @type {any} */ (news)),
      typing: () => this.#showTyping(),
      refused: ({ code }) => {
        this.#refused = code === "moved" ? this.#refused : code;
        context.changed();
      },
    });
  }

  /** It has the heading of the page: the customer's name. */
  get headed() {
    return this.#row !== null && this.#refused === null;
  }

  left() {
    this.#stop();
    clearTimeout(this.#typingTimer);
  }

  shortcuts() {
    if (!this.#mayAct || !this.#row) return [];
    const { keyboard } = this.#context.strings;
    const focus = () => document.getElementById("reply")?.focus();
    const mine = this.#isMine;
    return [
      ...(this.#canTake ? [{ keys: "t", label: keyboard.takeOver, run: () => this.#takeOver() }] : []),
      { keys: "r", label: mine ? keyboard.reply : keyboard.note, run: focus },
      ...(mine ? [{ keys: "h", label: keyboard.handBack, run: () => this.#handBack() }] : []),
      ...(this.#canClose ? [{ keys: "e", label: keyboard.close, run: () => this.#close() }] : []),
    ];
  }

  view() {
    const { strings, locale } = this.#context;
    const row = this.#row;
    if (this.#refused) return this.#gone();
    if (row === null) return html`<div class="inbox-conversation">${loading(strings)}</div>`;
    return html`<article class="inbox-conversation" aria-label=${this.#name(row)}>
        ${this.#head(row)}
        <div class="scroller" tabindex="0" role="log" aria-live="off" aria-label=${strings.inbox.transcript}>
          ${this.#omitted > 0 ? html`<p class="soft small omitted">${strings.inbox.omitted(this.#omitted)}</p>` : nothing}
          ${transcript([...this.#items.values()], strings, locale, this.#isMine ? (text) => this.#write({ kind: "reply", text }) : undefined)}
        </div>
        <p class="typing soft small">${performance.now() < this.#typingUntil ? strings.inbox.typing(this.#name(row)) : nothing}</p>
        ${this.#foot(row)}
      </article>
      ${this.#side(row)}`;
  }

  #gone() {
    const { strings } = this.#context;
    const back = html`<a class="button" href=${this.#back()}>${strings.inbox.toList}</a>`;
    const text = this.#refused === "not_allowed" ? strings.problems.refused : strings.problems.missing;
    return html`<div class="inbox-none">${empty({ icon: "inbox", title: text, text: strings.inbox.goneText, actions: back })}</div>`;
  }

  /** @param {InboxRow} row */
  #head(row) {
    const { strings } = this.#context;
    const { inbox } = strings;
    const told = row.state === "taken" ? (this.#isMine ? inbox.withYou : inbox.with(row.by ?? "")) : inbox.states[row.state];
    return html`<header class="head">
      <div class="badges">
        <a class="button quiet only-icon back" href=${this.#back()} aria-label=${inbox.toList} title=${inbox.toList}>‹</a>
        <h1 class="name" tabindex="-1">${this.#name(row)}</h1>
        ${row.sample ? badge(strings.example) : nothing}
        ${row.level === "anonymous" ? nothing : badge(inbox.levels[row.level] ?? row.level, "good")}
        ${badge(told, row.state === "taken" ? "accent" : row.state === "waiting" ? "warn" : "plain", null)}
      </div>
      <div class="buttons">
        ${button({ text: inbox.about, look: "quiet", icon: "info", onlyIcon: true, run: () => this.#toggleAbout() })}
        ${this.#mayAct ? this.#actions() : nothing}
      </div>
    </header>`;
  }

  #actions() {
    const { inbox } = this.#context.strings;
    const pending = this.#action.pending;
    return html`
      ${this.#canClose ? button({ text: inbox.close, look: "quiet", run: () => this.#close() }) : nothing}
      ${this.#isMine ? button({ text: inbox.handBack, pending, run: () => this.#handBack() }) : nothing}
      ${this.#canTake ? button({ text: inbox.takeOver, look: "primary", pending, run: () => this.#takeOver() }) : nothing}
    `;
  }

  /** @param {InboxRow} row */
  #foot(row) {
    const { strings } = this.#context;
    const { inbox } = strings;
    const problem = this.#action.problem ? problemNotice(this.#action.problem, strings) : nothing;
    if (!this.#mayAct) return html`<div class="foot">${problem}</div>`;
    const draft = this.#draft;
    const mine = this.#isMine;
    const kind = mine ? draft.kind : "note";
    const elsewhere = row.state === "taken" && !mine;
    return html`<div class="foot ${kind}">
      ${problem}
      ${elsewhere ? notice({ tone: "accent", title: inbox.with(row.by ?? ""), text: [inbox.elsewhereText] }) : nothing}
      ${mine
        ? segments({
            name: "reply-kind",
            label: inbox.writeTo,
            value: kind,
            options: [
              ["reply", inbox.toCustomer],
              ["note", inbox.toColleagues],
            ],
            choose: (value) => this.#write({ kind: /** @type {"reply" | "note"} */ (value) }),
          })
        : nothing}
      ${replyField(
        {
          draft: draft.text,
          label: kind === "reply" ? inbox.reply : inbox.note,
          sendText: kind === "reply" ? inbox.send : inbox.addNote,
          write: (text) => {
            this.#write({ text });
            if (kind === "reply") this.#tellTyping();
          },
          send: () => void this.#send(kind),
          pending: this.#action.pending,
          ...(kind === "reply" ? this.#canned(row, draft.text) : {}),
        },
        strings,
      )}
    </div>`;
  }

  /** @param {InboxRow} row @param {string} text */
  #canned(row, text) {
    if (!this.#context.may("replies.read")) return {};
    const insert = (/** @type {string} */ filled) => {
      this.#write({ text: filled });
      document.getElementById("reply")?.focus();
    };
    return {
      above: this.#picker.view(text, row, insert),
      active: this.#picker.active(text, row),
      onKey: (/** @type {KeyboardEvent} */ event) => this.#picker.onKey(event, this.#draft.text, row, insert),
      hint: this.#context.strings.inbox.replyKeys,
    };
  }

  /** @param {InboxRow} row */
  #side(row) {
    const { strings } = this.#context;
    const { inbox } = strings;
    const names = new Intl.DisplayNames([strings.locale], { type: "language" });
    return html`<div class="side-holder" data-open=${this.#aboutOpen ? "yes" : nothing}>${sidePanel({
      label: inbox.about,
      sections: [
        {
          heading: inbox.customer,
          content: facts([
            [inbox.id, html`<code>${row.customer.id}</code>`],
            [inbox.level, inbox.levels[row.level] ?? row.level],
            [inbox.language, names.of(row.locale) ?? row.locale],
          ]),
        },
        { heading: inbox.why, content: this.#why(row) },
        ...(row.summary ? [{ heading: inbox.summary, content: html`<p dir="auto">${row.summary}</p>` }] : []),
        { heading: inbox.tags, content: this.#tags(row) },
        { heading: inbox.responsible, content: this.#responsible(row) },
        ...(this.#earlier.length > 0 ? [{ heading: inbox.earlier, content: this.#otherConversations() }] : []),
      ],
    })}</div>`;
  }

  /** @param {InboxRow} row */
  #why({ why, rule, team, skill, priority, due }) {
    const { inbox } = this.#context.strings;
    /** @type {[string, unknown][]} */
    const known = [
      ...(rule ? [/** @type {[string, unknown]} */ ([inbox.rule, html`${rule.name}<br /><span class="soft small">${rule.why}</span>`])] : []),
      ...(team ? [/** @type {[string, unknown]} */ ([inbox.team, team])] : []),
      ...(skill ? [/** @type {[string, unknown]} */ ([inbox.skill, skill])] : []),
      ...(due ? [/** @type {[string, unknown]} */ ([inbox.promise, dueText(due, Date.now(), inbox)])] : []),
      ...(priority === "normal" ? [] : [/** @type {[string, unknown]} */ ([inbox.priority, inbox.priorities[priority]])]),
    ];
    return html`<p dir="auto">${why || inbox.noWhy}</p>
      ${known.length > 0 ? facts(known) : nothing}`;
  }

  /** @param {InboxRow} row */
  #tags(row) {
    const { inbox } = this.#context.strings;
    const remove = (/** @type {string} */ tag) => this.#setTags(row.tags.filter((one) => one !== tag));
    const add = (/** @type {SubmitEvent} */ event) => {
      event.preventDefault();
      const tag = this.#newTag.trim().replaceAll(",", "");
      if (tag) this.#setTags([...new Set([...row.tags, tag])]);
      this.#newTag = "";
    };
    return html`<div class="badges">
        ${row.tags.length === 0 ? html`<span class="soft">${inbox.noTags}</span>` : nothing}
        ${row.tags.map((tag) => html`<span class="badge tag">${tag}${this.#mayAct ? button({ text: inbox.removeTag(tag), icon: "close", look: "quiet", onlyIcon: true, run: () => remove(tag) }) : nothing}</span>`)}
      </div>
      ${this.#mayAct
        ? html`<form class="with-button" @submit=${add}>
            <input class="input" aria-label=${inbox.newTag} placeholder=${inbox.newTag} maxlength="40" .value=${this.#newTag} @input=${(/** @type {Event} */ { target }) => (this.#newTag = /** @type {HTMLInputElement} */ (target).value)} />
            ${button({ text: inbox.addTag, icon: "plus", onlyIcon: true })}
          </form>`
        : nothing}`;
  }

  /** @param {InboxRow} row */
  #responsible(row) {
    const { inbox } = this.#context.strings;
    if (row.state === "taken" || !this.#mayAct) return html`<p>${row.assigned?.name ?? row.by ?? inbox.noOne}</p>`;
    if (this.#colleagues === null) void this.#loadColleagues();
    const { people, teams } = this.#colleagues ?? { people: [], teams: [] };
    /** @type {(readonly [string, string])[]} */
    const named = people.map(({ id, name, availability, open }) => [id, `${name} (${inbox.availabilities[availability]}, ${inbox.openCount(open)})`]);
    if (row.assigned && !people.some(({ id }) => id === row.assigned?.id)) named.push([row.assigned.id, row.assigned.name]);
    return html`${select({
      name: "assigned",
      label: inbox.assign,
      value: row.assigned?.id ?? "",
      options: [["", inbox.noOne], ...named],
      choose: (account) => void this.#act("assign", { account: account || null }),
    })}
    ${teams.length > 0 && (row.state === "waiting" || row.state === "ticket")
      ? select({
          name: "assigned-team",
          label: inbox.assignTeam,
          value: row.team ?? "",
          options: [["", inbox.anyTeam], ...teams.map((team) => /** @type {const} */ ([team, team]))],
          choose: (team) => void this.#act("assign", { team }),
        })
      : nothing}`;
  }

  #otherConversations() {
    const { address, locale, strings } = this.#context;
    return html`<ul class="earlier" role="list">
      ${this.#earlier.map(({ id, last_text: last, last_at: at, state }) => html`<li>
        <a href=${address("inbox", { view: "all", id })} dir="auto">${last || strings.inbox.states[state]}</a>
        <span class="soft small">${ago(at, locale)}</span>
      </li>`)}
    </ul>`;
  }

  // What it is

  /** @param {InboxRow} row */
  #name({ customer }) {
    return customer.name ?? this.#context.strings.inbox.visitor(customer.id.slice(0, 4));
  }

  get #mayAct() {
    return this.#context.may("conversations.take_over");
  }

  get #isMine() {
    return this.#row?.state === "taken" && this.#row.assigned?.id === this.#context.session.account.id;
  }

  get #canTake() {
    return this.#row !== null && this.#row.state !== "taken";
  }

  get #canClose() {
    return this.#row !== null && this.#row.state !== "closed" && (this.#row.state !== "taken" || this.#isMine);
  }

  // What a person does

  #takeOver() {
    const { open } = this.#context;
    const take = () => void this.#act("take-over", undefined, () => document.getElementById("reply")?.focus());
    // Someone who waits wants this. Others talk to the assistant, which stops.
    if (this.#row?.state === "assistant") open(new TakeOverDialog(this.#context, take));
    else take();
  }

  #handBack() {
    const { open, announce, strings } = this.#context;
    open(new HandBackDialog(this.#context, (note) => void this.#act("hand-back", { note }, () => announce(strings.inbox.handedBack))));
  }

  #close() {
    const { open, announce, strings } = this.#context;
    open(new CloseDialog(this.#context, () => void this.#act("close", undefined, () => announce(strings.inbox.closed))));
  }

  /** @param {readonly string[]} tags */
  #setTags(tags) {
    void this.#act("tags", { tags });
  }

  /** @param {"reply" | "note"} kind */
  async #send(kind) {
    const draft = this.#draft;
    if (draft.text.trim() === "" || this.#action.pending) return;
    // The same id again is the same message, also if the answer to the first attempt was lost.
    const body = { id: draft.id, text: draft.text };
    const sent = await this.#act(kind === "reply" ? "messages" : "notes", body);
    if (sent && drafts.get(this.id)?.id === draft.id) drafts.set(this.id, newDraft(draft.kind));
    this.#context.changed();
  }

  /** @param {string} action @param {object} [body] @param {() => void} [then] @returns {Promise<boolean>} */
  async #act(action, body, then) {
    const { api } = this.#context;
    const done = await this.#action.run(async () => {
      const { row } = await api.post(`inbox/${encodeURIComponent(this.id)}/${action}`, body ?? {});
      if (!this.#row || row.seq >= this.#row.seq) this.#row = row;
    });
    if (done) requestAnimationFrame(() => requestAnimationFrame(() => then?.()));
    return done;
  }

  get #draft() {
    return drafts.get(this.id) ?? newDraft();
  }

  /** @param {Partial<Draft>} change */
  #write(change) {
    drafts.set(this.id, { ...this.#draft, ...change });
    this.#context.changed();
  }

  /** The customer sees it, but is not told each letter. */
  #tellTyping() {
    const now = performance.now();
    if (now - this.#typedAt < TYPING_EVERY_MS) return;
    this.#typedAt = now;
    this.#context.live.send({ type: "typing", topic: "conversation", id: this.id });
  }

  #showTyping() {
    this.#typingUntil = performance.now() + TYPING_SHOWN_MS;
    clearTimeout(this.#typingTimer);
    this.#typingTimer = setTimeout(this.#context.changed, TYPING_SHOWN_MS + 50);
    this.#context.changed();
  }

  async #loadColleagues() {
    this.#colleagues = { people: [], teams: [], assigns: false };
    try {
      this.#colleagues = await this.#context.api.get("inbox/colleagues");
    } catch (problem) {
      if (!(problem instanceof ApiProblem)) throw problem;
    }
    this.#context.changed();
  }

  #toggleAbout() {
    this.#aboutOpen = !this.#aboutOpen;
    this.#context.changed();
  }

  // News

  /** @param {{ resumed: string, items?: TranscriptItem[], omitted?: number, row?: InboxRow, earlier?: InboxRow[] }} frame */
  #onFollowing({ resumed, items, omitted, row, earlier }) {
    this.#refused = null;
    if (resumed !== "replay" && items && row) {
      this.#items = new Map(items.map((item) => [item.key, item]));
      this.#omitted = omitted ?? 0;
      this.#row = row;
      this.#earlier = earlier ?? [];
      this.#stick(true);
    }
    this.#context.changed();
  }

  /** @param {{ items: TranscriptItem[], row: InboxRow }} news */
  #onNews({ items, row }) {
    const { announce } = this.#context;
    for (const item of items) {
      const isNew = !this.#items.has(item.key);
      this.#items.set(item.key, item);
      if (!isNew || item.kind !== "customer") continue;
      this.#typingUntil = 0;
      announce(`${this.#name(row)}: ${item.text}`);
    }
    this.#row = row;
    this.#stick(false);
    this.#context.changed();
  }

  /** Shows the newest message, unless the person reads older ones. @param {boolean} always */
  #stick(always) {
    const before = document.querySelector(".inbox-conversation .scroller");
    const near = before === null || before.scrollHeight - before.scrollTop - before.clientHeight < NEAR_PX;
    if (!always && !near) return;
    requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        const place = document.querySelector(".inbox-conversation .scroller");
        if (place) place.scrollTop = place.scrollHeight;
      }),
    );
  }
}

/** @param {"reply" | "note"} [kind] @returns {Draft} */
function newDraft(kind = "reply") {
  return { id: crypto.randomUUID(), text: "", kind };
}
