/** The field to write in: Enter sends, Shift and Enter begins a line, and no text is ever lost. */

import { words } from "./words.js";

export class Composer {
  #text;
  #maxText;
  #say;

  /**
   * @param {import("./skeleton.js").Parts} parts
   * @param {() => number} maxText the longest message there may be, in characters
   * @param {(text: string) => void} say
   */
  constructor({ form, text }, maxText, say) {
    this.#text = text;
    this.#maxText = maxText;
    this.#say = say;
    text.addEventListener("input", () => this.#measure());
    text.addEventListener("keydown", (event) => {
      // While an input method composes, Enter chooses a word.
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      form.requestSubmit();
    });
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#submit();
    });
  }

  /** A text that is too long is kept, and said to be so; nothing that was pasted is cut off in silence. */
  #measure() {
    const excess = this.#text.value.trim().length - this.#maxText();
    this.#text.setCustomValidity(excess > 0 ? words.tooLong(excess) : "");
  }

  #submit() {
    const said = this.#text.value.trim();
    if (said === "") return;
    this.#text.value = "";
    this.#say(said);
  }
}
