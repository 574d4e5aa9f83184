/**
 * One customer's conversation in this page: its state, and what the customer can do.
 *
 * It passes frames from the connection to the reducer, and keeps storage, outbox and identity in step with them.
 */

import { Connection } from "./connection.js";
import { IdentityRenewal } from "./identity-token.js";
import { countUnread, findItem, isWaiting, newestMessageId } from "./items.js";
import { Outbox, newId } from "./outbox.js";
import { applyAction, reduce } from "./reduce.js";
import { emptyState } from "./state.js";
import { ConversationStorage } from "./storage.js";

/** @typedef {import("./frames.js").ServerFrame} Frame */
/** @typedef {import("./items.js").SentFile} SentFile */
/** @typedef {import("./state.js").State} State */

/**
 * @typedef {object} Owner
 * @property {() => void} onChange after each change of the state
 * @property {(frame: Frame) => void} onFrame after a frame was applied
 * @property {(sound: ArrayBuffer) => void} onSound speech of the assistant
 * @property {() => void} onForgotten another tab has deleted this conversation, for example because the customer signed out there
 * @property {() => string} locale of the customer
 * @property {() => boolean} notices whether to show notices for the operator of the server
 */

const INVALID_TOKEN = 4401;
const TYPING_EVERY_MS = 3_000;
const TYPING_SHOWN_MS = 6_000;

