/** The record of who looked at or changed what. For admins. */

import { html, nothing } from "lit";
import { repeat } from "lit/directives/repeat.js";
import { Task } from "../api.js";
import { detailWords } from "../parts/audit-words.js";
import { button, select } from "../parts/controls.js";
import { badge, empty, loaded } from "../parts/messages.js";
import { moment } from "../strings/format.js";

/** @typedef {import("../contract.js").AuditPage} AuditPage */
/** @typedef {import("../contract.js").AuditRecord} AuditRecord */
/** @typedef {import("../contract.js").Context} Context */
/** @typedef {import("../contract.js").Person} Person */
/** @typedef {import("../contract.js").Screen} Screen */
/** @typedef {import("../parts/messages.js").Tone} Tone */

/** @type {Readonly<Record<string, Tone>>} */
const TONES = { ok: "good", refused: "warn", failed: "bad", begun: "warn" };

/** @implements {Screen} */
export class AuditScreen {
  #context;
  /** @type {Task<AuditPage>} */
  #page;
  /** @type {Task<readonly Person[]>} */
  #people;

  /** @param {Context} context */
  constructor(context) {
    this.#context = context;
    this.#page = new Task(context.changed);
    this.#people = new Task(context.changed);
    void this.#load();
    if (context.may("people.manage")) void this.#people.run(async () => (await context.api.get("people")).people);
  }

  heading() {
    return this.#context.strings.places.audit;
  }

  routeChanged() {
    void this.#load();
  }

  view() {
    const { strings } = this.#context;
    return html`<div class="screen">
      <div class="head"><h1 tabindex="-1">${this.heading()}</h1></div>
      <p class="soft">${strings.audit.text}</p>
      ${this.#filters()}
      ${loaded(this.#page, strings, () => void this.#load(), (page) => this.#records(page))}
    </div>`;
  }

  #filters() {
    const { audit, actions } = this.#context.strings;
    const { account, action } = this.#query();
    const people = (this.#people.value ?? []).map(({ id, name }) => /** @type {const} */ ([id, name]));
    const known = Object.entries(actions);
    const other = action && !(action in actions) ? [/** @type {const} */ ([action, action])] : [];
    return html`<div class="filters">
      ${select({
        name: "account",
        label: audit.account,
        value: account,
        options: [["", audit.everyone], ...people],
        choose: (value) => this.#filter({ account: value, action }),
      })}
      ${select({
        name: "action",
        label: audit.action,
        value: action,
        options: [["", audit.everything], ...known, ...other],
        choose: (value) => this.#filter({ account, action: value }),
      })}
    </div>`;
  }

  /** @param {AuditPage} page */
  #records({ records, before }) {
    const { audit } = this.#context.strings;
    const query = this.#query();
    const filtered = query.account !== "" || query.action !== "";
    if (records.length === 0 && query.before === "") {
      return filtered
        ? empty({
            icon: "audit",
            title: audit.noneFiltered,
            actions: button({ text: audit.clear, run: () => this.#filter({}) }),
          })
        : empty({ icon: "audit", title: audit.none, text: audit.noneHint });
    }
    return html`${this.#table(records)}${this.#pager(records.length, before)}`;
  }

  /** @param {readonly AuditRecord[]} records */
  #table(records) {
    const { audit } = this.#context.strings;
    const heads = [audit.time, audit.account, audit.action, audit.object, audit.from, audit.outcome];
    return html`<table class="table stacks audit" role="table" aria-label=${this.heading()} aria-busy=${this.#page.pending}>
      <thead role="rowgroup">
        <tr role="row">${heads.map((text) => html`<th role="columnheader" scope="col">${text}</th>`)}</tr>
      </thead>
      <tbody role="rowgroup">
        ${repeat(
          records,
          ({ id }) => id,
          (record) => this.#row(record),
        )}
      </tbody>
    </table>`;
  }

  /** @param {AuditRecord} record */
  #row({ at, account, action, object, customer, detail, address, outcome }) {
    const { strings, locale } = this.#context;
    const { audit, actions, outcomes } = strings;
    const more = [customer && audit.customer(customer), detail && detailWords(action, detail, strings)].filter(Boolean).join(" · ");
    return html`<tr role="row">
      <td role="cell" class="time number nowrap">${moment(at, locale)}</td>
      <td role="cell" class="account">
        ${account?.name ?? html`<span class="soft">${audit.unknownAccount}</span>`}
      </td>
      <td role="cell" class="action">${actions[action] ?? action}</td>
      <td role="cell" class="object breaks">
        <div>${this.#object(object)}${more ? html`<div class="soft small">${more}</div>` : nothing}</div>
      </td>
      <td role="cell" class="from number breaks">${address ?? audit.here}</td>
      <td role="cell" class="outcome"><div>${badge(outcomes[outcome] ?? outcome, TONES[outcome] ?? "plain")}</div></td>
    </tr>`;
  }

  /** @param {string | null} object such as `account:a1` */
  #object(object) {
    if (object === null) return html`<span class="none">–</span>`;
    const [kind, id = ""] = object.split(/:(.*)/);
    const { kinds } = this.#context.strings;
    const name = kind === "account" ? this.#people.value?.find((one) => one.id === id)?.name : undefined;
    return [kinds[kind] ?? kind, name ?? id].filter(Boolean).join(" ");
  }

  /** @param {number} shown @param {string | null} before */
  #pager(shown, before) {
    const { strings, address } = this.#context;
    const { audit } = strings;
    const { before: from, ...filters } = this.#query();
    return html`<div class="pager">
      <p class="soft">${audit.shown(shown)}${before === null ? html`. ${audit.end}` : nothing}</p>
      <div class="buttons">
        ${from ? html`<a class="button" href=${address("audit", filters)}>${audit.newest}</a>` : nothing}
        ${before === null
          ? nothing
          : html`<a class="button" href=${address("audit", { ...filters, before })}>${audit.older}</a>`}
      </div>
    </div>`;
  }

  #query() {
    const { query } = this.#context.route;
    return {
      account: query.get("account") ?? "",
      action: query.get("action") ?? "",
      before: query.get("before") ?? "",
    };
  }

  /** @param {Record<string, string>} filters */
  #filter(filters) {
    this.#context.go(this.#context.address("audit", filters));
  }

  async #load() {
    const { api, announce, strings } = this.#context;
    const asked = Object.entries(this.#query()).filter(([, value]) => value !== "");
    const query = asked.length > 0 ? `?${new URLSearchParams(asked)}` : "";
    const done = await this.#page.run(() => api.get(`audit${query}`));
    if (done && this.#page.value) announce(strings.audit.shown(this.#page.value.records.length));
  }
}
