/**
 * Reads Markdown that is streamed: each character once, in pieces of any size.
 *
 * It corrects what the parser (streaming-markdown) does with streamed or unusual text.
 */

import { MAYBE_URL, Token, parser, parser_end, parser_write } from "streaming-markdown";
import { Tree } from "./tree.js";

/** @typedef {import("streaming-markdown").Parser} Parser */

/** The deepest nesting; the parser's own limit is a little higher. */
const MAX_DEPTH = 14;

/** Longer than any URL: after this number of undecided characters the rest is shown as plain text. */
const MAX_PENDING = 2000;

/** A URL ends before these characters; the parser does not know this. */
const AFTER_ADDRESS = new Set(["|", "<", ">", '"', "*", "`"]);

const UNDER_HEADING = new Set(["-", " ", "|", ":", "\n"]);

/** @type {ReadonlySet<number>} where Markdown signs have no meaning */
const LITERAL = new Set([
  Token.Code_Block,
  Token.Code_Fence,
  Token.Code_Inline,
  Token.Raw_URL,
  Token.Image,
  Token.Equation_Block,
  Token.Equation_Inline,
]);

/** @type {ReadonlySet<number>} elements that contain only other elements */
const CONTAINERS = new Set([
  Token.Document,
  Token.Blockquote,
  Token.List_Ordered,
  Token.List_Unordered,
  Token.Table,
  Token.Table_Row,
]);

const DIGIT = /\p{N}/u;
const OPENING = /^[(*_~]/;
const WORD_CHARACTER = /[\p{L}\p{N}]/u;

/** Text that the parser withholds only because it looks one character ahead. */
const UNAMBIGUOUS = /^[\p{L}\p{N}\p{Sc}.,;:?!'’"”)…%/]+$/u;

export class Reader {
  #parser;
  #tree;
  #read = "";
  /** The last two characters. */
  #before = "";
  #plain = false;
  #withheld = new Text();

  /** @param {Element} root is emptied @param {string} tableName the accessible name of tables */
  constructor(root, tableName) {
    const tree = new Tree(root, tableName);
    this.#tree = tree;
    this.#parser = parser({
      data: tree,
      add_token: (_, token) => tree.begin(token),
      // The label ends with its bracket if the parser has just read one; otherwise an outer element has ended.
      end_token: () => tree.end(this.#parser.pending === "]"),
      add_text: (_, text) => tree.add(text),
      set_attr: (_, attribute, value) => tree.set(attribute, value),
    });
  }

  /** @param {string} text all of it @returns {boolean} whether it starts with what was already read */
  continues(text) {
    return text.startsWith(this.#read);
  }

  /** @param {string} text all of it, starting with what was already read */
  grow(text) {
    this.#withheld.remove();
    for (const char of text.slice(this.#read.length)) {
      this.#take(char);
      this.#before = this.#before.slice(-1) + char;
    }
    this.#read = text;
    this.#tree.flush();
    this.#preview();
  }

  /** The text is complete. */
  finish() {
    this.#withheld.remove();
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
    if (this.#isLiteral(char)) parser_write(reading, "\\");
    if (char === "t" && this.#beginsAddress) reading.token = MAYBE_URL;
    parser_write(reading, char);
    if (reading.len > MAX_DEPTH || reading.pending.length > MAX_PENDING) this.#giveUp();
  }

  /**
   * A dollar sign starts no formula; names such as `opening_hours` and sums such as 2*3 contain no emphasis. A backslash
   * tells the parser to take the sign literally.
   *
   * @param {string} char
   */
  #isLiteral(char) {
    if (char !== "$" && char !== "_" && char !== "*") return false;
    const { pending, tokens, len } = this.#parser;
    if (pending === "\\" || pending.startsWith("](")) return false;
    if (LITERAL.has(tokens[len])) return false;
    if (char === "$") return true;
    if (!(char === "_" ? WORD_CHARACTER : DIGIT).test(this.#before.slice(-1))) return false;
    const closes = char === "_" ? [Token.Italic_Und, Token.Strong_Und] : [Token.Italic_Ast, Token.Strong_Ast];
    return !closes.some((token) => tokens.slice(0, len + 1).includes(token));
  }

  /** A link cannot span lines, so these were only brackets. */
  #giveUpLink() {
    const reading = this.#parser;
    if (reading.token !== Token.Link && reading.token !== Token.Image) return;
    if (reading.pending === "]") return;
    this.#tree.unlink();
    this.#tree.add(reading.pending);
    // This makes the end of the line end the label too.
    reading.pending = "]";
  }

  /**
   * @returns {boolean} whether the last character is an `h` that may start a URL; the parser sees URLs only after a space
   */
  get #beginsAddress() {
    const { pending, token, tokens, len } = this.#parser;
    if (pending !== "h" || token !== tokens[len] || LITERAL.has(token) || CONTAINERS.has(token)) return false;
    return !tokens.slice(0, len + 1).includes(Token.Link) && OPENING.test(this.#before);
  }

  /**
   * @returns {boolean} whether the table ends here unless a row follows; the parser would wait for an empty line
   */
  get #afterRow() {
    const { token, pending, table_state: state } = this.#parser;
    if (token === Token.Table) return state === 2 && pending === "";
    return token === Token.Table_Row && state > 0 && pending === "\n";
  }

  /**
   * The line after the first row started like a table's delimiter row, but is not one.
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

  /** Shows the rest of the text as plain text. */
  #giveUp() {
    this.#tree.unlink();
    this.#tree.add(this.#parser.pending);
    this.#parser.pending = "";
    this.#plain = true;
  }

  /** Shows text that the parser withholds, if it is unlikely to change its meaning. */
  #preview() {
    const { pending, token, tokens, len } = this.#parser;
    const settled = token === tokens[len] && token !== Token.Raw_URL && !CONTAINERS.has(token);
    if (this.#plain || !settled || !UNAMBIGUOUS.test(pending)) return;
    this.#withheld.data = pending;
    this.#tree.preview(this.#withheld);
  }
}

const PARTS = new Set(["P", "LI", "TR", "PRE", "BLOCKQUOTE", "TABLE", "BR", "HR"]);
const CELLS = new Set(["TH", "TD"]);

/**
 * The text for a screen reader, without signs and URLs.
 *
 * @param {string} markdown
 * @returns {string} one line for each paragraph, list item or table row
 */
export function plainText(markdown) {
  const root = document.createElement("div");
  const reader = new Reader(root, "");
  reader.grow(markdown);
  reader.finish();
  return textOf(root)
    .split("\n")
    .map((line) => line.replace(/[\s,]+$/u, "").trim())
    .filter(Boolean)
    .join("\n");
}

/** @param {Node} node @returns {string} */
function textOf(node) {
  if (node instanceof Text) return node.data;
  const inside = [...node.childNodes].map(textOf).join("");
  if (PARTS.has(node.nodeName)) return `\n${inside}\n`;
  return CELLS.has(node.nodeName) ? `${inside.trim()}, ` : inside;
}
