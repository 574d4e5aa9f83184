/** Sends requests to the server's console routes, and turns every failure into an `ApiProblem`. */

/** @typedef {"offline" | "server" | "busy" | "refused" | "missing" | "invalid" | "signed_out"} ProblemKind */

const CSRF_HEADER = "X-Console-Token";

/** The problem that a status means. */
const KINDS = new Map([
  [401, "signed_out"],
  [403, "refused"],
  [404, "missing"],
  [429, "busy"],
]);

/** A request that did not bring what was asked for. */
export class ApiProblem extends Error {
  /**
   * @param {ProblemKind} kind
   * @param {{ code?: string, message?: string, waitS?: number, method?: string }} about what the server said; the seconds to wait
   */
  constructor(kind, { code = "", message = "", waitS = 0, method = "GET" } = {}) {
    super(message);
    this.kind = kind;
    this.code = code;
    this.waitS = waitS;
    /** The request may have changed something, although no answer says so. */
    this.uncertain = method !== "GET" && (kind === "offline" || kind === "server");
  }
}

/**
 * @typedef {object} SessionOwner
 * @property {() => Promise<boolean>} signInAgain the session has ended; settles when there is one again, false: there is none
 * @property {() => Promise<boolean>} askSession the session is another one; settles when `csrf` is right, false: it is of another account
 */

export class Api {
  #base;
  #owner;
  #fetch;
  /** Belongs to the session; the server refuses a change without it. */
  csrf = "";

  /** @param {URL} base the address of the routes @param {SessionOwner} owner @param {typeof fetch} fetcher */
  constructor(base, owner, fetcher = (...request) => fetch(...request)) {
    this.#base = base;
    this.#owner = owner;
    this.#fetch = fetcher;
  }

  /** @param {string} path @returns {Promise<any>} */
  get(path) {
    return this.#send("GET", path);
  }

  /** @returns {Promise<import("./contract.js").Session | null>} null: no one is signed in */
  async session() {
    const session = await this.get("session");
    return session.account ? session : null;
  }

  /** @param {string} path @param {object} [body] @returns {Promise<any>} */
  post(path, body) {
    return this.#send("POST", path, body);
  }

  /** @param {string} path @param {object} body @returns {Promise<any>} */
  patch(path, body) {
    return this.#send("PATCH", path, body);
  }

  /** @param {string} path @returns {Promise<any>} */
  remove(path) {
    return this.#send("DELETE", path);
  }

  /**
   * A request that finds no session, or another one, waits until that is settled and is then sent once more. The
   * server did nothing with the first, so this is safe for changes too.
   *
   * @param {string} method
   * @param {string} path
   * @param {object} [body]
   */
  async #send(method, path, body) {
    try {
      return await this.#sendOnce(method, path, body);
    } catch (problem) {
      if (!(problem instanceof ApiProblem) || !(await this.#settled(problem, path))) throw problem;
      return this.#sendOnce(method, path, body);
    }
  }

  /** @param {ApiProblem} problem @param {string} path @returns {Promise<boolean>} whether the request can be sent again */
  async #settled({ kind, code }, path) {
    if (code === "csrf") return this.#owner.askSession();
    return kind === "signed_out" && !path.startsWith("session") && this.#owner.signInAgain();
  }

  /** @param {string} method @param {string} path @param {object} [body] */
  async #sendOnce(method, path, body) {
    /** @type {Record<string, string>} */
    const headers = { Accept: "application/json" };
    if (body) headers["Content-Type"] = "application/json";
    if (method !== "GET" && this.csrf) headers[CSRF_HEADER] = this.csrf;
    /** @type {Response} */
    let answer;
    try {
      const text = body ? JSON.stringify(body) : null;
      answer = await this.#fetch(new URL(path, this.#base), { method, headers, body: text, cache: "no-store" });
    } catch {
      throw new ApiProblem("offline", { method });
    }
    const content = await answer.json().catch(() => null);
    if (answer.ok) return content;
    const kind = /** @type {ProblemKind} */ (KINDS.get(answer.status) ?? (answer.status < 500 ? "invalid" : "server"));
    const waitS = Number(answer.headers.get("Retry-After")) || 0;
    throw new ApiProblem(kind, { ...content?.error, waitS, method });
  }
}

/**
 * One request that a screen shows: whether it is under way, what it brought, and what went wrong.
 *
 * @template T
 */
export class Task {
  #changed;
  #run = 0;
  pending = false;
  /** @type {T | null} */
  value = null;
  /** @type {ApiProblem | null} */
  problem = null;

  /** @param {() => void} changed */
  constructor(changed) {
    this.#changed = changed;
  }

  /** @param {() => Promise<T>} request @returns {Promise<boolean>} whether it succeeded; false too if a later one replaced it */
  async run(request) {
    const run = ++this.#run;
    this.pending = true;
    this.problem = null;
    this.#changed();
    try {
      const value = await request();
      if (run === this.#run) this.value = value;
    } catch (problem) {
      if (!(problem instanceof ApiProblem)) throw problem;
      if (run === this.#run) this.problem = problem;
    } finally {
      if (run === this.#run) this.pending = false;
      this.#changed();
    }
    return run === this.#run && this.problem === null;
  }
}
