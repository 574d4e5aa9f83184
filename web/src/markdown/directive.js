/** A lit directive that draws Markdown into an element. When the text grows, only the new part is read. */

import { noChange } from "lit";
import { Directive, directive } from "lit/directive.js";
import { Reader } from "./reader.js";

class MarkdownDirective extends Directive {
  /** @type {Reader | null} */
  #reader = null;
  #text = "";
  #done = false;

  /** @param {string} _text @param {boolean} _done @param {string} _tableName */
  render(_text, _done, _tableName) {
    return noChange;
  }

  /**
   * @param {import("lit/directive.js").ElementPart} part
   * @param {[text: string, done: boolean, tableName: string]} values
   */
  update(part, [text, done, tableName]) {
    if (this.#reader && text === this.#text && done === this.#done) return noChange;
    if (this.#reader === null || this.#done || !this.#reader.continues(text)) {
      this.#reader = new Reader(part.element, tableName);
    }
    this.#reader.grow(text);
    if (done) this.#reader.finish();
    [this.#text, this.#done] = [text, done];
    return noChange;
  }
}

/** `markdown(text, done, tableName)`, on an element: `done` means that the text is complete. */
export const markdown = directive(MarkdownDirective);
