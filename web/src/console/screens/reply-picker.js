/** Canned replies in the composer: "/" opens the list, more letters search it, and Enter inserts one. */

import { html, nothing } from "lit";
import { ApiProblem } from "../api.js";

/** @typedef {import("../contract.js").Context} Context */
/** @typedef {import("../contract.js").CannedReply} CannedReply */
/** @typedef {import("../contract.js").InboxRow} InboxRow */

const MOST_SHOWN = 8;

/**
 * The text of a reply for this customer. Without a name, the space before it goes, too: "Hello {name}," is "Hello,".
 *
 * @param {string} text
 * @param {string | null} name of the customer
 * @param {string} agent
 */
export function filledIn(text, name, agent) {
  const named = name ? text.replaceAll("{name}", name) : text.replaceAll(/ ?\{name\}/g, "");
  return named.replaceAll("{agent}", agent);
}

/**
 * Those that fit, in the customer's language first.
 *
 * @param {readonly CannedReply[]} replies
 * @param {string} words
 * @param {string} locale of the customer
 */
export function searchReplies(replies, words, locale) {
  const wanted = words.toLowerCase().split(/\s+/);
  const found = replies.filter(({ title, text }) => wanted.every((word) => `${title} ${text}`.toLowerCase().includes(word)));
  const rank = (/** @type {CannedReply} */ one) => (one.locale === locale ? 0 : one.locale === "" ? 1 : 2);
  return found.toSorted((one, other) => rank(one) - rank(other)).slice(0, MOST_SHOWN);
}

export class ReplyPicker {
  #context;
  /** @type {readonly CannedReply[] | null} null: not asked for yet */
  #replies = null;
  #chosen = 0;
  #dismissed = "";

  /** @param {Context} context */
  constructor(context) {
    this.#context = context;
  }

  /** @param {string} draft @param {InboxRow} row @returns {readonly CannedReply[] | null} null: the list is closed */
  #found(draft, row) {
    if (!/^\/[^\n]{0,60}$/.test(draft) || draft === this.#dismissed) return null;
    if (this.#replies === null) void this.#load();
    return searchReplies(this.#replies ?? [], draft.slice(1).trim(), row.locale.split("-", 1)[0] ?? "");
  }

  /** @param {string} draft @param {InboxRow} row @param {(text: string) => void} insert */
  view(draft, row, insert) {
    const found = this.#found(draft, row);
    if (found === null) return nothing;
    const { replies: texts } = this.#context.strings;
    const chosen = Math.min(this.#chosen, found.length - 1);
    if (found.length === 0) return html`<p class="soft small picker-none">${this.#replies === null || this.#replies.length > 0 ? texts.noMatch : texts.noneText}</p>`;
    return html`<ul class="picker" id="reply-picker" role="listbox" aria-label=${texts.pick}>
      ${found.map((reply, at) => html`<li id="picked-${at}" role="option" aria-selected=${at === chosen} @click=${() => this.#insert(reply, row, insert)}>
        <strong>${reply.title}</strong> <span class="soft small" dir="auto">${reply.text}</span>
      </li>`)}
    </ul>`;
  }

  /** The element that a screen reader reads. @param {string} draft @param {InboxRow} row */
  active(draft, row) {
    const found = this.#found(draft, row);
    return found && found.length > 0 ? `picked-${Math.min(this.#chosen, found.length - 1)}` : null;
  }

  /**
   * @param {KeyboardEvent} event in the composer
   * @param {string} draft
   * @param {InboxRow} row
   * @param {(text: string) => void} insert
   * @returns {boolean} whether the key was for the list
   */
  onKey(event, draft, row, insert) {
    const found = this.#found(draft, row);
    if (found === null || event.isComposing) return false;
    const at = Math.min(this.#chosen, found.length - 1);
    const reply = found[at];
    if (event.key === "ArrowDown") this.#chosen = Math.min(at + 1, found.length - 1);
    else if (event.key === "ArrowUp") this.#chosen = Math.max(at - 1, 0);
    else if (event.key === "Escape") this.#dismissed = draft;
    else if ((event.key === "Enter" || event.key === "Tab") && reply) this.#insert(reply, row, insert);
    else return false;
    event.preventDefault();
    this.#context.changed();
    return true;
  }

  /** @param {CannedReply} reply @param {InboxRow} row @param {(text: string) => void} insert */
  #insert({ text }, { customer }, insert) {
    this.#chosen = 0;
    insert(filledIn(text, customer.name, this.#context.session.account.name));
  }

  async #load() {
    this.#replies = [];
    try {
      this.#replies = (await this.#context.api.get("replies")).replies;
    } catch (problem) {
      if (!(problem instanceof ApiProblem)) throw problem;
    }
    this.#context.changed();
  }
}
