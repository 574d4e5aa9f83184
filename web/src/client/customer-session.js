/** Whoever sits before this page: their conversation, what they are writing, and the change to somebody else. */

import { Conversation } from "./conversation.js";
import { IdentityToken } from "./identity-token.js";
import { StoredValue, forgetKeysUnder } from "./storage.js";
import { PendingUploads } from "./uploads.js";

/** @typedef {import("./frames.js").ServerFrame} Frame */
/** @typedef {import("./identity-token.js").User} User */
/**
 * @typedef {object} Owner
 * @property {() => void} onChange after each change of what there is to show
 * @property {(frame: Frame) => void} onFrame
 * @property {(sound: ArrayBuffer) => void} onSound what the assistant says aloud
 * @property {(error: unknown) => void} onError the site could not tell who its customer is
 * @property {() => string} locale
 * @property {() => boolean} notices
 */

export class CustomerSession {
  #server;
  #tenant;
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
  /** @type {User | null} who is said to be there, until we have asked who that is */
  #newUser = null;
  /** Counts who was said to be there: an answer about somebody before comes too late. */
  #userCount = 0;

  /**
   * @param {URL} server
   * @param {string} tenant tells conversations apart that one browser has with one server
   * @param {Owner} owner
   */
  constructor(server, tenant, owner) {
    this.#server = server;
    this.#tenant = tenant;
    this.#owner = owner;
    this.#panelStorage = new StoredValue("sessionStorage", `meanwhile:${server.host}:${tenant}`);
    this.#draftStorage = new StoredValue("sessionStorage", this.#key(""));
    this.#conversation = this.#createConversation("", null);
    this.#pendingUploads = this.#createUploads();
  }

  get conversation() {
    return this.#conversation;
  }

  /** @returns {PendingUploads} the files that are to go with the next message */
  get pendingUploads() {
    return this.#pendingUploads;
  }

  get server() {
    return this.#server.href;
  }

  /** @returns {boolean} whether the chat was used in this tab, or something waits to be sent */
  get inUse() {
    return this.#panelStorage.read().open !== undefined || this.#conversation.hasUnsent;
  }

  get draft() {
    return this.#draftStorage.read().draft ?? "";
  }

  set draft(draft) {
    if (draft !== this.draft) this.#draftStorage.write({ draft });
  }

  /** @returns {boolean} whether the panel was open when this tab was here last */
  get open() {
    return this.#panelStorage.read().open ?? false;
  }

  set open(open) {
    this.#panelStorage.write({ open });
  }

  /** Connects; before that, finds out who is there. */
  start() {
    this.#active = true;
    if (this.#newUser === null) this.#conversation.start();
    else void this.#identify(this.#newUser);
  }

  stop() {
    this.#active = false;
    this.#conversation.stop();
  }

  /** @param {User | null} user the site's word on who is there, asked for when it is needed; null signs out */
  setUser(user) {
    this.#userCount++;
    this.#newUser = user;
    if (user === null) this.#signOut();
    if (this.#active) this.start();
  }

  /** Forgets whoever is signed in, or was on a page before; a visitor has nothing to sign out of, and stays. */
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
    // Written while we asked who is there: it is this customer's, and no visitor's.
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

  /** @param {string} customer empty for a visitor */
  #key(customer) {
    return `meanwhile:${this.#server.host}:${this.#tenant}:${customer}`;
  }
}
