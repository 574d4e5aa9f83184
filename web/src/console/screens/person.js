/** The dialogs about one person: adding and editing, a one-time link, and disabling. */

import { html, nothing } from "lit";
import { Task } from "../api.js";
import { button, choice, field, fieldProblem, focusProblem, onSubmit } from "../parts/controls.js";
import { problemNotice, problemOf } from "../parts/messages.js";
import { dayAndTime } from "../strings/format.js";

/** @typedef {import("../contract.js").Context} Context */
/** @typedef {import("../contract.js").Dialog} Dialog */
/** @typedef {import("../contract.js").OneTimeLink} OneTimeLink */
/** @typedef {import("../contract.js").Person} Person */
/** @typedef {import("../contract.js").Role} Role */

/** What the server says about the login. */
const LOGIN_CODES = ["login_taken", "login_invalid"];

/** @type {readonly Role[]} */
const ROLES = ["agent", "editor", "analyst", "admin"];

/** Adds a person, or changes the name and the roles of one. @implements {Dialog} */
export class PersonDialog {
  #context;
  #person;
  #done;
  /** @type {Task<Person>} */
  #task;
  /** @type {{ login?: string, name?: string, roles?: string, teams?: string, skills?: string, capacity?: string }} */
  #wrong = {};

  /** @param {Context} context @param {Person | null} person null: a new one @param {(person: Person) => void} done */
  constructor(context, person, done) {
    this.#context = context;
    this.#person = person;
    this.#done = done;
    this.#task = new Task(context.changed);
  }

