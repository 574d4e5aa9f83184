/** The conversations, newest first; and one of them, whose id is in the address. */

import { html, nothing } from "lit";
import { repeat } from "lit/directives/repeat.js";
import { Task } from "../api.js";
import { button } from "../parts/controls.js";
import { badge, empty, loaded } from "../parts/messages.js";
import { nameOf } from "../parts/said.js";
import { askedIn, requestOf, searchForm } from "../parts/search-form.js";
import { ago, money } from "../strings/format.js";

import { ConversationPage } from "./conversation-page.js";

/** @typedef {import("../contract.js").Context} Context */
/** @typedef {import("../contract.js").FoundConversation} FoundConversation */
/** @typedef {import("../contract.js").FoundPage} FoundPage */
/** @typedef {import("../contract.js").ListedOutcome} ListedOutcome */
/** @typedef {import("../contract.js").Screen} Screen */
/** @typedef {import("../parts/messages.js").Tone} Tone */

/** @type {Readonly<Record<ListedOutcome, Tone>>} */
const TONES = {
  running: "accent",
  answered: "plain",
  confirmed: "good",
  unresolved: "bad",
  abandoned: "warn",
  handed_over: "plain",
  ticket: "warn",
};

/** @implements {Screen} */
export class ConversationsScreen {
  #context;
  /** @type {Task<FoundPage>} */
  #page;
  /** @type {string | null} the query of the list that is shown */
  #asked = null;
  /** @type {ConversationPage | null} */
  #opened = null;

  /** @param {Context} context */
  constructor(context) {
    this.#context = context;
    this.#page = new Task(context.changed);
    this.routeChanged();
  }

  heading() {
    return this.#opened?.heading() ?? this.#context.strings.places.conversations;
  }

  routeChanged() {
    const { item } = this.#context.route;
    const before = this.#opened?.id ?? "";
    if (item !== before) this.#opened = item ? new ConversationPage(this.#context, item) : null;
    this.#opened?.routeChanged();
    if (item) return;
    const asked = this.#context.route.query.toString();
    if (asked !== this.#asked) void this.#load();
    // Back from a conversation, the list is where it was, and the focus on the row that was opened.
    else if (before) requestAnimationFrame(() => requestAnimationFrame(() => document.getElementById(rowId(before))?.focus()));
  }

  view() {
    if (this.#opened) return this.#opened.view(this.#list());
    const { strings } = this.#context;
    return html`<div class="screen">
      <div class="head"><h1 tabindex="-1">${this.heading()}</h1></div>
      ${searchForm(askedIn(this.#context.route.query), (asked) => this.#search(asked), strings)}
      ${loaded(this.#page, strings, () => void this.#load(), (page) => this.#found(page))}
    </div>`;
  }

  shortcuts() {
    const { keyboard } = this.#context.strings;
    if (this.#opened) return [];
    return [{ keys: "/", label: keyboard.search, run: () => document.getElementById("q")?.focus() }];
  }

  /** @param {Readonly<Record<string, string>>} asked */
  #search(asked) {
    this.#context.go(this.#context.address("conversations", asked));
  }

  /** The address of the list as it was last shown. */
  #list() {
    const query = Object.fromEntries(new URLSearchParams(this.#asked ?? ""));
    return this.#context.address("conversations", query);
  }

  /** @param {FoundPage} page */
  #found({ conversations, after }) {
    const { strings } = this.#context;
    const texts = strings.conversations;
    const { query } = this.#context.route;
    if (conversations.length === 0 && !query.has("after")) {
      if (query.size === 0) return empty({ icon: "conversations", title: texts.none, text: texts.noneHint });
      const clear = button({ text: texts.clear, run: () => this.#search({}) });
      return empty({ icon: "search", title: texts.noneFit, text: texts.noneFitHint, actions: clear });
    }
    return html`<ul class="list" role="list" aria-label=${texts.list} aria-busy=${this.#page.pending}>
        ${repeat(
          conversations,
          ({ id }) => id,
          (one) => html`<li>${this.#row(one)}</li>`,
        )}
      </ul>
      ${this.#pager(conversations.length, after)}`;
  }

  /** @param {FoundConversation} one */
  #row(one) {
    const { id, sample, request, outcome, rating, failed, turns, cost_usd: cost, last_ms: last } = one;
    const { strings, locale, address } = this.#context;
    const { conversations, inbox } = strings;
    const facts = [conversations.turns(turns), cost ? money(cost, locale) : ""].filter(Boolean);
    return html`<a class="list-row found-row" id=${rowId(id)} href=${address(`conversations/${id}`)}>
      <span class="name">${nameOf(one, inbox)}</span>
      <span class="badges">
        ${sample ? badge(strings.example) : nothing}
        ${failed.length > 0 ? badge(conversations.failed(failed.join(", ")), "bad") : nothing}
        ${rating === "down" && outcome !== "unresolved" ? badge(conversations.ratings.down, "bad") : nothing}
        ${badge(conversations.outcomes[outcome] ?? outcome, TONES[outcome])}
      </span>
      <span class="time soft small">${ago(last, locale)}</span>
      <span class="asked soft" dir="auto">${request || conversations.noRequest}</span>
      <span class="numbers number soft small">${facts.join(" · ")}</span>
    </a>`;
  }

  /** @param {number} shown @param {string | null} after */
  #pager(shown, after) {
    const { strings, address, route } = this.#context;
    const { conversations } = strings;
    const { after: from, ...filters } = Object.fromEntries(route.query);
    return html`<div class="pager">
      <p class="soft">${conversations.shown(shown)}${after === null && from ? html`. ${conversations.end}` : nothing}</p>
      <div class="buttons">
        ${from ? html`<a class="button" href=${address("conversations", filters)}>${conversations.newest}</a>` : nothing}
        ${after === null
          ? nothing
          : html`<a class="button" href=${address("conversations", { ...filters, after })}>${conversations.older}</a>`}
      </div>
    </div>`;
  }

  async #load() {
    const { api, announce, strings, route } = this.#context;
    this.#asked = route.query.toString();
    const after = route.query.get("after");
    const asked = new URLSearchParams({ ...requestOf(askedIn(route.query)), ...(after ? { after } : {}) });
    const done = await this.#page.run(() => api.get(`conversations?${asked}`));
    if (done && this.#page.value) announce(strings.conversations.shown(this.#page.value.conversations.length));
  }
}

/** @param {string} id */
function rowId(id) {
  return `conversation-${id}`;
}
