/** Whoever sits before this page: their conversation, what they are writing, and the change to somebody else. */

import { Conversation } from "./conversation.js";
import { Ticket } from "./identity-token.js";
import { Keep, forgetUnder } from "./storage.js";
import { Tray } from "./uploads.js";

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

export class Visit {
  #server;
  #tenant;
  #owner;
  /** @type {Keep<{open: boolean}>} in this tab only */
  #panel;
  /** @type {Keep<{draft: string, files: import("./uploads.js").TrayFile[]}>} in this tab only */
  #desk;
  /** @type {Conversation} */
  #conversation;
  /** @type {Tray} */
  #tray;
  #customer = "";
  #awake = false;
  /** @type {User | null} who is said to be there, until we have asked who that is */
  #announced = null;
  /** Counts who was said to be there: an answer about somebody before comes too late. */
  #person = 0;

  /**
   * @param {URL} server
   * @param {string} tenant tells conversations apart that one browser has with one server
   * @param {Owner} owner
   */
  constructor(server, tenant, owner) {
    this.#server = server;
    this.#tenant = tenant;
    this.#owner = owner;
    this.#panel = new Keep("sessionStorage", `meanwhile:${server.host}:${tenant}`);
    this.#desk = new Keep("sessionStorage", this.#key(""));
    this.#conversation = this.#converse("", null);
    this.#tray = this.#newTray();
  }

  get conversation() {
    return this.#conversation;
  }

  /** @returns {Tray} the files that are to go with the next message */
  get tray() {
    return this.#tray;
  }

  get server() {
    return this.#server.href;
  }

  /** @returns {boolean} whether the chat was used in this tab, or something waits to be sent */
  get underWay() {
    return this.#panel.read().open !== undefined || this.#conversation.waits;
  }

  get draft() {
    return this.#desk.read().draft ?? "";
  }

  set draft(draft) {
    if (draft !== this.draft) this.#desk.write({ draft });
  }

  /** @returns {boolean} whether the panel was open when this tab was here last */
  get open() {
    return this.#panel.read().open ?? false;
  }

  set open(open) {
    this.#panel.write({ open });
  }

  /** Connects; before that, finds out who is there. */
  start() {
    this.#awake = true;
    if (this.#announced === null) this.#conversation.start();
    else void this.#ask(this.#announced);
  }

  stop() {
    this.#awake = false;
    this.#conversation.stop();
  }

  /** @param {User | null} user the site's word on who is there, asked for when it is needed; null signs out */
  setUser(user) {
    this.#person++;
    this.#announced = user;
    if (user === null) this.#signOut();
    if (this.#awake) this.start();
  }

  /** Forgets whoever is signed in, or was on a page before; a visitor has nothing to sign out of, and stays. */
  #signOut() {
    if (this.#customer !== "") this.#forget();
    forgetUnder(this.#key(""));
  }

  /** @param {User} user */
  async #ask(user) {
    const person = this.#person;
    try {
      const ticket = new Ticket(user);
      const customer = await ticket.subject();
      if (person === this.#person && this.#announced !== null) this.#introduce(customer, ticket);
    } catch (error) {
      if (person === this.#person) this.#owner.onError(error);
    }
  }

  /** @param {string} customer @param {Ticket} ticket */
  #introduce(customer, ticket) {
    this.#announced = null;
    if (customer === this.#customer) this.#conversation.renew(ticket);
    else this.#become(customer, ticket);
    if (this.#awake) this.#conversation.start();
  }

  #forget() {
    this.#conversation.forget();
    this.#desk.forget();
    this.#become("", null);
    if (this.#awake) this.#conversation.start();
  }

  /** @param {string} customer @param {Ticket | null} ticket */
  #become(customer, ticket) {
    // Written while we asked who is there: it is this customer's, and no visitor's.
    const written = ticket === null ? [] : this.#conversation.handOver();
    this.#conversation.stop();
    this.#tray.close();
    this.#customer = customer;
    this.#desk = new Keep("sessionStorage", this.#key(customer));
    this.#conversation = this.#converse(customer, ticket);
    this.#tray = this.#newTray();
    for (const text of written) this.#conversation.say(text);
    this.#owner.onChange();
  }

  /** @param {string} customer @param {Ticket | null} ticket */
  #converse(customer, ticket) {
    /** @type {Conversation} */
    const conversation = new Conversation(this.#server, this.#key(customer), ticket, {
      onChange: () => conversation === this.#conversation && this.#owner.onChange(),
      onFrame: this.#owner.onFrame,
      onSound: this.#owner.onSound,
      onForgotten: () => this.#forget(),
      locale: this.#owner.locale,
      notices: this.#owner.notices,
    });
    return conversation;
  }

  #newTray() {
    const conversation = this.#conversation;
    return new Tray(this.server, this.#desk, {
      onChange: () => conversation === this.#conversation && this.#owner.onChange(),
      onSettled: ({ name, problem }) => conversation.tell({ says: "file", name, problem }),
      terms: () => conversation.state.uploads,
      token: () => conversation.token,
    });
  }

  /** @param {string} customer empty for a visitor */
  #key(customer) {
    return `meanwhile:${this.#server.host}:${this.#tenant}:${customer}`;
  }
}
