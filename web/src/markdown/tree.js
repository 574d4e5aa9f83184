/** Builds a message's nodes as its Markdown is read: allowed elements only, and every text as text. */

import { Attr, Token } from "streaming-markdown";

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

// What each kind of Markdown looks like in the page.

/** @type {Readonly<Record<number, string>>} */
const TAGS = {
  [Token.Paragraph]: "p",
  [Token.Blockquote]: "blockquote",
  [Token.Rule]: "hr",
  [Token.Line_Break]: "br",
  [Token.Italic_Ast]: "em",
  [Token.Italic_Und]: "em",
  [Token.Strong_Ast]: "strong",
  [Token.Strong_Und]: "strong",
  [Token.Strike]: "s",
  [Token.Code_Inline]: "code",
  [Token.Equation_Inline]: "code",
  [Token.Equation_Block]: "code",
  [Token.List_Unordered]: "ul",
  [Token.List_Ordered]: "ol",
  [Token.List_Item]: "li",
  [Token.Table_Row]: "tr",
};

/**
 * @param {Token} token
 * @param {Element} parent where it will stand
 * @param {string} tableName what a table is called; it can be scrolled, so it can be reached by keyboard
 * @returns {{outer: Element, inner: Element}} what is to be put into `parent`, and what its content goes into
 */
export function shape(token, parent, tableName) {
  switch (token) {
    case Token.Heading_1:
    case Token.Heading_2:
    case Token.Heading_3:
    case Token.Heading_4:
    case Token.Heading_5:
    case Token.Heading_6: {
      // A real heading would be one of the host page's outline.
      const outer = make("p", "heading");
      return { outer, inner: outer };
    }
    case Token.Code_Block:
    case Token.Code_Fence: {
      const inner = make("code");
      const outer = make("pre");
      outer.append(inner);
      return { outer, inner };
    }
    case Token.Table: {
      const inner = make("table");
      const outer = make("div", "table");
      outer.tabIndex = 0;
      outer.setAttribute("role", "group");
      outer.setAttribute("aria-label", tableName);
      outer.append(inner);
      return { outer, inner };
    }
    case Token.Table_Cell: {
      const inFirstRow = parent === parent.parentElement?.firstElementChild;
      const inner = make(inFirstRow ? "th" : "td");
      if (inFirstRow) inner.setAttribute("scope", "col");
      return { outer: inner, inner };
    }
    case Token.Checkbox: {
      const inner = make("span");
      inner.textContent = "☐ ";
      return { outer: inner, inner };
    }
    default: {
      const inner = make(TAGS[token] ?? "span");
      return { outer: inner, inner };
    }
  }
}

/** @param {string} tag @param {string} [name] of its class */
function make(tag, name) {
  const made = document.createElement(tag);
  if (name) made.className = name;
  return made;
}

// Decides where a link that a model wrote may lead: to web pages, mail and telephone numbers, and only openly.

const SCHEME = /^(?:https?:\/\/|mailto:|tel:)/i;
const PROTOCOLS = new Set(["http:", "https:", "mailto:", "tel:"]);

/** Control characters, spaces, backslashes, and what cannot be seen: all of them hide where a link leads. */
const DECEITFUL = /[\p{C}\p{Z}\\<>]/u;

/** A title may follow the address: `(https://example.com "Example")`. */
const WITH_TITLE = /^<?(\S+?)>?(?:\s+["'(].*)?$/su;

/**
 * @param {string} written as it stands in the Markdown
 * @returns {URL | null} null for what is not a link: other schemes, relative ones, addresses with a password
 */
function safeLink(written) {
  const address = WITH_TITLE.exec(written.trim())?.[1] ?? "";
  if (!SCHEME.test(address) || DECEITFUL.test(address)) return null;
  const url = parsed(address);
  // `https://bank.example@elsewhere.example` leads elsewhere.
  if (url === null || !PROTOCOLS.has(url.protocol) || url.username || url.password) return null;
  return url;
}

/** @param {string} address @returns {URL | null} */
function parsed(address) {
  try {
    return new URL(address);
  } catch {
    return null;
  }
}
