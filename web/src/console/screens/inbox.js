/** The inbox: which conversations need a person, and the one that is open. For agents. */

import { html, nothing } from "lit";
import { Task } from "../api.js";
import { button, segments, select } from "../parts/controls.js";
import { conversationRow } from "../parts/conversation.js";
import { empty, loaded, problemNotice } from "../parts/messages.js";
import { VirtualList } from "../parts/virtual-list.js";
import { ConversationPane } from "./inbox-conversation.js";

/** @typedef {import("../contract.js").Context} Context */
/** @typedef {import("../contract.js").InboxRow} InboxRow */
/** @typedef {import("../contract.js").InboxPage} InboxPage */
/** @typedef {import("../contract.js").Screen} Screen */
/** @typedef {"waiting" | "mine" | "all" | "closed"} View */

/** @type {readonly View[]} */
const VIEWS = ["waiting", "mine", "all", "closed"];

/** @implements {Screen} */
export class InboxScreen {
  #context;
  /** @type {Task<InboxPage>} */
  #page;
  /** @type {Task<InboxPage>} */
  #more;
  /** @type {InboxRow[]} in the order of the list, which only the person changes */
  #rows = [];
  /** @type {Map<string, InboxRow>} by id, also those that are not in the list */
  #known = new Map();
  /** @type {Set<string>} the ids of rows that wait behind "3 new" */
  #fresh = new Set();
  /** @type {Task<import("../contract.js").Colleagues>} */
  #colleagues;
  /** "": the teams of the person; null: all @type {string | null} */
  #team = null;
  #waiting = 0;
  #total = 0;
  /** @type {string | null} */
  #after = null;
  #list;
  /** @type {ConversationPane | null} */
  #pane = null;
  #stop;
  #clock;
  /** @type {View} */
  #shownView;

