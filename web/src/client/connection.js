/** Keeps a websocket to the server: says hello, notices when the line is dead, comes back after a loss. */

/** @typedef {import("./frames.js").ServerFrame} Frame */
/** @typedef {import("./frames.js").ClientFrame} ClientFrame */
/** @typedef {import("./frames.js").Hello} Hello */

const SUBPROTOCOL = "meanwhile.v1";
const WELCOME_WITHIN_MS = 10_000;
const PING_EVERY_MS = 20_000;
const PONG_WITHIN_MS = 4_000;
const TOO_MANY_REQUESTS = 4429;

/**
 * @typedef {object} Owner
 * @property {() => Promise<Partial<Hello> | null>} getIdentity who is there; asked before each attempt. Null: there is
 *   nothing to say, and no use in trying; a failure: try later
 * @property {() => Omit<Hello, "type">} getHello how far this page has got
 * @property {(frame: Frame) => void} onFrame
 * @property {(sound: ArrayBuffer) => void} onSound
 * @property {(link: import("./state.js").Link, code?: number) => void} onLink with the close code, where there was a close
 */

export class Connection {
  #url;
  #owner;
  #wanted = false;
  /** @type {WebSocket | null} */
  #socket = null;
  #welcomed = false;
  #attempt = 0;
  #retryTimer = 0;
  #heartbeatTimer = 0;
  #unanswered = false;
  /** We were told to wait, and nothing that happens here shortens that. */
  #rateLimited = false;
  /** Counts the sockets that were asked for: an answer to an older one comes too late. */
  #connectId = 0;

  /**
   * @param {string} url of the websocket
   * @param {Owner} owner
   */
  constructor(url, owner) {
    this.#url = url;
    this.#owner = owner;
  }

  get open() {
    return this.#welcomed;
  }

  /** Connects, and stays connected until `stop`. Does nothing when it does so already. */
  start() {
    if (this.#wanted) return;
    this.#wanted = true;
    this.#owner.onLink("connecting");
    void this.#connect();
  }

  /** Hangs up; `start` goes on where this was. */
  stop() {
    this.#wanted = false;
    this.#attempt = 0;
    this.#closeSocket();
    this.#owner.onLink("idle");
  }

  /** Hangs up and connects again at once, with what is new about us. */
  restart() {
    if (!this.#wanted) return;
    if (this.#welcomed) this.#owner.onLink("connecting");
    this.#closeSocket();
    void this.#connect();
  }

  /** There is reason to believe that the line has come back, or gone: finds out now rather than later. */
  check() {
    if (this.#welcomed) this.#ping(PONG_WITHIN_MS);
    else if (this.#retryTimer && !this.#rateLimited) this.restart();
  }

  /** @param {ClientFrame | ArrayBuffer} frame is sent now or never @returns {boolean} whether it was */
  send(frame) {
    if (this.#welcomed) this.#write(frame);
    return this.#welcomed;
  }

  async #connect() {
    const connectId = ++this.#connectId;
    const identity = await this.#owner.getIdentity().catch(() => undefined);
    if (connectId !== this.#connectId) return;
    if (identity === undefined) return this.#handleLoss();
    if (identity === null) return this.#owner.onLink("refused");
    const socket = new WebSocket(this.#url, SUBPROTOCOL);
    this.#socket = socket;
    socket.binaryType = "arraybuffer";
    socket.onopen = () => this.#write({ type: "hello", ...this.#owner.getHello(), ...identity });
    socket.onmessage = (event) => this.#handleMessage(event.data);
    socket.onclose = (event) => this.#handleLoss(event.code);
    this.#heartbeatTimer = setTimeout(() => this.#handleLoss(), WELCOME_WITHIN_MS);
  }

  /** @param {unknown} data */
  #handleMessage(data) {
    this.#unanswered = false;
    if (data instanceof ArrayBuffer) return this.#owner.onSound(data);
    const frame = parseFrame(data);
    if (frame === null) return;
    if (frame.type === "welcome") {
      this.#attempt = 0;
      this.#welcomed = true;
      this.#expectFrameWithin(PING_EVERY_MS);
    }
    this.#owner.onFrame(frame);
    if (frame.type === "welcome") this.#owner.onLink("open");
  }

  /**
   * Asking and then listening, instead of looking at a clock, is right also for a tab whose timers the browser slows
   * down, and after a night with the lid closed.
   *
   * @param {number} patience for an answer, in milliseconds
   */
  #ping(patience) {
    this.#unanswered = true;
    this.#write({ type: "ping" });
    this.#expectFrameWithin(patience);
  }

  /** @param {number} patience in milliseconds */
  #expectFrameWithin(patience) {
    clearTimeout(this.#heartbeatTimer);
    this.#heartbeatTimer = setTimeout(() => {
      if (this.#unanswered) this.#handleLoss();
      else this.#ping(PING_EVERY_MS);
    }, patience);
  }

  /** @param {number} [code] the close code, where there was a close */
  #handleLoss(code) {
    this.#closeSocket();
    const wait = retryDelay(code, this.#attempt++);
    const connectId = this.#connectId;
    this.#owner.onLink(wait === null ? "refused" : "lost", code);
    // Whoever was told may have hung up, or connected again.
    if (wait === null || connectId !== this.#connectId) return;
    this.#retryTimer = setTimeout(() => this.#connect(), wait);
    this.#rateLimited = code === TOO_MANY_REQUESTS;
  }

  #closeSocket() {
    this.#connectId++;
    clearTimeout(this.#heartbeatTimer);
    clearTimeout(this.#retryTimer);
    this.#retryTimer = 0;
    this.#welcomed = this.#unanswered = false;
    if (!this.#socket) return;
    // A socket that was given up must not speak up later.
    this.#socket.onopen = this.#socket.onmessage = this.#socket.onclose = null;
    this.#socket.close();
    this.#socket = null;
  }

  /** @param {ClientFrame | ArrayBuffer} frame */
  #write(frame) {
    this.#socket?.send(frame instanceof ArrayBuffer ? frame : JSON.stringify(frame));
  }
}

/** @param {unknown} data @returns {Frame | null} null for what is no frame; the server may one day say things we cannot read */
function parseFrame(data) {
  try {
    const frame = JSON.parse(String(data));
    return typeof frame?.type === "string" ? frame : null;
  } catch {
    return null;
  }
}

// What to do after a websocket has closed: `docs/protocol.md` tells what the codes mean.

const FIRST_MS = 400;
const LONGEST_MS = 20_000;
const TOO_MANY_MS = 60_000;

/**
 * @param {number | undefined} code the close code, where there was a close
 * @param {number} attempt how often it was tried since the last success
 * @param {number} [chance] from 0 to 1; spreads many clients that lost the same server at once
 * @returns {number | null} milliseconds until the next attempt; null where it is of no use
 */
export function retryDelay(code, attempt, chance = Math.random()) {
  // Our hello was not understood, and would not be the next time.
  if (code === 4400) return null;
  if (code === 4429) return TOO_MANY_MS;
  // We read too slowly; the server is well and waits for us.
  if (code === 4409 && attempt === 0) return 0;
  const longest = Math.min(LONGEST_MS, FIRST_MS * 2 ** attempt);
  return (longest / 2) * (1 + chance);
}
