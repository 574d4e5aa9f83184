/** The accounts of the company: who may sign in, and what each may do. For admins. */

import { html, nothing } from "lit";
import { repeat } from "lit/directives/repeat.js";
import { Task } from "../api.js";
import { button } from "../parts/controls.js";
import { icon } from "../parts/icons.js";
import { badge, empty, loaded } from "../parts/messages.js";
import { ago } from "../strings/format.js";
import { DisableDialog, LinkDialog, PersonDialog } from "./person.js";

/** @typedef {import("../contract.js").Context} Context */
/** @typedef {import("../contract.js").Person} Person */
/** @typedef {import("../contract.js").Screen} Screen */

/** @implements {Screen} */
export class PeopleScreen {
  #context;
  /** @type {Task<readonly Person[]>} */
  #people;
  #words = "";

  /** @param {Context} context */
  constructor(context) {
    this.#context = context;
    this.#people = new Task(context.changed);
    void this.#load();
  }

  heading() {
    return this.#context.strings.places.people;
  }

  shortcuts() {
    const search = () => document.getElementById("search")?.focus();
    return [{ keys: "/", label: this.#context.strings.keyboard.search, run: search }];
  }

  view() {
    const { strings, open } = this.#context;
    const add = () => open(new PersonDialog(this.#context, null, (person) => this.#added(person)));
    return html`<div class="screen">
      <div class="head">
        <h1 tabindex="-1">${this.heading()}</h1>
        ${button({ text: strings.people.add, look: "primary", icon: "plus", run: add })}
      </div>
      ${loaded(this.#people, strings, () => void this.#load(), (people) => this.#list(people))}
    </div>`;
  }

  /** @param {readonly Person[]} people */
  #list(people) {
    const { people: texts } = this.#context.strings;
    const found = people.filter((person) => this.#fits(person));
    return html`
      <div class="filters">
        <div class="field">
          <label class="visually-hidden" for="search">${texts.search}</label>
          <div class="with-icon">
            ${icon("search")}
            <input class="input" id="search" type="search" placeholder=${texts.search} autocomplete="off" .value=${this.#words} @input=${this.#onSearch} />
          </div>
        </div>
        <p class="soft count">${this.#words ? texts.found(found.length) : texts.count(people.length)}</p>
      </div>
      ${found.length > 0 ? this.#table(found) : this.#noMatch()}
    `;
  }

  #noMatch() {
    const { people: texts } = this.#context.strings;
    const showAll = () => this.#search("");
    return empty({
      icon: "people",
      title: texts.none(this.#words),
      text: texts.noneHint,
      actions: button({ text: texts.showAll, run: showAll }),
    });
  }

  /** @param {readonly Person[]} people */
  #table(people) {
    const { people: texts } = this.#context.strings;
    return html`<table class="table stacks people" role="table" aria-label=${this.heading()}>
      <thead role="rowgroup">
        <tr role="row">
          <th role="columnheader" scope="col">${texts.person}</th>
          <th role="columnheader" scope="col">${texts.roles}</th>
          <th role="columnheader" scope="col">${texts.state}</th>
          <th role="columnheader" scope="col"><span class="visually-hidden">${texts.actions}</span></th>
        </tr>
      </thead>
      <tbody role="rowgroup">
        ${repeat(
          people,
          ({ id }) => id,
          (person) => this.#row(person),
        )}
      </tbody>
    </table>`;
  }

  /** @param {Person} person */
  #row(person) {
    const { strings } = this.#context;
    const { people: texts, roles } = strings;
    return html`<tr role="row" data-person=${person.id} class=${person.disabled ? "disabled" : nothing}>
      <td role="cell" class="person breaks">
        <div>
          <strong>${person.name}</strong>${this.#isOwn(person) ? html` <span class="soft">(${texts.you})</span>` : nothing}
          ${person.login === person.name ? nothing : html`<div class="soft small">${person.login}</div>`}
          ${person.teams && person.teams.length + (person.skills?.length ?? 0) > 0 ? html`<div class="soft small">${[...person.teams, ...(person.skills ?? [])].join(" · ")}</div>` : nothing}
        </div>
      </td>
      <td role="cell" class="roles">
        <div class="badges">
          ${person.roles.length > 0
            ? person.roles.map((role) => badge(roles[role] ?? role, role === "admin" ? "accent" : "plain", null))
            : html`<span class="soft">${texts.noRoles}</span>`}
        </div>
      </td>
      <td role="cell" class="state-cell">${this.#state(person)}</td>
      <td role="cell" class="acts">${this.#actions(person)}</td>
    </tr>`;
  }

  /** @param {Person} person */
  #state({ disabled, last_seen_at: seen }) {
    const { strings, locale } = this.#context;
    const { people: texts } = strings;
    const when = seen === null ? nothing : html`<span class="soft small nowrap">${texts.lastSeen(ago(seen, locale))}</span>`;
    const never = seen === null ? badge(texts.invited, "plain", "clock") : badge(texts.active, "good");
    return html`<div class="state">${disabled ? badge(texts.disabled, "warn", "blocked") : never}${when}</div>`;
  }

  /** @param {Person} person */
  #actions(person) {
    const { strings, open } = this.#context;
    const { people: texts } = strings;
    const edit = () => open(new PersonDialog(this.#context, person, (changed) => this.#put(changed)));
    const link = () => open(new LinkDialog(this.#context, person));
    const disable = () => open(new DisableDialog(this.#context, person, (changed) => this.#disabled(changed)));
    const enable = () => void this.#enable(person);
    return html`<div class="buttons row-actions">
      ${button({ text: texts.edit, label: texts.editOf(person.name), look: "quiet", run: edit })}
      ${person.disabled
        ? button({ text: texts.enable, label: texts.enableOf(person.name), look: "quiet", run: enable })
        : button({ text: texts.link, label: texts.linkOf(person.name), look: "quiet", run: link })}
      ${person.disabled || this.#isOwn(person)
        ? nothing
        : button({ text: texts.disable, label: texts.disableOf(person.name), look: "quiet", run: disable })}
    </div>`;
  }

  /** @param {Person} person */
  #isOwn({ id }) {
    return id === this.#context.session.account.id;
  }

  /** @param {Person} person */
  #fits({ name, login, roles }) {
    const { strings } = this.#context;
    const text = [name, login, ...roles.map((role) => strings.roles[role] ?? role)].join(" ").toLowerCase();
    return this.#words.toLowerCase().split(/\s+/).every((word) => text.includes(word));
  }

  #onSearch = (/** @type {Event} */ { target }) => this.#search(/** @type {HTMLInputElement} */ (target).value);

  /** @param {string} words */
  #search(words) {
    this.#words = words.trim() === "" ? "" : words;
    this.#context.changed();
    const found = (this.#people.value ?? []).filter((person) => this.#fits(person)).length;
    this.#context.announce(this.#context.strings.people.found(found));
  }

  async #load() {
    await this.#people.run(async () => (await this.#context.api.get("people")).people);
  }

  /** @param {Person} person */
  #added(person) {
    this.#people.value = [...(this.#people.value ?? []), person];
    this.#words = "";
    this.#context.changed();
  }

  /** @param {Person} person as it is now */
  #put(person) {
    this.#people.value = (this.#people.value ?? []).map((one) => (one.id === person.id ? person : one));
    this.#context.changed();
  }

  /** @param {Person} person */
  #disabled(person) {
    const { strings, toast } = this.#context;
    this.#put(person);
    toast(strings.person.disabled(person.name), () => void this.#enable(person));
  }

  /** @param {Person} person */
  async #enable(person) {
    const { api, strings, toast, changed } = this.#context;
    /** @type {Task<Person>} */
    const task = new Task(changed);
    const done = await task.run(() => api.patch(`people/${person.id}`, { disabled: false }));
    if (!done) this.#people.problem = task.problem;
    changed();
    if (!done || task.value === null) return;
    this.#put(task.value);
    toast(strings.person.enabled(person.name));
  }
}
