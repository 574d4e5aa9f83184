/** Signing in with a password, with OpenID Connect, or with a one-time link; and signing in again in a dialog. */

import { html, nothing } from "lit";
import { ApiProblem, Task } from "../api.js";
import { button, field, focusProblem, onSubmit } from "../parts/controls.js";
import { notice, problemNotice } from "../parts/messages.js";

/** @typedef {import("../contract.js").Provider} Provider */
/** @typedef {import("../contract.js").Session} Session */
/** @typedef {import("../contract.js").SignInWays} SignInWays */
/** @typedef {import("../strings/index.js").Strings} Strings */

/**
 * @typedef {object} SignInOwner
 * @property {import("../api.js").Api} api
 * @property {Strings} strings
 * @property {() => void} changed
 * @property {(session: Session) => void} begin
 */

/** The form with login and password, and the button for OpenID Connect. */
export class SignInForm {
  #owner;
  /** @type {Task<Session>} */
  #task;
  /** @type {{ login?: string, password?: string }} */
  #wrong = {};
  #shown = false;

  /** @param {SignInOwner} owner */
  constructor(owner) {
    this.#owner = owner;
    this.#task = new Task(owner.changed);
  }

  /**
   * @param {SignInWays} ways
   * @param {{ login?: string, back?: string, newTab?: boolean }} options whose password it asks for; where OpenID Connect returns to
   */
  view(ways, { login, back = "", newTab = false } = {}) {
    const { strings } = this.#owner;
    const { signIn } = strings;
    if (!ways.password && ways.oidc === null) return notice({ tone: "warn", title: signIn.noWay, text: [signIn.noWayHint] });
    return html`
      ${this.#problem()}${ways.password ? this.#form(login) : nothing}
      ${ways.password && ways.oidc ? html`<p class="or">${signIn.or}</p>` : nothing}
      ${ways.oidc ? this.#identityProvider(ways.oidc, back, newTab) : nothing}
    `;
  }

  #problem() {
    const { problem } = this.#task;
    const { strings } = this.#owner;
    if (problem === null) return nothing;
    if (problem.kind !== "signed_out") return problemNotice(problem, strings);
    return notice({ tone: "bad", title: strings.signIn.wrong, text: [strings.signIn.wrongHint], urgent: true });
  }

  /** @param {string | undefined} login */
  #form(login) {
    const { signIn } = this.#owner.strings;
    const shown = this.#shown;
    return html`<form class="form" id="sign-in" novalidate @submit=${onSubmit((values) => this.#send(values))}>
      ${field({
        name: "login",
        label: signIn.login,
        value: login ?? "",
        readonly: login !== undefined,
        autocomplete: "username",
        problem: this.#wrong.login,
      })}
      ${field({
        name: "password",
        label: signIn.password,
        type: shown ? "text" : "password",
        autocomplete: "current-password",
        problem: this.#wrong.password,
        first: login !== undefined,
        after: button({
          text: shown ? signIn.hide : signIn.show,
          label: shown ? signIn.hidePassword : signIn.showPassword,
          run: () => this.#show(!shown),
        }),
      })}
      ${button({ text: signIn.submit, look: "primary", wide: true, pending: this.#task.pending })}
    </form>`;
  }

  /** @param {Provider} oidc @param {string} back @param {boolean} newTab */
  #identityProvider({ name, href }, back, newTab) {
    const { strings } = this.#owner;
    const text = newTab ? strings.again.newTab(name) : strings.signIn.with(name);
    const address = back ? `${href}?next=${encodeURIComponent(back)}` : href;
    return html`<a class="button wide" href=${address} data-leaves target=${newTab ? "_blank" : nothing}>${text}</a>`;
  }

  /** @param {boolean} shown */
  #show(shown) {
    this.#shown = shown;
    this.#owner.changed();
  }

  /** @param {FormData} values */
  async #send(values) {
    const { api, begin, changed, strings } = this.#owner;
    const [login, password] = [String(values.get("login")).trim(), String(values.get("password"))];
    this.#wrong = {
      ...(login ? {} : { login: strings.signIn.loginMissing }),
      ...(password ? {} : { password: strings.signIn.passwordMissing }),
    };
    this.#shown = false;
    changed();
    if (!login || !password) return focusProblem("#sign-in");
    const done = await this.#task.run(() => api.post("session", { login, password }));
    if (done && this.#task.value) begin(this.#task.value);
  }
}