/** @type {Frame} reported to a page that gave a token and no function to fetch one */
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
  /** Whether the newest hello contained the site's own token. */
  #sentSiteToken = false;
  /** @type {State} */
  #state = emptyState;
  #reportedSeen = 0;
  #typedAt = -TYPING_EVERY_MS;
  #typingTimer = 0;
  /** @type {Set<string>} ids of messages written in this page */
  #writtenHere = new Set();
  /** @type {string | undefined} the locale that the server was told */
  #knownLocale;

  /**
   * @param {URL} server
   * @param {string} key in the browser's storage
   * @param {import("./identity-token.js").IdentityToken | null} identityToken null for a visitor
   * @param {Owner} owner
   */
  constructor(server, key, identityToken, owner) {
    this.#owner = owner;
    this.#identityToken = identityToken;
    this.#storage = new ConversationStorage(key, (forgotten) => this.#handleOtherTab(forgotten));
    this.#connection = new Connection(socketUrl(server), {
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

  /** @returns {number} how many complete messages were seen in no tab */
  get unread() {
    return countUnread(this.#state.items, this.#storage.seen);
  }

  /** @returns {string | undefined} the server's token for this conversation, once there is one */
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

  /** Disconnects; `start` resumes. */
  stop() {
    this.#storage.unwatch();
    this.#connection.stop();
  }

  /** @param {import("./identity-token.js").IdentityToken} identityToken a newer token for the same customer */
  renewIdentity(identityToken) {
    this.#identityToken = identityToken;
    if (this.#state.link !== "refused") return void this.#renewal.renewNow();
    this.stop();
    this.start();
  }

  /** The network may have changed: tests the connection. */
  checkConnection() {
    this.#connection.check();
  }

  /** The customer's locale may have changed: reconnects, so that the server greets in it. */
  updateLocale() {
    if (this.#knownLocale !== undefined && this.#knownLocale !== this.#owner.locale()) this.#connection.restart();
  }

  /** Deletes everything that this browser stores of the conversation. */
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

  /** @param {import("./state.js").Announcement} announcement for a screen reader */
  announce(announcement) {
    this.#setState(applyAction(this.#state, { action: "announce", announcement }));
  }

  /**
   * @returns {string[]} texts that were written before the first connection; they are removed here, and the caller sends them
   */
  takeUnsentTexts() {
    if (this.#knownLocale !== undefined) return [];
    const mine = this.#storage.outbox.filter(({ id }) => this.#writtenHere.has(id));
    for (const { id } of mine) this.#outbox.acknowledge(id);
    return mine.flatMap((frame) => (frame.type === "message" ? frame.text : []));
  }

  /** @param {string} id of a message that was refused */
  retry(id) {
    const refused = findItem(this.#state.items, "customer", id);
    if (refused?.delivery !== "refused") return;
    this.#setState(applyAction(this.#state, { action: "retry", id }));
    this.#outbox.enqueue(messageFrame(id, refused.text, refused.files));
  }

  /** @param {"yes" | "no"} answer to the open question; ignored if there is none @param {string} label */
  answer(answer, label) {
    const { question } = this.#state;
    if (question === null) return;
    const id = newId();
    this.#setState(applyAction(this.#state, { action: "answer", id, text: label }));
    this.#outbox.enqueue({ type: "confirm", id, confirmation_id: question.id, answer, label });
  }

  /** The customer is typing. The server wants to know while a turn runs or an agent is there, but not for each letter. */
  notifyTyping() {
    const now = performance.now();
    const { turn, handoff } = this.#state;
    if ((turn === null && handoff?.state !== "accepted") || now - this.#typedAt < TYPING_EVERY_MS) return;
    if (this.#connection.send({ type: "typing" })) this.#typedAt = now;
  }

  /**
   * Asks the server to stop the running turn; a frame tells when it has.
   *
   * @param {boolean} [sounds] speech still plays, even if no turn runs
   */
  cancel(sounds = false) {
    const { turn } = this.#state;
    if (turn !== null || sounds) this.#connection.send({ type: "cancel", id: newId(), turn_id: turn });
  }

  /** Asks the server to end the handoff; a frame tells when it has. */
  endHandoff() {
    if (this.#state.handoff?.state === "accepted") this.#connection.send({ type: "handoff.end" });
  }

  /**
   * @param {string} id of a complete message
   * @param {import("./items.js").Rating | null} rating shown once it is sent; null removes it
   */
  rate(id, rating) {
    if (this.#connection.send({ type: "feedback", message_id: id, rating }))
      this.#setState(applyAction(this.#state, { action: "rate", id, rating }));
  }

  /**
   * @param {import("./frames.js").ClientFrame | ArrayBuffer} frame of voice, or sound from the microphone: sent now or never
   * @returns {boolean} whether it was sent
   */
  sendNow(frame) {
    return this.#connection.send(frame);
  }

  /** The customer sees the newest message. */
  markSeen() {
    this.#storage.seen = newestMessageId(this.#state.items) ?? this.#storage.seen;
    const { lastMessageSeq, seq } = this.#state;
    if (lastMessageSeq <= this.#reportedSeen) return;
    if (this.#connection.send({ type: "seen", seq })) this.#reportedSeen = lastMessageSeq;
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
    // A new page has no state: from 0 the server sends the whole conversation, as a snapshot.
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
    if (frame.type === "person.typing") {
      clearTimeout(this.#typingTimer);
      this.#typingTimer = setTimeout(() => this.#setState(applyAction(this.#state, { action: "typing_over" })), TYPING_SHOWN_MS);
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
      (item) => isWaiting(item) && !this.#storage.isInOutbox(item.id),
    );
    for (const { id } of gone) this.#state = applyAction(this.#state, { action: "withdraw", id });
    this.#state = this.#stateWithOutbox();
    this.#outbox.sync();
    // What was seen in the other tab counts as seen in this one.
    this.#owner.onChange();
  }

  /** @returns {State} with the messages of all tabs that wait to be sent */
  #stateWithOutbox() {
    const shown = new Set(this.#state.items.map((item) => item.id));
    return this.#storage.outbox
      .filter(({ id }) => !shown.has(id))
      .reduce((state, frame) => {
        const text = frame.type === "message" ? frame.text : (frame.label ?? frame.answer);
        const files = frame.type === "message" ? frame.attachments?.map(sentFile) : [];
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
function sentFile({ ref, name = "" }) {
  return { ref, name };
}

/** @param {URL} server @returns {string} */
function socketUrl(server) {
  const socket = new URL("v1/ws", server);
  socket.protocol = server.protocol === "https:" ? "wss:" : "ws:";
  return socket.href;
}
