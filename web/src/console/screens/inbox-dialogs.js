/** The questions before something changes for a customer. */

import { html } from "lit";
import { button, onSubmit } from "../parts/controls.js";

/** @typedef {import("../contract.js").Context} Context */
/** @typedef {import("../contract.js").Dialog} Dialog */

/** @implements {Dialog} */
export class TakeOverDialog {
  #context;
  #take;

  /** @param {Context} context @param {() => void} take */
  constructor(context, take) {
    this.#context = context;
    this.#take = take;
  }

  view() {
    const { strings, close } = this.#context;
    const { inbox } = strings;
    return question(strings, inbox.takeOverQuestion, inbox.takeOverText, close, [inbox.takeOver, () => this.#take()]);
  }
}

/** @implements {Dialog} */
export class CloseDialog {
  #context;
  #close;

  /** @param {Context} context @param {() => void} close */
  constructor(context, close) {
    this.#context = context;
    this.#close = close;
  }

  view() {
    const { strings, close } = this.#context;
    const { inbox } = strings;
    return question(strings, inbox.closeQuestion, inbox.closeText, close, [inbox.close, () => this.#close()]);
  }
}

/** @implements {Dialog} */
export class HandBackDialog {
  #context;
  #handBack;

  /** @param {Context} context @param {(note: string) => void} handBack */
  constructor(context, handBack) {
    this.#context = context;
    this.#handBack = handBack;
  }

  view() {
    const { strings, close } = this.#context;
    const { inbox } = strings;
    const send = onSubmit((values) => {
      close();
      this.#handBack(String(values.get("note") ?? ""));
    });
    return html`<form class="form" @submit=${send}>
      <h2 id="dialog-title">${inbox.handBackQuestion}</h2>
      <p>${inbox.handBackText}</p>
      <div class="field">
        <label for="handback-note">${inbox.handBackNote}</label>
        <textarea class="input" id="handback-note" name="note" rows="3" maxlength="2000" aria-describedby="handback-hint" autofocus></textarea>
        <p class="hint" id="handback-hint">${inbox.handBackHint}</p>
      </div>
      <div class="buttons">
        ${button({ text: inbox.handBack, look: "primary" })}${button({ text: strings.cancel, run: close })}
      </div>
    </form>`;
  }
}

/**
 * @param {import("../contract.js").Strings} strings
 * @param {string} title
 * @param {string} text
 * @param {() => void} close
 * @param {readonly [string, () => void]} answer
 */
function question(strings, title, text, close, [yes, run]) {
  const agree = () => {
    close();
    run();
  };
  return html`<div class="form">
    <h2 id="dialog-title">${title}</h2>
    <p>${text}</p>
    <div class="buttons">
      ${button({ text: yes, look: "primary", run: agree })}${button({ text: strings.cancel, run: close })}
    </div>
  </div>`;
}
