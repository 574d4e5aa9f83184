/** The dialog in which a conversation becomes a test: it is played at once with the prompts and tools of today. */

import { html, nothing } from "lit";
import { Task } from "../api.js";
import { button } from "../parts/controls.js";
import { loading, notice, problemNotice } from "../parts/messages.js";

/** @typedef {import("../contract.js").Context} Context */
/** @typedef {import("../contract.js").CopiedTest} CopiedTest */
/** @typedef {import("../contract.js").Dialog} Dialog */

/** @implements {Dialog} */
export class CopiedTestDialog {
  #context;
  #id;
  /** @type {Task<CopiedTest>} */
  #made;
  /** @type {"" | "copied" | "selected"} */
  #copied = "";

  /** @param {Context} context @param {string} id of the conversation */
  constructor(context, id) {
    this.#context = context;
    this.#id = id;
    this.#made = new Task(context.changed);
    void this.#make();
  }

  view() {
    const { strings, close } = this.#context;
    const { conversations } = strings;
    const { test } = conversations;
    const { value, problem } = this.#made;
    return html`<div>
      <h2 id="dialog-title" tabindex="-1">${test.title}</h2>
      <p class="soft">${test.text}</p>
      ${value ? this.#result(value) : problem ? problemNotice(problem, strings, () => void this.#make()) : loading({ ...strings, loading: test.plays })}
      <div class="buttons">
        ${value
          ? html`${button({ text: test.download, run: () => this.#download(value) })}
            ${button({ text: test.copy, icon: "copy", look: "primary", run: () => void this.#copy(value) })}`
          : nothing}
        ${button({ text: strings.close, run: close })}
      </div>
    </div>`;
  }

  /** @param {CopiedTest} made */
  #result({ text, passes, failure, difference, masked, left_out: leftOut }) {
    const { test } = this.#context.strings.conversations;
    const said = this.#copied === "copied" ? test.copied : this.#copied === "selected" ? test.selected : "";
    return html`${passes
        ? notice({ tone: "good", title: difference ? test.passesOtherwise : test.passes, text: difference ? [difference] : [] })
        : notice({ tone: "warn", title: test.fails })}
      ${passes ? nothing : html`<pre class="test-text" tabindex="0" aria-label=${test.fails}>${failure}</pre>`}
      <p class="soft small">${test.masked(masked)} ${leftOut.length > 0 ? test.leftOut(leftOut.join("; ")) : nothing}</p>
      <div class="field">
        <label for="test-text">${test.file(this.#file)}</label>
        <textarea class="input test-text" id="test-text" rows="10" readonly .value=${text}></textarea>
        <p class="hint" role="status">${said}</p>
      </div>`;
  }

  get #file() {
    return `${this.#id}.conversation.yaml`;
  }

  /** @param {CopiedTest} made */
  async #copy({ text }) {
    try {
      await navigator.clipboard.writeText(text);
      this.#copied = "copied";
    } catch {
      const field = document.getElementById("test-text");
      if (field instanceof HTMLTextAreaElement) field.select();
      this.#copied = "selected";
    }
    this.#context.changed();
  }

  /** @param {CopiedTest} made */
  #download({ text }) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type: "application/yaml" }));
    link.download = this.#file;
    link.click();
    URL.revokeObjectURL(link.href);
  }

  async #make() {
    const { api, announce, strings } = this.#context;
    const { test } = strings.conversations;
    const done = await this.#made.run(() => api.post(`conversations/${encodeURIComponent(this.#id)}/test`));
    if (done) announce(this.#made.value?.passes ? test.passes : test.fails);
  }
}
