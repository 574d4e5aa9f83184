/**
 * Keeps a websocket to the server: sends hello, detects a dead connection with pings, and reconnects after a loss.
 */

/** @typedef {import("./frames.js").ClientFrame} ClientFrame */
/** @typedef {import("./frames.js").ServerFrame} Frame */
/** @typedef {import("./frames.js").Hello} Hello */

const SUBPROTOCOL = "meanwhile.v1";
const WELCOME_WITHIN_MS = 10_000;
const PING_EVERY_MS = 20_000;
const PONG_WITHIN_MS = 4_000;
const TOO_MANY_REQUESTS = 4429;

/**
 * @typedef {object} Owner
 * @property {() => Promise<Partial<Hello> | null>} getIdentity how the customer is identified; called before
 *   each attempt. Null: do not connect. If it rejects, the connection is tried again later
 * @property {() => Omit<Hello, "type">} getHello the rest of the hello frame, such as the last frame that this page has
 * @property {(frame: Frame) => void} onFrame
 * @property {(sound: ArrayBuffer) => void} onSound
 * @property {(link: import("./state.js").Link, code?: number) => void} onLink with the close code, if the socket was closed
 */

export class Connection {
  #url;
  #owner;
  #subprotocol;
  #wanted = false;
  /** @type {WebSocket | null} */
  #socket = null;
  #welcomed = false;
  #attempt = 0;
  #retryTimer = 0;
  #heartbeatTimer = 0;
  #unanswered = false;
  /** The server asked for a pause: events in the page must not shorten it. */
  #rateLimited = false;
  /** Counts attempts, to ignore what belongs to an earlier one. */
  #connectId = 0;

  /**
   * @param {string} url of the websocket
   * @param {Owner} owner
   * @param {string} [subprotocol]
   */
  constructor(url, owner, subprotocol = SUBPROTOCOL) {
    this.#url = url;
    this.#owner = owner;
    this.#subprotocol = subprotocol;
  }

  get open() {
    return this.#welcomed;
  }

  /** Connects, and stays connected until `stop`. Does nothing if it was already started. */
  start() {
    if (this.#wanted) return;
    this.#wanted = true;
    this.#owner.onLink("connecting");
    void this.#connect();
  }

  /** Disconnects; `start` resumes. */
  stop() {
    this.#wanted = false;
    this.#attempt = 0;
    this.#closeSocket();
    this.#owner.onLink("idle");
  }

  /** Reconnects at once, with a new hello. */
  restart() {
    if (!this.#wanted) return;
    if (this.#welcomed) this.#owner.onLink("connecting");
    this.#closeSocket();
    void this.#connect();
  }

  /** The network may have changed: tests the connection now. */
  check() {
    if (this.#welcomed) this.#ping(PONG_WITHIN_MS);
    else if (this.#retryTimer && !this.#rateLimited) this.restart();
  }

  /** @param {ClientFrame | ArrayBuffer} frame is sent now or never @returns {boolean} whether it was sent */
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
    const socket = new WebSocket(this.#url, this.#subprotocol);
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
   * Sends a ping and waits for any frame. This works with slowed timers and after the computer slept, where comparing
   * clock times would not.
   *
   * @param {number} patience how long to wait for an answer, in milliseconds
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

  /** @param {number} [code] the close code, if the socket was closed */
  #handleLoss(code) {
    this.#closeSocket();
    const wait = retryDelay(code, this.#attempt++);
    const connectId = this.#connectId;
    this.#owner.onLink(wait === null ? "refused" : "lost", code);
    // `onLink` may have stopped or restarted the connection.
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
    // An abandoned socket must not call back later.
    this.#socket.onopen = this.#socket.onmessage = this.#socket.onclose = null;
    this.#socket.close();
    this.#socket = null;
  }

  /** @param {ClientFrame | ArrayBuffer} frame */
  #write(frame) {
    this.#socket?.send(frame instanceof ArrayBuffer ? frame : JSON.stringify(frame));
  }
}

/** @param {unknown} data @returns {Frame | null} null if it is not a frame: newer servers may send other data */
function parseFrame(data) {
  try {
    const frame = JSON.parse(String(data));
    return typeof frame?.type === "string" ? frame : null;
  } catch {
    return null;
  }
}

const FIRST_MS = 400;
const LONGEST_MS = 20_000;
const TOO_MANY_MS = 60_000;

/**
 * How long to wait before reconnecting. `docs/reference/protocol.md` lists the close codes.
 *
 * @param {number | undefined} code the close code, if the socket was closed
 * @param {number} attempt how many attempts failed since the last success
 * @param {number} [chance] from 0 to 1; spreads clients that lost the same server at the same time
 * @returns {number | null} milliseconds; null: do not reconnect
 */
export function retryDelay(code, attempt, chance = Math.random()) {
  // The server rejected the hello and would reject it again.
  if (code === 4400) return null;
  if (code === 4429) return TOO_MANY_MS;
  // This page read too slowly. The server works, so reconnect at once.
  if (code === 4409 && attempt === 0) return 0;
  const longest = Math.min(LONGEST_MS, FIRST_MS * 2 ** attempt);
  return (longest / 2) * (1 + chance);
}
