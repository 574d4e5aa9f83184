/**
 * Events for the host page: its listeners, and which frames are reported. An error in one listener does not affect
 * others.
 */

/** @typedef {import("./client/frames.js").ServerFrame} Frame */

/**
 * The events that the host page can listen to.
 *
 * @typedef {object} Events
 * @property {undefined} ready the chat is on the page
 * @property {undefined} open
 * @property {undefined} close
 * @property {{id: string, kind: "acknowledgement" | "status" | "response", text: string, interrupted: boolean}} message a message of the assistant is complete
 * @property {{id: string, how: "answered" | "awaiting_confirmation" | "interrupted" | "apologised"}} turn a turn of the assistant is complete
 * @property {{count: number}} unread the number of unread messages has changed
 * @property {import("./client/frames.js").Visitor} customer the server has identified the customer
 * @property {{code: string, message: string}} error for the site's developers
 */
/** @typedef {(detail: any) => void} Listener */

export class HostEvents {
  /** @type {Map<string, Set<Listener>>} */
  #listeners = new Map();

  /** @param {string} event @param {Listener} listener */
  add(event, listener) {
    this.#listeners.set(event, (this.#listeners.get(event) ?? new Set()).add(listener));
  }

  /** @param {string} event @param {Listener} listener */
  remove(event, listener) {
    this.#listeners.get(event)?.delete(listener);
  }

  clear() {
    this.#listeners.clear();
  }

  /**
   * @template {keyof Events} E
   * @param {E} event
   * @param {Events[E]} detail
   */
  emit(event, detail) {
    for (const listener of [...(this.#listeners.get(event) ?? [])])
      try {
        listener(detail);
      } catch (error) {
        reportError(error);
      }
  }
}

/** Reports frames that the host page may know of. */

export class FrameReporter {
  #hostEvents;
  #customer = "";

  /** @param {HostEvents} hostEvents */
  constructor(hostEvents) {
    this.#hostEvents = hostEvents;
  }

  /** @param {Frame} frame */
  report(frame) {
    switch (frame.type) {
      case "message.completed": {
        const { message_id: id, kind, text, interrupted } = frame;
        return this.#hostEvents.emit("message", { id, kind, text, interrupted });
      }
      case "turn.completed":
        return this.#hostEvents.emit("turn", { id: frame.turn_id, how: frame.how });
      case "error":
        return this.#hostEvents.emit("error", { code: frame.code, message: frame.message });
      case "welcome":
        return this.#reportCustomer(frame.customer);
    }
  }

  /** @param {import("./client/state.js").Customer} customer */
  #reportCustomer(customer) {
    const now = JSON.stringify(customer);
    if (now === this.#customer) return;
    this.#customer = now;
    this.#hostEvents.emit("customer", customer);
  }
}
