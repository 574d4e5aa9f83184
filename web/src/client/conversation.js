/** One customer's conversation in this page: what there is to show, and what the customer can do about it. */

import { Connection } from "./connection.js";
import { IdentityRenewal } from "./identity-token.js";
import { Outbox, newId } from "./outbox.js";
import { applyAction, reduce } from "./reduce.js";
import { emptyState, newestMessageId, countUnread } from "./state.js";
import { ConversationStorage } from "./storage.js";

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
  #storage;
  #identityToken;
  #connection;
  #outbox;
  #renewal;
  /** The site's own token went with the newest hello. */
  #sentSiteToken = false;
  /** @type {State} */
  #state = emptyState;
  #reportedSeen = 0;
  #typedAt = -TYPING_EVERY_MS;
  /** @type {Set<string>} ids of what was written in this page */
  #writtenHere = new Set();
  /** @type {string | undefined} the locale that the server knows of */
  #knownLocale;

  /**
   * @param {URL} server
   * @param {string} key of the storage
   * @param {import("./identity-token.js").IdentityToken | null} identityToken null for a visitor
   * @param {Owner} owner
   */
  constructor(server, key, identityToken, owner) {
    this.#owner = owner;
    this.#identityToken = identityToken;
    this.#storage = new ConversationStorage(key, (forgotten) => this.#handleOtherTab(forgotten));
    this.#connection = new Connection(socketOf(server), {
      getIdentity: () => this.#getIdentity(),
      getHello: () => this.#getHello(),
      onFrame: (frame) => this.#handleFrame(frame),
      onSound: (sound) => this.#owner.onSound(sound),
      onLink: (link, code) => this.#handleLink(link, code),
    });
    this.#outbox = new Outbox(this.#storage, (frame) => this.#connection.send(frame));
    this.#renewal = new IdentityRenewal({
      token: async () => (this.#identityToken === null ? null : this.#identityToken.next()),
      send: (user) => void this.#connection.send({ type: "identity", user }),
      onWanted: () => this.#owner.onFrame(EXPIRED),
    });
    this.#state = this.#stateWithOutbox();
  }

  get state() {
    return this.#state;
  }

  /** @returns {number} complete messages that nobody has seen, in any tab */
  get unread() {
    return countUnread(this.#state.items, this.#storage.seen);
  }

  /** @returns {string | undefined} what shows the server who we are, once it has said so */
  get token() {
    return this.#storage.identity.token;
  }

  /** @returns {boolean} whether something waits to be sent */
  get hasUnsent() {
    return this.#storage.outbox.length > 0;
  }

  /** Connects, and stays connected until `stop`. */
  start() {
    this.#storage.watch();
    this.#connection.start();
  }

  /** Hangs up; `start` goes on where this was. */
  stop() {
    this.#storage.unwatch();
    this.#connection.stop();
  }

  /** @param {import("./identity-token.js").IdentityToken} identityToken another word on the same customer, from now on */
  renewIdentity(identityToken) {
    this.#identityToken = identityToken;
    if (this.#state.link !== "refused") return void this.#renewal.renewNow();
    this.stop();
    this.start();
  }

  /** The network or the page has come back, or gone: finds out how the line is. */
  checkConnection() {
    this.#connection.check();
  }

  /** The customer's language has changed: has the server greet in it. */
  updateLocale() {
    if (this.#knownLocale !== undefined && this.#knownLocale !== this.#owner.locale()) this.#connection.restart();
  }

  /** As if nobody had been here. */
  forget() {
    this.stop();
    this.#storage.forget();
  }

  /** @param {string} text @param {readonly SentFile[]} [files] */
  send(text, files = []) {
    const id = newId();
    this.#setState(applyAction(this.#state, { action: "say", id, text, files }));
    this.#writtenHere.add(id);
    this.#outbox.enqueue(messageFrame(id, text, files));
  }

  /** @param {import("./state.js").Announcement} announcement has a screen reader say what happened on this side */
  announce(announcement) {
    this.#setState(applyAction(this.#state, { action: "announce", announcement }));
  }

  /** @returns {string[]} what was written here before there ever was a line; whoever takes it over must say it */
  takeUnsentTexts() {
    if (this.#knownLocale !== undefined) return [];
    const mine = this.#storage.outbox.filter(({ id }) => this.#writtenHere.has(id));
    for (const { id } of mine) this.#outbox.acknowledge(id);
    return mine.flatMap((frame) => (frame.type === "message" ? frame.text : []));
  }

  /** @param {string} id of a message that was refused */
  retry(id) {
    const refused = this.#state.items.find((item) => item.kind === "customer" && item.id === id);
    if (refused?.kind !== "customer" || refused.delivery !== "refused") return;
    this.#setState(applyAction(this.#state, { action: "retry", id }));
    this.#outbox.enqueue(messageFrame(id, refused.text, refused.files));
  }

  /** @param {"yes" | "no"} answer to what is asked; without a question nothing happens @param {string} label */
  answer(answer, label) {
    const asked = this.#state.question;
    if (asked === null) return;
    const id = newId();
    this.#setState(applyAction(this.#state, { action: "answer", id, text: label }));
    this.#outbox.enqueue({ type: "confirm", id, confirmation_id: asked.id, answer, label });
  }

  /** The customer is typing: while a turn runs the server wants to know, but not of each letter. */
  notifyTyping() {
    const now = performance.now();
    if (this.#state.turn === null || now - this.#typedAt < TYPING_EVERY_MS) return;
    if (this.#connection.send({ type: "typing" })) this.#typedAt = now;
  }

  /** Asks for the running turn to be stopped; its end comes as a frame, like any other. @param {boolean} [sounds] without a turn, something is still being spoken */
  cancel(sounds = false) {
    const { turn } = this.#state;
    if (turn !== null || sounds) this.#connection.send({ type: "cancel", id: newId(), turn_id: turn });
  }

  /** Asks for the assistant back; that it is comes as a frame, like any other. */
  endHandoff() {
    if (this.#state.handoff?.state === "accepted") this.#connection.send({ type: "handoff.end" });
  }

  /** @param {string} id of a complete message @param {import("./state.js").Rating | null} rating shown once it is on its way; null takes it back */
  rate(id, rating) {
    if (this.#connection.send({ type: "feedback", message_id: id, rating }))
      this.#setState(applyAction(this.#state, { action: "rate", id, rating }));
  }

  /** @param {import("./frames.js").ClientFrame | ArrayBuffer} frame about speaking, or what the microphone hears: sent now or never @returns {boolean} whether it was */
  sendNow(frame) {
    return this.#connection.send(frame);
  }

  /** All that there is to show stands before the customer's eyes. */
  markSeen() {
    this.#storage.seen = newestMessageId(this.#state.items) ?? this.#storage.seen;
    const { told, seq } = this.#state;
    if (told > this.#reportedSeen && this.#connection.send({ type: "seen", seq })) this.#reportedSeen = told;
  }

  async #getIdentity() {
    const identity = this.#storage.identity;
    this.#sentSiteToken = identity.token === undefined && this.#identityToken !== null;
    if (identity.token !== undefined || this.#identityToken === null) return identity;
    const user = await this.#identityToken.next();
    return user === null ? null : { user };
  }

  #getHello() {
    const { seq, epoch } = this.#state;
    const locale = (this.#knownLocale = this.#owner.locale());
    // A fresh page shows nothing yet: from 0 the server tells the whole conversation, as a snapshot.
    const capabilities = this.#owner.notices() ? { notices: true } : {};
    return { last_seq: seq, epoch: epoch ?? undefined, locale, capabilities };
  }

  /** @param {Frame} frame */
  #handleFrame(frame) {
    if (frame.type === "welcome") {
      this.#storage.storeWelcome(frame);
      this.#identityToken?.recordAnswer(true);
      this.#renewal.schedule(frame.credential, this.#sentSiteToken);
      if (frame.resumed !== "replay") this.#reportedSeen = 0;
    }
    if (frame.type === "identity.renewed") {
      this.#identityToken?.recordAnswer(true);
      this.#renewal.schedule(frame.credential, true);
    }
    if (frame.type === "error" && frame.code.startsWith("user_")) {
      this.#identityToken?.recordAnswer(false);
      this.#renewal.retryLater();
    }
    if (frame.type === "accepted" || frame.type === "rejected") this.#outbox.acknowledge(frame.id);
    this.#setState(reduce(this.#state, frame));
    this.#owner.onFrame(frame);
  }

  /** @param {import("./state.js").Link} link @param {number} [code] */
  #handleLink(link, code) {
    if (code === INVALID_TOKEN) this.#storage.forgetIdentity();
    if (link === "open") this.#outbox.open();
    else this.#outbox.close();
    if (link !== "open") this.#renewal.stop();
    this.#setState(applyAction(this.#state, { action: "link", link }));
  }

  /** @param {boolean} forgotten */
  #handleOtherTab(forgotten) {
    if (forgotten) return this.#owner.onForgotten();
    const gone = this.#state.items.filter(
      (item) => item.kind === "customer" && item.delivery === "waiting" && !this.#storage.isInOutbox(item.id),
    );
    for (const { id } of gone) this.#state = applyAction(this.#state, { action: "withdraw", id });
    this.#state = this.#stateWithOutbox();
    this.#outbox.sync();
    // What was seen there counts as seen here.
    this.#owner.onChange();
  }

  /** @returns {State} with what waits to be sent, whichever tab it was written in */
  #stateWithOutbox() {
    const shown = new Set(this.#state.items.map((item) => item.id));
    return this.#storage.outbox
      .filter(({ id }) => !shown.has(id))
      .reduce((state, frame) => {
        const text = frame.type === "message" ? frame.text : (frame.label ?? frame.answer);
        const files = frame.type === "message" ? frame.attachments?.map(named) : [];
        return applyAction(state, { action: "say", id: frame.id, text, files });
      }, this.#state);
  }

  /** @param {State} state */
  #setState(state) {
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
function messageFrame(id, text, files) {
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
