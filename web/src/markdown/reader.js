/** Reads a Markdown text that grows: each character once, whatever pieces it comes in. */

import { MAYBE_URL, Token, parser, parser_end, parser_write } from "streaming-markdown";
import { Tree } from "./tree.js";

/** @typedef {import("streaming-markdown").Parser} Parser */

/** Nobody nests deeper, and the parser has room for a few more only. */
const DEEPEST = 14;

/** Longer than any address: a text that keeps the parser waiting so long is shown as it is written. */
const LONGEST_WAIT = 2000;

/** An address ends before these, which the parser does not know. */
const AFTER_ADDRESS = new Set(["|", "<", ">", '"', "*", "`"]);

const UNDER_HEADING = new Set(["-", " ", "|", ":", "\n"]);

/** @type {ReadonlySet<number>} where a sign is only a sign */
const LITERAL = new Set([
  Token.Code_Block,
  Token.Code_Fence,
  Token.Code_Inline,
  Token.Raw_URL,
  Token.Image,
  Token.Equation_Block,
  Token.Equation_Inline,
]);

/** @type {ReadonlySet<number>} kinds of element that hold others and no text of their own */
const HOLDERS = new Set([
  Token.Document,
  Token.Blockquote,
  Token.List_Ordered,
  Token.List_Unordered,
  Token.Table,
  Token.Table_Row,
]);

