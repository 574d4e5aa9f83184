/**
 * What the site says about who its customer is: a signed token that is good for one introduction, or a function that
 * fetches one whenever it is needed.
 */

/** @typedef {string | (() => string | Promise<string>)} User */

/** So often in a row the server may refuse what a function brought; then something is wrong with the site. */
const MAX_REFUSED = 2;

export class IdentityToken {
  #user;
  /** @type {string | null} */
  #unused = null;
  #refused = 0;

  /** @param {User} user */
  constructor(user) {
    this.#user = user;
    // Whatever a site takes for a token is shown to the server, which says what is wrong with it.
    if (typeof user !== "function") this.#unused = String(user ?? "");
  }

  /**
   * Finds out whose it is, without using it.
   *
   * @returns {Promise<string>} the token's subject, which only the server can check; never empty
   */
  async subject() {
    this.#unused ??= await this.#fetch();
    return subjectOf(this.#unused ?? "") || "unknown";
  }

  /** @returns {Promise<string | null>} a token that was not used before; null where the site has no other */
  async next() {
    if (this.#refused >= MAX_REFUSED) return null;
    const token = this.#unused ?? (await this.#fetch());
    this.#unused = null;
    return token;
  }

  /** The server has taken us in, or has not. @param {boolean} welcome */
  recordAnswer(welcome) {
    this.#refused = welcome ? 0 : this.#refused + 1;
  }

  async #fetch() {
    return typeof this.#user === "function" ? String(await this.#user()) : null;
  }
}

/** @param {string} token @returns {string} */
function subjectOf(token) {
  try {
    const payload = token.split(".")[1].replaceAll("-", "+").replaceAll("_", "/");
    const bytes = Uint8Array.from(atob(payload), (letter) => letter.charCodeAt(0));
    return String(JSON.parse(new TextDecoder().decode(bytes)).sub ?? "");
  } catch {
    return "";
  }
}

// Has the site vouch for its customer again in time: tools act in the customer's name only until a credential expires.

/** @typedef {import("./frames.js").CredentialStanding} CredentialStanding */

/** So many seconds before the end the site is asked, or at half time where there is less. */
const RENEW_BEFORE_S = 60;

const RETRY_MS = 30_000;

/**
 * @typedef {object} Owner
 * @property {() => Promise<string | null>} token a new token of the site's; null where the page has to give one
 * @property {(user: string) => void} send
 * @property {() => void} onWanted the site's page must call `setUser` with a new token
 */

export class IdentityRenewal {
  #owner;
  #timer = 0;
  #wanted = false;

  /** @param {Owner} owner */
  constructor(owner) {
    this.#owner = owner;
  }

  /**
   * Plans the next one.
   *
   * @param {CredentialStanding | null | undefined} standing what the server has told; none is wanted without one
   * @param {boolean} fresh the site was asked just now: what is missing is not to be had by asking at once
   */
  schedule(standing, fresh) {
    this.stop();
    if (!standing) return;
    this.#wanted = true;
    const left = standing.expires_in_s;
    if (left > 0) this.#timer = setTimeout(() => void this.renewNow(), Math.max(left - RENEW_BEFORE_S, left / 2) * 1000);
    else if (!fresh) void this.renewNow();
  }

  /** Asks the site now, if tools want a credential here. */
  async renewNow() {
    if (!this.#wanted) return;
    const user = await this.#owner.token().catch(() => null);
    if (!this.#wanted) return;
    if (user === null) this.#owner.onWanted();
    else this.#owner.send(user);
  }

  /** The server has not taken what the site said: it may only have been too old. */
  retryLater() {
    clearTimeout(this.#timer);
    if (this.#wanted) this.#timer = setTimeout(() => void this.renewNow(), RETRY_MS);
  }

  stop() {
    clearTimeout(this.#timer);
    this.#wanted = false;
  }
}
