/** Who on the host page wants to hear what. A listener that fails does no harm to anybody else. */

/**
 * What the page around the chat can listen to.
 *
 * @typedef {object} Events
 * @property {undefined} ready the chat is on the page
 * @property {undefined} open
 * @property {undefined} close
 * @property {{id: string, kind: "acknowledgement" | "status" | "response", text: string, interrupted: boolean}} message the assistant has said something, to its end
 * @property {{id: string, how: "answered" | "awaiting_confirmation" | "interrupted" | "apologised"}} turn the assistant is done with a message
 * @property {{count: number}} unread so many messages nobody has seen
 * @property {import("./client/frames.js").Visitor} customer who the server takes this to be
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

// Tells the page around the chat what it may know of the frames that come.

/** @typedef {import("./client/frames.js").ServerFrame} Frame */

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
