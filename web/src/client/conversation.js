/** One customer's conversation in this page: what there is to show, and what the customer can do about it. */

import { Connection } from "./connection.js";
import { Renewal } from "./identity-token.js";
import { Outbox, newId } from "./outbox.js";
import { act, reduce } from "./reduce.js";
import { emptyState, newest, unread } from "./state.js";
import { Memory } from "./storage.js";

/** @typedef {import("./state.js").State} State */
/** @typedef {import("./state.js").SentFile} SentFile */
/** @typedef {import("./frames.js").ServerFrame} Frame */

/**
 * @typedef {object} Owner
 * @property {() => void} onChange after each change of what there is to show
 * @property {(frame: Frame) => void} onFrame after a frame was taken in
 * @property {(sound: ArrayBuffer) => void} onSound what the assistant says aloud
 * @property {() => void} onForgotten another tab has forgotten this conversation, as one does who signs out
 * @property {() => string} locale of the customer
 * @property {() => boolean} notices whether those are wanted that are for whoever runs the server
 */

const INVALID_TOKEN = 4401;
const TYPING_EVERY_MS = 3_000;

/** @type {Frame} what a page is told that gave a token and no function */
const EXPIRED = {
  type: "error",
  code: "user_expired",
  retryable: false,
  message: "tools need the customer's credential again: call setUser with a new token",
};

export class Conversation {
  #owner;
  #memory;
  #ticket;
  #connection;
  #outbox;
  #renewal;
  /** The site's own token went with the newest hello. */
  #introduced = false;
  /** @type {State} */
  #state = emptyState;
  #told = 0;
  #typedAt = -TYPING_EVERY_MS;
  /** @type {Set<string>} ids of what was written in this page */
  #written = new Set();
  /** @type {string | undefined} the locale that the server knows of */
  #greetedIn;

