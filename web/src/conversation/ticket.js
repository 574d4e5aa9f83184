/**
 * What the site says about who its customer is: a signed token that is good for one introduction, or a function that
 * fetches one whenever it is needed.
 */

/** @typedef {string | (() => string | Promise<string>)} User */

/** So often in a row the server may refuse what a function brought; then something is wrong with the site. */
const TRIES = 2;

export class Ticket {
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
  async take() {
    if (this.#refused >= TRIES) return null;
    const token = this.#unused ?? (await this.#fetch());
    this.#unused = null;
    return token;
  }

  /** The server has taken us in, or has not. @param {boolean} welcome */
  answered(welcome) {
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
