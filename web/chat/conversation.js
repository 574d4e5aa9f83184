/** One customer's conversation in this page: what there is to show, and what the customer can do about it. */

import { act } from "./act.js";
import { Connection } from "./connection.js";
import { Memory } from "./memory.js";
import { newId } from "./new-id.js";
import { reduce } from "./reduce.js";
import { emptyState } from "./state.js";
import { words } from "./words.js";

/** @typedef {import("./state.js").State} State */

/**
 * @typedef {object} Place
 * @property {URL} server
 * @property {string} tenant these two tell one browser's conversations apart;
 * @property {string} customer the server decides by the token alone
 * @property {string} locale
 */

export class Conversation {
  #connection;
  #onChange;
  /** @type {State} */
  #state = emptyState;

  /**
   * @param {Place} place
   * @param {() => void} onChange called after each change of `state`
   */
  constructor({ server, tenant, customer, locale }, onChange) {
    const memory = new Memory(`meanwhile:${server.host}:${tenant}:${customer}`);
    const socket = new URL("v1/ws", server);
    socket.protocol = server.protocol === "https:" ? "wss:" : "ws:";
    this.#onChange = onChange;
    this.#connection = new Connection(socket.href, memory, locale, {
      cursor: () => this.#state,
      onFrame: (frame) => this.#become(reduce(this.#state, frame)),
      onLink: (link) => this.#become(act(this.#state, { act: "link", link })),
    });
    for (const unsent of memory.outbox) {
      const text = unsent.type === "message" ? unsent.text : unsent.label;
      this.#become(act(this.#state, { act: "say", id: unsent.id, text }));
    }
  }

  get state() {
    return this.#state;
  }

  /** Connects, and stays connected until `stop`. */
  start() {
    this.#connection.start();
  }

  /** Hangs up; `start` goes on where this was. */
  stop() {
    this.#connection.stop();
  }

  /** @param {string} text */
  say(text) {
    const id = newId();
    this.#become(act(this.#state, { act: "say", id, text }));
    this.#connection.post({ type: "message", id, text });
  }

  /** @param {string} id of a message that was refused */
  retry(id) {
    const refused = this.#state.items.find((item) => item.kind === "customer" && item.id === id);
    if (refused?.kind !== "customer") return;
    this.#become(act(this.#state, { act: "retry", id }));
    this.#connection.post({ type: "message", id, text: refused.text });
  }

  /** @param {"yes" | "no"} answer to what is asked; without a question nothing happens */
  answer(answer) {
    const asked = this.#state.confirmation;
    if (asked === null) return;
    const [id, label] = [newId(), words[answer]];
    this.#become(act(this.#state, { act: "answer", id, text: label }));
    this.#connection.post({ type: "confirm", id, confirmation_id: asked.id, answer, label });
  }

  /** Asks for the running turn to be stopped; its end comes as a frame, like any other. */
  cancel() {
    const { turn } = this.#state;
    if (turn !== null) this.#connection.tell({ type: "cancel", id: newId(), turn_id: turn });
  }

  /** @param {State} state */
  #become(state) {
    if (state === this.#state) return;
    this.#state = state;
    this.#onChange();
  }
}
