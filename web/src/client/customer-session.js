/** The customer of this page: their conversation, draft and uploads, and the change to another customer. */

import { Conversation } from "./conversation.js";
import { IdentityToken } from "./identity-token.js";
import { StoredValue, forgetKeysUnder } from "./storage.js";
import { PendingUploads } from "./uploads.js";

/** @typedef {import("./frames.js").ServerFrame} Frame */
/** @typedef {import("./identity-token.js").User} User */

/**
 * @typedef {object} Owner
 * @property {() => void} onChange after each change of the state
 * @property {(frame: Frame) => void} onFrame
 * @property {(sound: ArrayBuffer) => void} onSound speech of the assistant
 * @property {(error: unknown) => void} onError the site failed to identify its customer
 * @property {() => string} locale
 * @property {() => boolean} notices
 */

export class CustomerSession {
  #server;
  /** Prefix of all keys in the browser's storage. One server may have several companies, each under its own path. */
  #prefix;
  #owner;
  /** @type {StoredValue<{open: boolean}>} in this tab only */
  #panelStorage;
  /** @type {StoredValue<{draft: string, files: import("./uploads.js").PendingFile[]}>} in this tab only */
  #draftStorage;
  /** @type {Conversation} */
  #conversation;
  /** @type {PendingUploads} */
  #pendingUploads;
  #customer = "";
  #active = false;
  /** @type {User | null} the customer that the site has set, until their id is known */
  #newUser = null;
  /** Counts calls of `setUser`, to ignore an answer that belongs to an earlier one. */
  #userCount = 0;

  /**
   * @param {URL} server
   * @param {Owner} owner
   */
  constructor(server, owner) {
    this.#server = server;
    this.#owner = owner;
    this.#prefix = `meanwhile:${server.host}${server.pathname}`;
    this.#panelStorage = new StoredValue("sessionStorage", this.#prefix);
    this.#draftStorage = new StoredValue("sessionStorage", this.#key(""));
    this.#conversation = this.#createConversation("", null);
    this.#pendingUploads = this.#createUploads();
  }

  get conversation() {
    return this.#conversation;
  }

  /** @returns {PendingUploads} the files for the next message */
  get pendingUploads() {
    return this.#pendingUploads;
  }

  get server() {
    return this.#server.href;
  }

  /** @returns {boolean} whether the chat was used in this tab, or a message waits to be sent */
  get inUse() {
    return this.#panelStorage.read().open !== undefined || this.#conversation.hasUnsent;
  }

  get draft() {
    return this.#draftStorage.read().draft ?? "";
  }

  set draft(draft) {
    if (draft !== this.draft) this.#draftStorage.write({ draft });
  }

  /** @returns {boolean} whether the panel was open on the tab's last page */
  get open() {
    return this.#panelStorage.read().open ?? false;
  }

  set open(open) {
    this.#panelStorage.write({ open });
  }

  /** Connects, after identifying the customer if needed. */
  start() {
    this.#active = true;
    if (this.#newUser === null) this.#conversation.start();
    else void this.#identify(this.#newUser);
  }

  stop() {
    this.#active = false;
    this.#conversation.stop();
  }

  /** @param {User | null} user a token, or a function that is called when a token is needed; null signs out */
  setUser(user) {
    this.#userCount++;
    this.#newUser = user;
    if (user === null) this.#signOut();
    if (this.#active) this.start();
  }

  /** Deletes what is stored of any signed-in customer. The conversation of an anonymous visitor stays. */
  #signOut() {
    if (this.#customer !== "") this.#forget();
    forgetKeysUnder(this.#key(""));
  }

  /** @param {User} user */
  async #identify(user) {
    const count = this.#userCount;
    try {
      const identityToken = new IdentityToken(user);
      const customer = await identityToken.subject();
      if (count === this.#userCount && this.#newUser !== null) this.#switchTo(customer, identityToken);
    } catch (error) {
      if (count === this.#userCount) this.#owner.onError(error);
    }
  }

  /** @param {string} customer @param {IdentityToken} identityToken */
  #switchTo(customer, identityToken) {
    this.#newUser = null;
    if (customer === this.#customer) this.#conversation.renewIdentity(identityToken);
    else this.#replaceConversation(customer, identityToken);
    if (this.#active) this.#conversation.start();
  }

  #forget() {
    this.#conversation.forget();
    this.#draftStorage.forget();
    this.#replaceConversation("", null);
    if (this.#active) this.#conversation.start();
  }

  /** @param {string} customer @param {IdentityToken | null} identityToken */
  #replaceConversation(customer, identityToken) {
    // Written while the customer was being identified: it belongs to them, and not to the anonymous visitor.
    const unsent = identityToken === null ? [] : this.#conversation.takeUnsentTexts();
    this.#conversation.stop();
    this.#pendingUploads.close();
    this.#customer = customer;
    this.#draftStorage = new StoredValue("sessionStorage", this.#key(customer));
    this.#conversation = this.#createConversation(customer, identityToken);
    this.#pendingUploads = this.#createUploads();
    for (const text of unsent) this.#conversation.send(text);
    this.#owner.onChange();
  }

  /** @param {string} customer @param {IdentityToken | null} identityToken */
  #createConversation(customer, identityToken) {
    /** @type {Conversation} */
    const conversation = new Conversation(this.#server, this.#key(customer), identityToken, {
      onChange: () => conversation === this.#conversation && this.#owner.onChange(),
      onFrame: this.#owner.onFrame,
      onSound: this.#owner.onSound,
      onForgotten: () => this.#forget(),
      locale: this.#owner.locale,
      notices: this.#owner.notices,
    });
    return conversation;
  }

  #createUploads() {
    const conversation = this.#conversation;
    return new PendingUploads(this.server, this.#draftStorage, {
      onChange: () => conversation === this.#conversation && this.#owner.onChange(),
      onSettled: ({ name, problem }) => conversation.announce({ kind: "file", name, problem }),
      terms: () => conversation.state.uploads,
      token: () => conversation.token,
    });
  }

  /** @param {string} customer empty for an anonymous visitor */
  #key(customer) {
    return `${this.#prefix}:${customer}`;
  }
}
