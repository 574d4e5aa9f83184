/** Keeps a websocket to the server: says hello, comes back after a loss, sends again what was not taken. */

import { backoff } from "./backoff.js";

/** @typedef {import("./frames.js").Frame} Frame */
/** @typedef {import("./memory.js").Outgoing} Outgoing */

const SUBPROTOCOL = "meanwhile.v1";
const PING_EVERY_MS = 20_000;
const DEAD_AFTER_MS = 45_000;

/** Close codes that call for more than coming back; `docs/protocol.md` explains them all. */
const TOKEN_INVALID = 4401;
const TOO_MANY = 4429;
const TOO_MANY_MS = 60_000;

/**
 * @typedef {object} Owner
 * @property {() => {seq: number, epoch: string | null}} cursor how far this page has got
 * @property {(frame: Frame) => void} onFrame
 * @property {(link: import("./state.js").Link) => void} onLink
 */

export class Connection {
  #url;
  #memory;
  #owner;
  #locale;
  /** @type {WebSocket | null} */
  #socket = null;
  #welcomed = false;
  #attempt = 0;
  #retry = 0;
  #heart = 0;
  #heardAt = 0;

  /**
   * @param {string} url of the websocket
   * @param {import("./memory.js").Memory} memory
   * @param {string} locale
   * @param {Owner} owner
   */
  constructor(url, memory, locale, owner) {
    this.#url = url;
    this.#memory = memory;
    this.#locale = locale;
    this.#owner = owner;
  }

  /** Connects, and stays connected until `stop`. Does nothing when it does so already. */
  start() {
    if (this.#socket) return;
    clearTimeout(this.#retry);
    addEventListener("online", this.#hurry);
    this.#owner.onLink(this.#attempt === 0 ? "connecting" : "lost");
    this.#open();
  }

  /** Hangs up. What was not taken is sent by the next `start`. */
  stop() {
    removeEventListener("online", this.#hurry);
    clearTimeout(this.#retry);
    this.#drop();
    this.#attempt = 0;
    this.#owner.onLink("idle");
  }

  /** @param {Outgoing} frame is sent until the server has accepted or rejected it, over any number of losses */
  post(frame) {
    this.#memory.post(frame);
    if (this.#welcomed) this.#send(frame);
  }

  /** @param {{type: "cancel", id: string, turn_id: string}} frame means something only now, so it is sent now or never */
  tell(frame) {
    if (this.#welcomed) this.#send(frame);
  }

  #open() {
    const socket = new WebSocket(this.#url, SUBPROTOCOL);
    this.#socket = socket;
    socket.onopen = () => this.#hello();
    socket.onmessage = (event) => this.#hear(event.data);
    socket.onclose = (event) => this.#lost(event.code);
  }

  #hello() {
    const { token, conversation_id } = this.#memory.read();
    const { seq, epoch } = this.#owner.cursor();
    this.#send({
      type: "hello",
      token,
      conversation_id,
      // A fresh page shows nothing yet: from 0 the server tells the whole conversation, as a snapshot.
      last_seq: seq,
      epoch: epoch ?? undefined,
      locale: this.#locale,
      capabilities: {},
    });
    this.#heardAt = performance.now();
    this.#heart = setInterval(() => this.#beat(), PING_EVERY_MS);
  }

  #beat() {
    if (performance.now() - this.#heardAt > DEAD_AFTER_MS) this.#lost();
    else this.#send({ type: "ping" });
  }

  /** @param {unknown} data */
  #hear(data) {
    this.#heardAt = performance.now();
    const frame = read(data);
    if (frame === null) return;
    if (frame.type === "welcome") this.#takeWelcome(frame);
    if (frame.type === "accepted" || frame.type === "rejected") this.#memory.settle(frame.id);
    this.#owner.onFrame(frame);
    if (frame.type === "welcome") for (const waiting of this.#memory.outbox) this.#send(waiting);
  }

  /** @param {import("./frames.js").Welcome} frame */
  #takeWelcome({ token, conversation_id, epoch }) {
    this.#memory.write({ token, conversation_id, epoch });
    this.#attempt = 0;
    this.#welcomed = true;
    this.#owner.onLink("open");
  }

  /** @param {number} [code] the close code, where there was a close */
  #lost(code) {
    this.#drop();
    if (code === TOKEN_INVALID) this.#memory.forgetIdentity();
    this.#owner.onLink("lost");
    const wait = backoff(this.#attempt++);
    this.#retry = setTimeout(() => this.start(), code === TOO_MANY ? TOO_MANY_MS : wait);
  }

  #drop() {
    clearInterval(this.#heart);
    this.#welcomed = false;
    if (!this.#socket) return;
    // A socket that was given up must not speak up later.
    this.#socket.onopen = this.#socket.onmessage = this.#socket.onclose = null;
    this.#socket.close();
    this.#socket = null;
  }

  #hurry = () => {
    this.#attempt = 1;
    this.start();
  };

  /** @param {object} frame */
  #send(frame) {
    this.#socket?.send(JSON.stringify(frame));
  }
}

/** @param {unknown} data @returns {Frame | null} null for what is no frame; the server may one day say things we cannot read */
function read(data) {
  try {
    const frame = JSON.parse(String(data));
    return typeof frame?.type === "string" ? frame : null;
  } catch {
    return null;
  }
}