  /** @param {Context} context */
  constructor(context) {
    this.#context = context;
    this.#page = new Task(context.changed);
    this.#more = new Task(context.changed);
    this.#colleagues = new Task(context.changed);
    void this.#colleagues.run(() => context.api.get("inbox/colleagues"));
    this.#list = new VirtualList(context.changed);
    this.#shownView = this.#view;
    this.#stop = context.live.follow("inbox", "", {
      following: ({ resumed }) => resumed !== "replay" && void this.#load(),
      news: (news) => this.#onNews(/** @type {any} */ (news)),
    });
    this.#clock = setInterval(() => this.#tick(), 1000);
    this.#openPane();
  }

  heading() {
    return this.#context.strings.places.inbox;
  }

  left() {
    this.#stop();
    this.#pane?.left();
    clearInterval(this.#clock);
  }

  routeChanged() {
    if (this.#view !== this.#shownView) {
      this.#shownView = this.#view;
      this.#page.value = null;
      this.#rows = [];
      void this.#load();
    }
    this.#openPane();
  }

  shortcuts() {
    const { keyboard } = this.#context.strings;
    return [
      { keys: "j", label: keyboard.next, run: () => this.#move(1) },
      { keys: "k", label: keyboard.previous, run: () => this.#move(-1) },
      ...(this.#pane?.shortcuts() ?? []),
    ];
  }

  view() {
    const { strings } = this.#context;
    const open = this.#pane !== null;
    return html`<div class="inbox" data-open=${open ? "conversation" : "list"}>
      <section class="inbox-list" aria-label=${strings.inbox.list}>
        <div class="head">${this.#pane?.headed ? html`<h2 class="title">${this.heading()}</h2>` : html`<h1 tabindex="-1">${this.heading()}</h1>`}</div>
        ${this.#tabs()}${this.#work()}${this.#newRows()}
        ${loaded(this.#page, strings, () => void this.#load(), () => this.#drawRows())}
        ${this.#more.problem ? problemNotice(this.#more.problem, strings, () => void this.#loadMore()) : nothing}
      </section>
      ${this.#pane?.view() ?? html`<div class="inbox-none">${empty({ icon: "inbox", title: strings.inbox.chooseTitle, text: strings.inbox.chooseText })}</div>`}
    </div>`;
  }

  #tabs() {
    const { strings, address } = this.#context;
    return html`<nav class="tabs" aria-label=${strings.inbox.views}>
      ${VIEWS.map((view) => html`<a href=${address("inbox", { view, id: this.#id })} aria-current=${view === this.#view ? "page" : nothing}
        >${strings.inbox.viewNames[view]}${view === "waiting" && this.#waiting > 0 ? html` <span class="count-badge number">${this.#waiting}</span>` : nothing}</a
      >`)}
    </nav>`;
  }

  /** Whether the person is available, and whose conversations are shown. */
  #work() {
    const { strings, session } = this.#context;
    const { inbox } = strings;
    const known = this.#colleagues.value;
    if (!known) return nothing;
    const own = known.people.find(({ id }) => id === session.account.id);
    return html`<div class="inbox-work">
      ${own
        ? segments({
            name: "presence",
            label: inbox.presence,
            value: own.away ? "away" : "available",
            options: [
              ["available", inbox.available],
              ["away", inbox.away],
            ],
            choose: (value) => void this.#switch(value === "away"),
          })
        : nothing}
      ${known.teams.length > 0
        ? select({
            name: "team",
            label: inbox.teams,
            value: this.#team === null ? "all" : `team ${this.#team}`,
            options: [["all", inbox.allTeams], ["team ", inbox.myTeams], ...known.teams.map((team) => /** @type {const} */ ([`team ${team}`, team]))],
            choose: (value) => {
              this.#team = value === "all" ? null : value.slice(5);
              void this.#load();
            },
          })
        : nothing}
    </div>`;
  }

  /** @param {boolean} away */
  async #switch(away) {
    const { api } = this.#context;
    await this.#colleagues.run(async () => {
      await api.post("presence", { away });
      return api.get("inbox/colleagues");
    });
    await this.#load();
  }

  #newRows() {
    if (this.#fresh.size === 0) return nothing;
    const { strings } = this.#context;
    return html`<div class="new-rows">${button({ text: strings.inbox.newRows(this.#fresh.size), look: "quiet", wide: true, run: () => void this.#load() })}</div>`;
  }

  #drawRows() {
    const { strings, address } = this.#context;
    if (this.#rows.length === 0) {
      const { title, text } = strings.inbox.none[this.#view];
      return empty({ icon: "inbox", title, text });
    }
    const now = Date.now();
    return this.#list.view({
      label: strings.inbox.viewNames[this.#view],
      rows: this.#rows,
      total: this.#after === null ? this.#rows.length : Math.max(this.#total, this.#rows.length),
      draw: (row) => conversationRow(row, row.id === this.#id, address("inbox", { view: this.#view, id: row.id }), now, strings),
      need: () => void this.#loadMore(),
    });
  }

  // Lists

  /** @returns {View} */
  get #view() {
    const asked = this.#context.route.query.get("view");
    return VIEWS.find((view) => view === asked) ?? "waiting";
  }

  get #id() {
    return this.#context.route.query.get("id") ?? "";
  }

  async #load() {
    const view = this.#view;
    const done = await this.#page.run(() => this.#context.api.get(`inbox?view=${view}${this.#teamQuery}`));
    if (!done || !this.#page.value || view !== this.#view) return;
    const { rows, after, total, waiting } = this.#page.value;
    this.#rows = rows.map((row) => this.#newest(row));
    this.#after = after;
    this.#total = total;
    this.#waiting = waiting;
    this.#fresh.clear();
    this.#list.toStart();
    this.#context.changed();
  }

  async #loadMore() {
    const after = this.#after;
    const view = this.#view;
    if (after === null || this.#more.pending) return;
    const done = await this.#more.run(() => this.#context.api.get(`inbox?view=${view}&after=${encodeURIComponent(after)}${this.#teamQuery}`));
    if (!done || !this.#more.value || view !== this.#view || after !== this.#after) return;
    const known = new Set(this.#rows.map(({ id }) => id));
    this.#rows = [...this.#rows, ...this.#more.value.rows.filter(({ id }) => !known.has(id)).map((row) => this.#newest(row))];
    this.#after = this.#more.value.after;
    this.#context.changed();
  }

  get #teamQuery() {
    return this.#team === null ? "" : `&team=${encodeURIComponent(this.#team)}`;
  }

  /** A row that the live line brought may be newer than one of a list. @param {InboxRow} row */
  #newest(row) {
    const known = this.#known.get(row.id);
    const newest = known && known.seq > row.seq ? known : row;
    this.#known.set(row.id, newest);
    return newest;
  }

  /** @param {{ row: InboxRow, waiting: number }} news */
  #onNews({ row, waiting }) {
    this.#waiting = waiting;
    this.#known.set(row.id, row);
    const place = this.#rows.findIndex(({ id }) => id === row.id);
    if (place >= 0) this.#rows = this.#rows.with(place, row);
    else if (this.#fits(row)) this.#showOrWait(row);
    else this.#fresh.delete(row.id);
    this.#context.changed();
  }

  /** Nothing moves under the pointer: a new row waits, unless there is no other. @param {InboxRow} row */
  #showOrWait(row) {
    const { announce, strings } = this.#context;
    if (this.#rows.length === 0 && this.#page.value) this.#rows = [row];
    else this.#fresh.add(row.id);
    if (this.#view === "waiting") announce(strings.inbox.oneMoreWaits(this.#waiting));
  }

  /** @param {InboxRow} row */
  #fits({ state, assigned, team }) {
    const own = this.#colleagues.value?.people.find(({ id }) => id === this.#context.session.account.id);
    if (this.#team !== null && (this.#team === "" ? team !== null && !own?.teams.includes(team) : team !== this.#team)) return false;
    if (this.#view === "waiting") return state === "waiting" || state === "ticket";
    if (this.#view === "closed") return state === "closed";
    return this.#view === "all" || (assigned?.id === this.#context.session.account.id && state !== "closed");
  }

  #tick() {
    if (this.#rows.some(({ state, unanswered_since: unanswered, due }) => state === "waiting" || unanswered || due)) this.#context.changed();
  }

  /** Moves the focus from row to row. @param {number} step */
  #move(step) {
    const focused = document.activeElement?.closest("[data-row]");
    const current = focused instanceof HTMLElement ? focused.dataset.row : this.#id;
    const at = this.#rows.findIndex(({ id }) => id === current);
    const next = Math.max(0, Math.min(this.#rows.length - 1, at < 0 ? 0 : at + step));
    const row = this.#rows[next];
    if (!row) return;
    this.#list.reveal(next);
    requestAnimationFrame(() =>
      requestAnimationFrame(() => /** @type {HTMLElement | null} */ (document.querySelector(`[data-row="${CSS.escape(row.id)}"]`))?.focus()),
    );
  }

  // The open conversation

  #openPane() {
    const id = this.#id;
    if (id === (this.#pane?.id ?? "")) return;
    this.#pane?.left();
    const back = () => this.#context.address("inbox", { view: this.#view });
    this.#pane = id === "" ? null : new ConversationPane(this.#context, id, back);
    this.#context.changed();
  }
}