  /**
   * @param {URL} server
   * @param {string} key of the memory
   * @param {import("./identity-token.js").Ticket | null} ticket null for a visitor
   * @param {Owner} owner
   */
  constructor(server, key, ticket, owner) {
    this.#owner = owner;
    this.#ticket = ticket;
    this.#memory = new Memory(key, (forgotten) => this.#followOtherTab(forgotten));
    this.#connection = new Connection(socketOf(server), {
      introduce: () => this.#introduce(),
      cursor: () => this.#cursor(),
      onFrame: (frame) => this.#hear(frame),
      onSound: (sound) => this.#owner.onSound(sound),
      onLink: (link, code) => this.#relink(link, code),
    });
    this.#outbox = new Outbox(this.#memory, (frame) => this.#connection.tell(frame));
    this.#renewal = new Renewal({
      token: async () => (this.#ticket === null ? null : this.#ticket.take()),
      send: (user) => void this.#connection.tell({ type: "identity", user }),
      onWanted: () => this.#owner.onFrame(EXPIRED),
    });
    this.#state = this.#withOutbox();
  }

  get state() {
    return this.#state;
  }

  /** @returns {number} complete messages that nobody has seen, in any tab */
  get unread() {
    return unread(this.#state.items, this.#memory.seen);
  }

  /** @returns {string | undefined} what shows the server who we are, once it has said so */
  get token() {
    return this.#memory.identity.token;
  }

  /** @returns {boolean} whether something waits to be sent */
  get waits() {
    return this.#memory.outbox.length > 0;
  }

  /** Connects, and stays connected until `stop`. */
  start() {
    this.#memory.watch();
    this.#connection.start();
  }

  /** Hangs up; `start` goes on where this was. */
  stop() {
    this.#memory.unwatch();
    this.#connection.stop();
  }

  /** @param {import("./identity-token.js").Ticket} ticket another word on the same customer, from now on */
  renew(ticket) {
    this.#ticket = ticket;
    if (this.#state.link !== "refused") return void this.#renewal.now();
    this.stop();
    this.start();
  }

  /** The network or the page has come back, or gone: finds out how the line is. */
  check() {
    this.#connection.check();
  }

  /** The customer's language has changed: has the server greet in it. */
  greet() {
    if (this.#greetedIn !== undefined && this.#greetedIn !== this.#owner.locale()) this.#connection.restart();
  }

  /** As if nobody had been here. */
  forget() {
    this.stop();
    this.#memory.forget();
  }

  /** @param {string} text @param {readonly SentFile[]} [files] */
  say(text, files = []) {
    const id = newId();
    this.#become(act(this.#state, { act: "say", id, text, files }));
    this.#written.add(id);
    this.#outbox.post(message(id, text, files));
  }

  /** @param {import("./state.js").Announcement} news has a screen reader say what happened on this side */
  tell(news) {
    this.#become(act(this.#state, { act: "tell", news }));
  }

  /** @returns {string[]} what was written here before there ever was a line; whoever takes it over must say it */
  handOver() {
    if (this.#greetedIn !== undefined) return [];
    const mine = this.#memory.outbox.filter(({ id }) => this.#written.has(id));
    for (const { id } of mine) this.#outbox.settle(id);
    return mine.flatMap((frame) => (frame.type === "message" ? frame.text : []));
  }

  /** @param {string} id of a message that was refused */
  retry(id) {
    const refused = this.#state.items.find((item) => item.kind === "customer" && item.id === id);
    if (refused?.kind !== "customer" || refused.delivery !== "refused") return;
    this.#become(act(this.#state, { act: "retry", id }));
    this.#outbox.post(message(id, refused.text, refused.files));
  }

  /** @param {"yes" | "no"} answer to what is asked; without a question nothing happens @param {string} label */
  answer(answer, label) {
    const asked = this.#state.question;
    if (asked === null) return;
    const id = newId();
    this.#become(act(this.#state, { act: "answer", id, text: label }));
    this.#outbox.post({ type: "confirm", id, confirmation_id: asked.id, answer, label });
  }

  /** The customer is typing: while a turn runs the server wants to know, but not of each letter. */
  type() {
    const now = performance.now();
    if (this.#state.turn === null || now - this.#typedAt < TYPING_EVERY_MS) return;
    if (this.#connection.tell({ type: "typing" })) this.#typedAt = now;
  }

  /** Asks for the running turn to be stopped; its end comes as a frame, like any other. @param {boolean} [sounds] without a turn, something is still being spoken */
  cancel(sounds = false) {
    const { turn } = this.#state;
    if (turn !== null || sounds) this.#connection.tell({ type: "cancel", id: newId(), turn_id: turn });
  }

  /** Asks for the assistant back; that it is comes as a frame, like any other. */
  giveBack() {
    if (this.#state.handoff?.state === "accepted") this.#connection.tell({ type: "handoff.end" });
  }

  /** @param {string} id of a complete message @param {import("./state.js").Rating | null} rating shown once it is on its way; null takes it back */
  rate(id, rating) {
    if (this.#connection.tell({ type: "feedback", message_id: id, rating }))
      this.#become(act(this.#state, { act: "rate", id, rating }));
  }

  /** @param {import("./frames.js").ClientFrame | ArrayBuffer} frame about speaking, or what the microphone hears: sent now or never @returns {boolean} whether it was */
  pass(frame) {
    return this.#connection.tell(frame);
  }

  /** All that there is to show stands before the customer's eyes. */
  see() {
    this.#memory.seen = newest(this.#state.items) ?? this.#memory.seen;
    const { told, seq } = this.#state;
    if (told > this.#told && this.#connection.tell({ type: "seen", seq })) this.#told = told;
  }

  async #introduce() {
    const identity = this.#memory.identity;
    this.#introduced = identity.token === undefined && this.#ticket !== null;
    if (identity.token !== undefined || this.#ticket === null) return identity;
    const user = await this.#ticket.take();
    return user === null ? null : { user };
  }

  #cursor() {
    const { seq, epoch } = this.#state;
    const locale = (this.#greetedIn = this.#owner.locale());
    // A fresh page shows nothing yet: from 0 the server tells the whole conversation, as a snapshot.
    const capabilities = this.#owner.notices() ? { notices: true } : {};
    return { last_seq: seq, epoch: epoch ?? undefined, locale, capabilities };
  }

  /** @param {Frame} frame */
  #hear(frame) {
    if (frame.type === "welcome") {
      this.#memory.welcomed(frame);
      this.#ticket?.answered(true);
      this.#renewal.learn(frame.credential, this.#introduced);
      if (frame.resumed !== "replay") this.#told = 0;
    }
    if (frame.type === "identity.renewed") {
      this.#ticket?.answered(true);
      this.#renewal.learn(frame.credential, true);
    }
    if (frame.type === "error" && frame.code.startsWith("user_")) {
      this.#ticket?.answered(false);
      this.#renewal.refused();
    }
    if (frame.type === "accepted" || frame.type === "rejected") this.#outbox.settle(frame.id);
    this.#become(reduce(this.#state, frame));
    this.#owner.onFrame(frame);
  }

  /** @param {import("./state.js").Link} link @param {number} [code] */
  #relink(link, code) {
    if (code === INVALID_TOKEN) this.#memory.forgetIdentity();
    if (link === "open") this.#outbox.open();
    else this.#outbox.close();
    if (link !== "open") this.#renewal.stop();
    this.#become(act(this.#state, { act: "link", link }));
  }

  /** @param {boolean} forgotten */
  #followOtherTab(forgotten) {
    if (forgotten) return this.#owner.onForgotten();
    const gone = this.#state.items.filter(
      (item) => item.kind === "customer" && item.delivery === "waiting" && !this.#memory.holds(item.id),
    );
    for (const { id } of gone) this.#state = act(this.#state, { act: "withdraw", id });
    this.#state = this.#withOutbox();
    this.#outbox.look();
    // What was seen there counts as seen here.
    this.#owner.onChange();
  }

  /** @returns {State} with what waits to be sent, whichever tab it was written in */
  #withOutbox() {
    const shown = new Set(this.#state.items.map((item) => item.id));
    return this.#memory.outbox
      .filter(({ id }) => !shown.has(id))
      .reduce((state, frame) => {
        const text = frame.type === "message" ? frame.text : (frame.label ?? frame.answer);
        const files = frame.type === "message" ? frame.attachments?.map(named) : [];
        return act(state, { act: "say", id: frame.id, text, files });
      }, this.#state);
  }

  /** @param {State} state */
  #become(state) {
    if (state === this.#state) return;
    this.#state = state;
    this.#owner.onChange();
  }
}

/**
 * @param {string} id
 * @param {string} text
 * @param {readonly SentFile[]} files
 * @returns {import("./frames.js").Message}
 */
function message(id, text, files) {
  return { type: "message", id, text, ...(files.length > 0 && { attachments: [...files] }) };
}

/** @param {import("./frames.js").AttachedFile} file @returns {SentFile} */
function named({ ref, name = "" }) {
  return { ref, name };
}

/** @param {URL} server @returns {string} */
function socketOf(server) {
  const socket = new URL("v1/ws", server);
  socket.protocol = server.protocol === "https:" ? "wss:" : "ws:";
  return socket.href;
}