  view() {
    const { strings, close } = this.#context;
    const { people, person: texts, account } = strings;
    const person = this.#person;
    const { problem } = this.#task;
    const wrongLogin = problemOf(problem, LOGIN_CODES, strings);
    return html`<form id="person" novalidate @submit=${onSubmit((values) => this.#send(values))}>
      <h2 id="dialog-title">${person ? people.editOf(person.name) : people.add}</h2>
      ${problem && !wrongLogin ? problemNotice(problem, strings) : nothing}
      ${person ? nothing : field({ name: "login", label: texts.login, problem: this.#wrong.login ?? wrongLogin })}
      ${field({ name: "name", label: account.name, value: person?.name, hint: account.nameHint, problem: this.#wrong.name })}
      <fieldset class="field" aria-describedby=${this.#wrong.roles ? "roles-problem" : nothing}>
        <legend class="label">${account.roles}</legend>
        <div class="choices">
          ${ROLES.map((role) =>
            choice({
              name: "roles",
              value: role,
              text: strings.roles[role],
              hint: strings.roleHints[role],
              checked: person?.roles.includes(role) ?? false,
            }),
          )}
        </div>
        ${fieldProblem("roles", this.#wrong.roles)}
      </fieldset>
      ${person?.teams
        ? html`
            ${field({ name: "teams", label: texts.teams, value: person.teams.join(", "), hint: texts.namesHint, problem: this.#wrong.teams })}
            ${field({ name: "skills", label: texts.skills, value: person.skills?.join(", ") ?? "", hint: texts.skillsHint, problem: this.#wrong.skills })}
            ${field({ name: "capacity", label: texts.capacity, value: String(person.capacity), problem: this.#wrong.capacity })}
          `
        : nothing}
      <div class="buttons">
        ${button({ text: strings.cancel, run: close })}
        ${button({ text: person ? strings.save : texts.add, look: "primary", pending: this.#task.pending })}
      </div>
    </form>`;
  }

  /** @param {FormData} values */
  async #send(values) {
    const { api, changed, strings } = this.#context;
    const person = this.#person;
    const roles = values.getAll("roles");
    const [login, name] = ["login", "name"].map((key) => String(values.get(key) ?? "").trim());
    this.#wrong = {
      ...(person === null && login === "" ? { login: strings.person.loginMissing } : {}),
      ...(name === "" ? { name: strings.account.nameMissing } : {}),
      ...(roles.length === 0 ? { roles: strings.person.roleMissing } : {}),
      ...(person?.teams ? wrongWork(values, strings) : {}),
    };
    changed();
    if (Object.keys(this.#wrong).length > 0) return focusProblem("#person");
    const done = await this.#task.run(() =>
      person ? api.patch(`people/${person.id}`, { name, roles, ...(person.teams ? work(values) : {}) }) : api.post("people", { login, name, roles }),
    );
    if (!done || this.#task.value === null) return focusProblem("#person");
    this.#finish(this.#task.value);
  }

  /** @param {Person} person */
  #finish(person) {
    const { close, open, strings, toast } = this.#context;
    this.#done(person);
    if (this.#person === null) return open(new LinkDialog(this.#context, person, true));
    close();
    toast(strings.person.saved(person.name));
  }
}

/** What a person works on, as it was typed. @param {FormData} values */
function work(values) {
  const names = (/** @type {string} */ key) => [
    ...new Set(
      String(values.get(key) ?? "")
        .split(",")
        .map((name) => name.trim())
        .filter(Boolean),
    ),
  ];
  return { teams: names("teams"), skills: names("skills"), capacity: Number(values.get("capacity")) };
}

/** @param {FormData} values @param {import("../contract.js").Strings} strings */
function wrongWork(values, { person: texts }) {
  const { teams, skills } = work(values);
  const tooLong = (/** @type {readonly string[]} */ names) => names.some(({ length }) => length > 60);
  return {
    ...(tooLong(teams) ? { teams: texts.workProblem } : {}),
    ...(tooLong(skills) ? { skills: texts.workProblem } : {}),
    ...(/^(\d{1,2}|100)$/.test(String(values.get("capacity")).trim()) ? {} : { capacity: texts.capacityWrong }),
  };
}

/** Makes a one-time link and shows it, to be copied. @implements {Dialog} */
export class LinkDialog {
  #context;
  #person;
  #isNew;
  /** @type {Task<OneTimeLink>} */
  #task;
  #copied = "";

  /** @param {Context} context @param {Person} person @param {boolean} [isNew] was added just now: the link is made at once */
  constructor(context, person, isNew = false) {
    this.#context = context;
    this.#person = person;
    this.#isNew = isNew;
    this.#task = new Task(context.changed);
    if (isNew) void this.#make();
  }

  view() {
    const { strings, close } = this.#context;
    const { person: texts } = strings;
    const { name } = this.#person;
    const link = this.#task.value;
    if (link) return this.#link(link);
    return html`<div>
      <h2 id="dialog-title">${this.#isNew ? texts.added(name) : texts.linkQuestion(name)}</h2>
      ${this.#task.problem ? problemNotice(this.#task.problem, strings) : nothing}
      <p>${texts.linkText}</p>
      ${this.#isNew ? nothing : html`<p class="soft">${texts.linkWarning}</p>`}
      <div class="buttons">
        ${button({ text: strings.cancel, run: close })}
        ${button({ text: texts.makeLink, look: "primary", pending: this.#task.pending, run: () => void this.#make() })}
      </div>
    </div>`;
  }

  /** @param {OneTimeLink} link */
  #link({ url, expires_at: until }) {
    const { strings, locale, close } = this.#context;
    const { person: texts } = strings;
    const copy = button({ text: texts.copy, icon: "copy", look: "primary", run: () => void this.#copy(url) });
    return html`<div>
      <h2 id="dialog-title" tabindex="-1">${(this.#isNew ? texts.added : texts.linkTitle)(this.#person.name)}</h2>
      <p>${texts.linkText}</p>
      ${field({ name: "link", label: texts.linkLabel, value: url, readonly: true, after: copy })}
      <p class="soft small">${texts.linkUntil(dayAndTime(until, locale))}</p>
      ${this.#copied ? html`<p class="confirmed">${this.#copied}</p>` : nothing}
      <div class="buttons">${button({ text: texts.done, run: close })}</div>
    </div>`;
  }

  async #make() {
    const { api } = this.#context;
    if (await this.#task.run(() => api.post(`people/${this.#person.id}/link`))) focusDialogTitle();
  }

  /** @param {string} url */
  async #copy(url) {
    const { strings, announce, changed } = this.#context;
    try {
      await navigator.clipboard.writeText(url);
      this.#copied = strings.person.copied;
    } catch {
      // Not allowed, or the page is not on https.
      const input = document.getElementById("link");
      if (input instanceof HTMLInputElement) input.select();
      this.#copied = strings.person.notCopied;
    }
    announce(this.#copied);
    changed();
  }
}

/** Asks before a person is signed out and locked out. @implements {Dialog} */
export class DisableDialog {
  #context;
  #person;
  #done;
  /** @type {Task<Person>} */
  #task;

  /** @param {Context} context @param {Person} person @param {(person: Person) => void} done */
  constructor(context, person, done) {
    this.#context = context;
    this.#person = person;
    this.#done = done;
    this.#task = new Task(context.changed);
  }

  view() {
    const { strings, close } = this.#context;
    const { person: texts, people } = strings;
    return html`<div>
      <h2 id="dialog-title">${texts.disableQuestion(this.#person.name)}</h2>
      ${this.#task.problem ? problemNotice(this.#task.problem, strings) : nothing}
      <p>${texts.disableText}</p>
      <div class="buttons">
        ${button({ text: strings.cancel, run: close })}
        ${button({ text: people.disable, look: "danger", pending: this.#task.pending, run: () => void this.#disable() })}
      </div>
    </div>`;
  }

  async #disable() {
    const { api, close } = this.#context;
    const done = await this.#task.run(() => api.patch(`people/${this.#person.id}`, { disabled: true }));
    if (!done || this.#task.value === null) return;
    close();
    this.#done(this.#task.value);
  }
}

/** The button that had the focus is gone. */
function focusDialogTitle() {
  requestAnimationFrame(() => requestAnimationFrame(() => document.getElementById("dialog-title")?.focus()));
}