const DIGIT = /\p{N}/u;
const OPENING = /^[(*_~]/;
const WORDLY = /[\p{L}\p{N}]/u;

/** What the parser holds back only because it looks one character ahead. */
const HARMLESS = /^[\p{L}\p{N}\p{Sc}.,;:?!'’"”)…%/]+$/u;

export class Reader {
  #parser;
  #tree;
  #read = "";
  /** The last two characters. */
  #before = "";
  #plain = false;
  #held = new Text();

  /** @param {Element} root is emptied @param {string} tableName what a table is called */
  constructor(root, tableName) {
    const tree = new Tree(root, tableName);
    this.#tree = tree;
    this.#parser = parser({
      data: tree,
      add_token: (_, token) => tree.begin(token),
      // A label's own bracket is what the parser has just seen; else something around the label ended.
      end_token: () => tree.end(this.#parser.pending === "]"),
      add_text: (_, text) => tree.add(text),
      set_attr: (_, attribute, value) => tree.set(attribute, value),
    });
  }

  /** @param {string} text all of it @returns {boolean} whether it begins with what was read, and can go on from there */
  continues(text) {
    return text.startsWith(this.#read);
  }

  /** @param {string} text all of it, beginning with what was read */
  grow(text) {
    this.#held.remove();
    for (const char of text.slice(this.#read.length)) {
      this.#take(char);
      this.#before = this.#before.slice(-1) + char;
    }
    this.#read = text;
    this.#tree.flush();
    this.#preview();
  }

  /** Nothing will follow. */
  finish() {
    this.#held.remove();
    if (!this.#plain) {
      this.#giveUpLink();
      parser_end(this.#parser);
    }
    this.#tree.finish();
  }

  /** @param {string} char */
  #take(char) {
    const reading = this.#parser;
    if (this.#plain) return this.#tree.add(char);
    if (reading.token === Token.Raw_URL && AFTER_ADDRESS.has(char)) {
      parser_write(reading, " ");
      reading.pending = "";
    }
    if (char === "\n") this.#giveUpLink();
    else if (char !== "|" && this.#afterRow) parser_write(reading, "\n");
    else this.#endFalseTable(char);
    if (this.#isOnlyASign(char)) parser_write(reading, "\\");
    if (char === "t" && this.#beginsAddress) reading.token = MAYBE_URL;
    parser_write(reading, char);
    if (reading.len > DEEPEST || reading.pending.length > LONGEST_WAIT) this.#giveUp();
  }

  /**
   * Money is no formula; names such as `opening_hours` and sums such as 2*3 are not emphasised. With a backslash
   * before it the parser takes a sign as it is.
   *
   * @param {string} char
   */
  #isOnlyASign(char) {
    if (char !== "$" && char !== "_" && char !== "*") return false;
    const { pending, tokens, len } = this.#parser;
    if (pending === "\\" || pending.startsWith("](")) return false;
    if (LITERAL.has(tokens[len])) return false;
    if (char === "$") return true;
    if (!(char === "_" ? WORDLY : DIGIT).test(this.#before.slice(-1))) return false;
    const closes = char === "_" ? [Token.Italic_Und, Token.Strong_Und] : [Token.Italic_Ast, Token.Strong_Ast];
    return !closes.some((token) => tokens.slice(0, len + 1).includes(token));
  }

  /** No link goes over the end of a line: these were brackets, and nothing more. */
  #giveUpLink() {
    const reading = this.#parser;
    if (reading.token !== Token.Link && reading.token !== Token.Image) return;
    if (reading.pending === "]") return;
    this.#tree.unlink();
    this.#tree.add(reading.pending);
    // With this before it, the end of the line ends the label too.
    reading.pending = "]";
  }

  /** @returns {boolean} whether an `h` has just come that may begin an address; the parser sees one after a space */
  get #beginsAddress() {
    const { pending, token, tokens, len } = this.#parser;
    if (pending !== "h" || token !== tokens[len] || LITERAL.has(token) || HOLDERS.has(token)) return false;
    return !tokens.slice(0, len + 1).includes(Token.Link) && OPENING.test(this.#before);
  }

  /** @returns {boolean} whether a table ends here unless a row follows; the parser waits for an empty line */
  get #afterRow() {
    const { token, pending, table_state: state } = this.#parser;
    if (token === Token.Table) return state === 2 && pending === "";
    return token === Token.Table_Row && state > 0 && pending === "\n";
  }

  /**
   * What followed one row began like the line below a heading, and was something else.
   *
   * @param {string} char
   */
  #endFalseTable(char) {
    const reading = this.#parser;
    const { token, pending, table_state: state } = reading;
    if (token !== Token.Table || state !== 1 || pending === "" || UNDER_HEADING.has(char)) return;
    reading.table_state = 2;
    reading.pending = "\n";
    parser_write(reading, pending);
  }

  /** The rest of a text that asks too much is shown as it is written. */
  #giveUp() {
    this.#tree.unlink();
    this.#tree.add(this.#parser.pending);
    this.#parser.pending = "";
    this.#plain = true;
  }

  /** Shows what the parser holds back, where it will hardly become anything else. */
  #preview() {
    const { pending, token, tokens, len } = this.#parser;
    const settled = token === tokens[len] && token !== Token.Raw_URL && !HOLDERS.has(token);
    if (this.#plain || !settled || !HARMLESS.test(pending)) return;
    this.#held.data = pending;
    this.#tree.preview(this.#held);
  }
}

// What a Markdown text says, for ears: no signs, no addresses, a pause between its parts.

const PARTS = new Set(["P", "LI", "TR", "PRE", "BLOCKQUOTE", "TABLE", "BR", "HR"]);
const CELLS = new Set(["TH", "TD"]);

/** @param {string} markdown @returns {string} one line for each of its parts */
export function plainText(markdown) {
  const root = document.createElement("div");
  const reader = new Reader(root, "");
  reader.grow(markdown);
  reader.finish();
  return said(root)
    .split("\n")
    .map((line) => line.replace(/[\s,]+$/u, "").trim())
    .filter(Boolean)
    .join("\n");
}

/** @param {Node} node @returns {string} */
function said(node) {
  if (node instanceof Text) return node.data;
  const inside = [...node.childNodes].map(said).join("");
  if (PARTS.has(node.nodeName)) return `\n${inside}\n`;
  return CELLS.has(node.nodeName) ? `${inside.trim()}, ` : inside;
}
