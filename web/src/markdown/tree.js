/**
 * Builds the DOM of a message while its Markdown is read: only allowed elements, text as text nodes, and safe links.
 */

import { Attr, Token } from "streaming-markdown";

/** @typedef {{node: Element, token: Token | 0, linked: boolean}} Open an element that is still growing */

/** Overrides of the writing direction, which can make a text look like another one. */
const OVERRIDES = /[\u202a-\u202e]/gu;

/** Characters that more likely end a sentence than a URL. */
const TRAILING = /[.,:;!?'")\]}]+$/u;

/** A label that looks like a URL. */
const ADDRESS = /^(?:https?:\/\/)?(?:www\.)?([\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+)(?:[/:?#]|$)/iu;

export class Tree {
  /** @type {[Open, ...Open[]]} from the message itself to the innermost open element */
  #open;
  /** @type {string} collected until the next element starts */
  #text = "";
  #tableName;

  /** @param {Element} root is emptied @param {string} tableName the accessible name of tables */
  constructor(root, tableName) {
    root.replaceChildren();
    this.#tableName = tableName;
    this.#open = [{ node: root, token: 0, linked: false }];
  }

  /** @param {Token} token */
  begin(token) {
    this.flush();
    const link = token === Token.Link || token === Token.Image;
    const { outer, inner } = createElementFor(token, this.#top.node, this.#tableName);
    this.#top.node.append(outer);
    this.#open.push({ node: inner, token, linked: !link });
  }

  /** @param {boolean} bracket whether it ended because a bracket was closed */
  end(bracket) {
    this.flush();
    if (bracket && this.linking) this.#top.node.append("]");
    // No URL followed, so it is not a link.
    this.unlink();
    if (this.#open.length > 1) this.#open.pop();
  }

  /** Closes all open elements. */
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

  /** The open link is none: shows its bracket. */
  unlink() {
    const open = this.#top;
    if (open.linked) return;
    this.flush();
    open.linked = true;
    open.node.prepend(open.token === Token.Image ? "![" : "[");
  }

  /** @returns {boolean} whether the innermost element is a link without a URL so far */
  get linking() {
    return !this.#top.linked;
  }

  /** Appends the collected text to the page. */
  flush() {
    if (this.#text === "") return;
    const text = this.#text.replace(OVERRIDES, "");
    this.#text = "";
    const { node } = this.#top;
    const home = this.#open.length > 1 ? node : node.appendChild(document.createElement("p"));
    if (home.lastChild instanceof Text) home.lastChild.appendData(text);
    else home.append(text);
  }

  /** @param {Text} text is shown at the end of the innermost element, and removed later */
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
  // If the label looks like a URL of another host, the real host is shown.
  if (named !== undefined && url.host && named !== url.host.replace(/^www\./, "")) {
    fragment.append(` (${url.host})`);
  }
  fragment.append(tail);
  return fragment;
}

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
 * Creates the element for a kind of Markdown.
 *
 * @param {Token} token
 * @param {Element} parent of the new element
 * @param {string} tableName the accessible name of tables, which have focus so that they can be scrolled by keyboard
 * @returns {{outer: Element, inner: Element}} the element for `parent`, and the one that gets the content
 */
function createElementFor(token, parent, tableName) {
  switch (token) {
    case Token.Heading_1:
    case Token.Heading_2:
    case Token.Heading_3:
    case Token.Heading_4:
    case Token.Heading_5:
    case Token.Heading_6: {
      // A real heading would become part of the host page's outline.
      const outer = createElement("p", "heading");
      return { outer, inner: outer };
    }
    case Token.Code_Block:
    case Token.Code_Fence: {
      const inner = createElement("code");
      const outer = createElement("pre");
      outer.append(inner);
      return { outer, inner };
    }
    case Token.Table: {
      const inner = createElement("table");
      const outer = createElement("div", "table");
      outer.tabIndex = 0;
      outer.setAttribute("role", "group");
      outer.setAttribute("aria-label", tableName);
      outer.append(inner);
      return { outer, inner };
    }
    case Token.Table_Cell: {
      const inFirstRow = parent === parent.parentElement?.firstElementChild;
      const inner = createElement(inFirstRow ? "th" : "td");
      if (inFirstRow) inner.setAttribute("scope", "col");
      return { outer: inner, inner };
    }
    case Token.Checkbox: {
      const inner = createElement("span");
      inner.textContent = "☐ ";
      return { outer: inner, inner };
    }
    default: {
      const inner = createElement(TAGS[token] ?? "span");
      return { outer: inner, inner };
    }
  }
}

/** @param {string} tag @param {string} [name] of its class */
function createElement(tag, name) {
  const made = document.createElement(tag);
  if (name) made.className = name;
  return made;
}

const SCHEME = /^(?:https?:\/\/|mailto:|tel:)/i;
const PROTOCOLS = new Set(["http:", "https:", "mailto:", "tel:"]);

/** Control characters, spaces, backslashes and invisible characters, which can hide where a link leads. */
const HIDING = /[\p{C}\p{Z}\\<>]/u;

/** A title may follow the URL: `(https://example.com "Example")`. */
const WITH_TITLE = /^<?(\S+?)>?(?:\s+["'(].*)?$/su;

/**
 * Decides where a link that a model wrote may lead: to web pages, mail addresses and telephone numbers.
 *
 * @param {string} written as in the Markdown
 * @returns {URL | null} null for other schemes, relative URLs, and URLs with a user or password
 */
function safeLink(written) {
  const address = WITH_TITLE.exec(written.trim())?.[1] ?? "";
  if (!SCHEME.test(address) || HIDING.test(address)) return null;
  const url = parsed(address);
  // `https://bank.example@other.example` leads to other.example.
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