/**
 * What the sign-in page says above the form: why a sign-in at the identity provider did not work, or that the person is
 * still signed in there.
 *
 * @param {string} fragment of the address @param {Provider | null} elsewhere @param {Strings} strings
 */
export function signInNotice(fragment, elsewhere, { signIn }) {
  const code = new URLSearchParams(fragment).get("refused");
  const refused = code === null ? undefined : (signIn.refused[code] ?? signIn.refused.failed);
  if (refused)
    return notice({ tone: "bad", title: refused.title, text: [refused.text], urgent: true });
  if (elsewhere === null) return nothing;
  return notice({
    tone: "plain",
    title: signIn.elsewhere(elsewhere.name),
    text: [signIn.elsewhereHint],
    actions: html`<a class="button" href=${elsewhere.href} data-leaves>${signIn.leaveElsewhere(elsewhere.name)}</a>`,
  });
}

/** The page behind a one-time link. It asks before it uses the link, because programs that check mails open links too. */
export class LinkPage {
  #owner;
  #token;
  #toSignIn;
  #passwords;
  /** @type {Task<Session>} */
  #task;

  /** @param {SignInOwner} owner @param {string} token @param {string} toSignIn an address @param {boolean} passwords people have passwords here */
  constructor(owner, token, toSignIn, passwords) {
    this.#owner = owner;
    this.#token = token;
    this.#passwords = passwords;
    this.#toSignIn = toSignIn;
    this.#task = new Task(owner.changed);
  }

  heading() {
    return this.#owner.strings.link.title;
  }

  view() {
    const { link, ...strings } = this.#owner.strings;
    const { problem } = this.#task;
    const toSignIn = html`<a class="button" href=${this.#toSignIn}>${link.toSignIn}</a>`;
    if (!this.#token)
      return this.#page(notice({ tone: "warn", title: link.missing, text: [link.missingHint], actions: toSignIn }));
    const used = problem !== null && ["signed_out", "missing", "invalid", "refused"].includes(problem.kind);
    if (used)
      return this.#page(
        notice({ tone: "bad", title: link.used, text: [link.usedHint], actions: toSignIn, urgent: true }),
      );
    return this.#page(html`
      <p>${this.#passwords ? link.text : link.textOnce}</p>
      ${problem ? problemNotice(problem, { link, ...strings }) : nothing}
      ${button({ text: link.submit, look: "primary", wide: true, pending: this.#task.pending, run: () => this.#use() })}
    `);
  }

  /** @param {unknown} content */
  #page(content) {
    return html`<h1 tabindex="-1">${this.heading()}</h1>${content}`;
  }

  async #use() {
    const done = await this.#task.run(() => this.#owner.api.post("session/link", { token: this.#token }));
    if (done && this.#task.value) this.#owner.begin(this.#task.value);
  }
}

/** Asks for the password again, above whatever the person was doing. */
export class SignInAgain {
  #owner;
  #form;

  /**
   * @param {SignInOwner & { ways: SignInWays, login: string, leave: () => void }} owner
   */
  constructor(owner) {
    this.#owner = owner;
    this.#form = new SignInForm(owner);
  }

  view() {
    const { strings, ways, login, leave } = this.#owner;
    return html`<div>
      <h2 id="again-title">${strings.again.title}</h2>
      <p>${strings.again.text}</p>
      ${this.#form.view(ways, { login, newTab: true })}
      ${button({ text: strings.again.leave, look: "quiet", run: leave })}
    </div>`;
  }

  /** The person may have signed in within another tab. */
  async check() {
    try {
      const session = await this.#owner.api.session();
      if (session) this.#owner.begin(session);
    } catch (problem) {
      if (!(problem instanceof ApiProblem)) throw problem;
    }
  }
}
