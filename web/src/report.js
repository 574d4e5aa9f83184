/** Tells the page around the chat what it may know of the frames that come. */

/** @typedef {import("./conversation/frames.js").ServerFrame} Frame */

export class Report {
  #listeners;
  #customer = "";

  /** @param {import("./listeners.js").Listeners} listeners */
  constructor(listeners) {
    this.#listeners = listeners;
  }

  /** @param {Frame} frame */
  tell(frame) {
    switch (frame.type) {
      case "message.completed": {
        const { message_id: id, kind, text, interrupted } = frame;
        return this.#listeners.tell("message", { id, kind, text, interrupted });
      }
      case "turn.completed":
        return this.#listeners.tell("turn", { id: frame.turn_id, how: frame.how });
      case "error":
        return this.#listeners.tell("error", { code: frame.code, message: frame.message });
      case "welcome":
        return this.#greet(frame.customer);
    }
  }

  /** @param {import("./conversation/state.js").Customer} customer */
  #greet(customer) {
    const now = JSON.stringify(customer);
    if (now === this.#customer) return;
    this.#customer = now;
    this.#listeners.tell("customer", customer);
  }
}
