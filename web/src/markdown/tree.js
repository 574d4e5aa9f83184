/** Builds a message's nodes as its Markdown is read: allowed elements only, and every text as text. */

import { Attr, Token } from "streaming-markdown";
import { safeLink } from "./safe-link.js";
import { shape } from "./shape.js";

/** @typedef {{node: Element, token: Token | 0, linked: boolean}} Open an element that is still growing */

/** Overrides of the writing direction: they can only make a text look like another one. */
const OVERRIDES = /[\u202a-\u202e]/gu;

/** What ends a sentence more likely than an address. */
const TRAILING = /[.,:;!?'")\]}]+$/u;

/** A label that reads as an address itself. */
const ADDRESS = /^(?:https?:\/\/)?(?:www\.)?([\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+)(?:[/:?#]|$)/iu;

export class Tree {
  /** @type {[Open, ...Open[]]} from the message itself to the innermost open element */
  #open;
  /** @type {string} is not put into the page before something else begins */
  #text = "";
  #tableName;

  /** @param {Element} root is emptied @param {string} tableName what a table is called */
  constructor(root, tableName) {
    root.replaceChildren();
    this.#tableName = tableName;
    this.#open = [{ node: root, token: 0, linked: false }];
  }

  /** @param {Token} token */
  begin(token) {
    this.flush();
    const link = token === Token.Link || token === Token.Image;
    const { outer, inner } = shape(token, this.#top.node, this.#tableName);
    this.#top.node.append(outer);
    this.#open.push({ node: inner, token, linked: !link });
  }

  /** @param {boolean} bracket whether it ended because a bracket was closed */
  end(bracket) {
    this.flush();
    if (bracket && this.linking) this.#top.node.append("]");
    // No address followed, so it was no link.
    this.unlink();
    if (this.#open.length > 1) this.#open.pop();
  }

  /** Ends what is still open. */
  finish() {
    while (this.#open.length > 1) this.end(false);
    this.flush();
  }

  /** @param {string} text */
  add(text) {
    this.#text += text;
  }

  /** @param {Attr} attribute @param {string} value */
  set(attribute, value) {
    this.flush();
    const open = this.#top;
    if (attribute === Attr.Href || attribute === Attr.Src) this.#link(open, value);
    if (attribute === Attr.Start && /^\d{1,9}$/.test(value)) open.node.setAttribute("start", value);
    if (attribute === Attr.Checked) open.node.textContent = "☑ ";
  }

  /** What looked like a link was none: its bracket is shown. */
  unlink() {
    const open = this.#top;
    if (open.linked) return;
    this.flush();
    open.linked = true;
    open.node.prepend(open.token === Token.Image ? "![" : "[");
  }

  /** @returns {boolean} whether the innermost element is waiting for the address of a link */
  get linking() {
    return !this.#top.linked;
  }

  /** Puts into the page what was added. */
  flush() {
    if (this.#text === "") return;
    const text = this.#text.replace(OVERRIDES, "");
    this.#text = "";
    const { node } = this.#top;
    const home = this.#open.length > 1 ? node : node.appendChild(document.createElement("p"));
    if (home.lastChild instanceof Text) home.lastChild.appendData(text);
    else home.append(text);
  }

  /** @param {Text} text stands at the end of the innermost element, to be taken away again */
  preview(text) {
    this.#top.node.append(text);
  }

  /** @returns {Open} */
  get #top() {
    return /** @type {Open} */ (this.#open.at(-1));
  }

  /** @param {Open} open @param {string} written */
  #link(open, written) {
    const raw = open.token === Token.Raw_URL;
    const tail = raw ? (TRAILING.exec(written)?.[0] ?? "") : "";
    const url = safeLink(tail ? written.slice(0, -tail.length) : written);
    open.linked = true;
    const { node } = open;
    const inLink = this.#open.some(({ token }) => token === Token.Link && open.token !== token);
    if (raw && tail) node.textContent = written.slice(0, -tail.length);
    if (url !== null && !inLink) node.replaceWith(anchor(url, node, tail));
    else if (tail) node.append(tail);
  }
}

/**
 * @param {URL} url
 * @param {Element} label
 * @param {string} tail follows the link
 * @returns {DocumentFragment}
 */
function anchor(url, label, tail) {
  const made = document.createElement("a");
  made.href = url.href;
  made.target = "_blank";
  made.rel = "noopener noreferrer nofollow";
  made.append(...label.childNodes);
  const text = made.textContent?.trim() ?? "";
  if (text === "") made.textContent = url.host + url.pathname;
  const fragment = document.createDocumentFragment();
  fragment.append(made);
  const named = ADDRESS.exec(text)?.[1]?.toLowerCase();
  // A label that names one place must not lead to another unnoticed.
  if (named !== undefined && url.host && named !== url.host.replace(/^www\./, "")) {
    fragment.append(` (${url.host})`);
  }
  fragment.append(tail);
  return fragment;
}
