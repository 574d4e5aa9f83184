/** The person's own account: name and password; and choosing a password after a one-time link. */

import { html, nothing } from "lit";
import { Task } from "../api.js";
import { button, field, focusProblem, onSubmit } from "../parts/controls.js";
import { badge, problemNotice, problemOf } from "../parts/messages.js";

/** @typedef {import("../contract.js").Context} Context */
/** @typedef {import("../contract.js").Account} Account */

/** @typedef {import("../contract.js").Screen} Screen */

/** @implements {Screen} */
export class AccountScreen {
  #context;
  #keep;
  /** @type {Task<unknown>} */
  #name;
  #nameMissing = false;
  #password;

  /** @param {Context} context @param {(account: Account) => void} keep the account as it is from now on */
  constructor(context, keep) {
    this.#context = context;
    this.#keep = keep;
    this.#name = new Task(context.changed);
    this.#password = new PasswordForm(context, true, () => context.toast(context.strings.choosePassword.saved));
  }

  heading() {
    return this.#context.strings.account.title;
  }

  view() {
    const { strings, session } = this.#context;
    const { account } = strings;
    const { login, name, roles } = session.account;
    return html`<div class="screen narrow">
      <div class="head"><h1 tabindex="-1">${this.heading()}</h1></div>
      <dl class="facts">
        <dt>${account.login}</dt>
        <dd>${login}</dd>
        <dt>${account.roles}</dt>
        <dd class="badges">${roles.map((role) => badge(strings.roles[role] ?? role))}</dd>
      </dl>
      <form class="form" id="own-name" novalidate @submit=${onSubmit((values) => this.#save(values))}>
        ${this.#name.problem ? problemNotice(this.#name.problem, strings) : nothing}
        ${field({
          name: "name",
          label: account.name,
          value: name,
          hint: account.nameHint,
          autocomplete: "name",
          problem: this.#nameMissing ? account.nameMissing : undefined,
        })}
        <div class="buttons">${button({ text: strings.save, look: "primary", pending: this.#name.pending })}</div>
      </form>
      ${session.passwords
        ? html`<section class="form">
            <h2>${account.password}</h2>
            ${this.#password.view()}
          </section>`
        : nothing}
    </div>`;
  }

  /** @param {FormData} values */
  async #save(values) {
    const { api, changed, toast, strings } = this.#context;
    const name = String(values.get("name")).trim();
    this.#nameMissing = name === "";
    changed();
    if (this.#nameMissing) return focusProblem("#own-name");
    const before = this.#context.session.account;
    if (!(await this.#name.run(() => api.patch("account", { name })))) return;
    this.#keep({ ...before, name });
    toast(strings.account.saved);
  }
}

/** The page after a one-time link. */
export class ChoosePasswordPage {
  #context;
  #form;
  #leave;

  /** @param {Context} context @param {() => void} leave */
  constructor(context, leave) {
    this.#context = context;
    this.#leave = leave;
    this.#form = new PasswordForm(context, false, () => {
      leave();
      context.toast(context.strings.choosePassword.saved);
    });
  }

  heading() {
    return this.#context.strings.choosePassword.title;
  }

  view() {
    const { strings, session } = this.#context;
    const { choosePassword } = strings;
    return html`<h1 tabindex="-1">${this.heading()}</h1>
      <p>${choosePassword.text(session.account.login)}</p>
      ${this.#form.view(button({ text: choosePassword.later, look: "quiet", run: this.#leave }))}`;
  }
}

/** Sets a new password, with the current one or, soon after a one-time link, without. */
class PasswordForm {
  #context;
  #asksCurrent;
  #done;
  /** @type {Task<unknown>} */
  #task;
  #shown = false;
  #missing = false;

  /** @param {Context} context @param {boolean} asksCurrent @param {() => void} done */
  constructor(context, asksCurrent, done) {
    this.#context = context;
    this.#asksCurrent = asksCurrent;
    this.#done = done;
    this.#task = new Task(context.changed);
  }

  /** @param {unknown} [beside] stands after the button that saves */
  view(beside = nothing) {
    const { strings, session } = this.#context;
    const { account, choosePassword, signIn } = strings;
    const shown = this.#shown;
    const { problem } = this.#task;
    const wrongCurrent = problemOf(problem, ["password_current"], strings);
    const weak = problemOf(problem, ["password_weak"], strings);
    return html`<form class="form" id="password-form" novalidate @submit=${onSubmit((values) => this.#send(values))}>
      ${problem && !wrongCurrent && !weak ? problemNotice(problem, strings) : nothing}
      <input type="text" name="username" autocomplete="username" value=${session.account.login} hidden />
      ${this.#asksCurrent
        ? field({
            name: "current-password",
            label: account.current,
            type: "password",
            autocomplete: "current-password",
            hint: account.currentHint,
            problem: wrongCurrent,
          })
        : nothing}
      ${field({
        name: "new-password",
        label: choosePassword.new,
        type: shown ? "text" : "password",
        autocomplete: "new-password",
        hint: choosePassword.hint,
        problem: this.#missing ? choosePassword.missing : weak,
        after: button({
          text: shown ? signIn.hide : signIn.show,
          label: shown ? signIn.hidePassword : signIn.showPassword,
          run: () => this.#show(!shown),
        }),
      })}
      <div class="buttons">
        ${button({ text: choosePassword.save, look: "primary", pending: this.#task.pending })}${beside}
      </div>
    </form>`;
  }

  /** @param {boolean} shown */
  #show(shown) {
    this.#shown = shown;
    this.#context.changed();
  }

  /** @param {FormData} values */
  async #send(values) {
    const { api, changed } = this.#context;
    const current = String(values.get("current-password") ?? "");
    const password = String(values.get("new-password"));
    this.#missing = password === "";
    changed();
    if (this.#missing) return focusProblem("#password-form");
    const body = current === "" ? { password } : { password, current_password: current };
    if (!(await this.#task.run(() => api.patch("account", body)))) return focusProblem("#password-form");
    const form = document.querySelector("#password-form");
    if (form instanceof HTMLFormElement) form.reset();
    this.#show(false);
    this.#done();
  }
}
