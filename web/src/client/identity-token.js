/**
 * How the site identifies its customer: with a signed token that can be used once, or a function that fetches one.
 *
 * `IdentityRenewal` asks the site for a new token before the customer's credential expires.
 */

/** @typedef {import("./frames.js").CredentialStanding} CredentialStanding */

/** @typedef {string | (() => string | Promise<string>)} User */

/** After this number of refused tokens in a row the site's function is not called again. */
const MAX_REFUSED = 2;

export class IdentityToken {
  #user;
  /** @type {string | null} */
  #unused = null;
  #refused = 0;

  /** @param {User} user */
  constructor(user) {
    this.#user = user;
    // Any other value goes to the server too, which reports what is wrong with it.
    if (typeof user !== "function") this.#unused = String(user ?? "");
  }

  /**
   * Reads whose token it is, without using it.
   *
   * @returns {Promise<string>} the token's subject, which only the server can check; never empty
   */
  async subject() {
    this.#unused ??= await this.#fetch();
    return subjectOf(this.#unused ?? "") || "unknown";
  }

  /** @returns {Promise<string | null>} a token that was not used before; null if the site has none */
  async next() {
    if (this.#refused >= MAX_REFUSED) return null;
    const token = this.#unused ?? (await this.#fetch());
    this.#unused = null;
    return token;
  }

  /** @param {boolean} welcome whether the server accepted the token */
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

/** How long before the end the site is asked, or after half the time if that is later. */
const RENEW_BEFORE_S = 60;

const RETRY_MS = 30_000;

/**
 * @typedef {object} Owner
 * @property {() => Promise<string | null>} token a new token from the site; null if the page has to call `setUser`
 * @property {(user: string) => void} send
 * @property {() => void} onWanted the site's page must call `setUser` with a new token
 */

/** Tools act in the customer's name only until the credential expires, so this renews it in time. */
export class IdentityRenewal {
  #owner;
  #timer = 0;
  #wanted = false;

  /** @param {Owner} owner */
  constructor(owner) {
    this.#owner = owner;
  }

  /**
   * Schedules the next renewal.
   *
   * @param {CredentialStanding | null | undefined} standing from the server; without one no renewal is needed
   * @param {boolean} fresh the site was asked just now: do not ask it again at once
   */
  schedule(standing, fresh) {
    this.stop();
    if (!standing) return;
    this.#wanted = true;
    const left = standing.expires_in_s;
    if (left > 0) this.#timer = setTimeout(() => void this.renewNow(), Math.max(left - RENEW_BEFORE_S, left / 2) * 1000);
    else if (!fresh) void this.renewNow();
  }

  /** Asks the site now, if tools need a credential. */
  async renewNow() {
    if (!this.#wanted) return;
    const user = await this.#owner.token().catch(() => null);
    if (!this.#wanted) return;
    if (user === null) this.#owner.onWanted();
    else this.#owner.send(user);
  }

  /** The server refused the token, perhaps because it was too old. */
  retryLater() {
    clearTimeout(this.#timer);
    if (this.#wanted) this.#timer = setTimeout(() => void this.renewNow(), RETRY_MS);
  }

  stop() {
    clearTimeout(this.#timer);
    this.#wanted = false;
  }
}
