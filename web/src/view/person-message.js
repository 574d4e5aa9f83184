/** Draws what a person of the company says, under their name. */

import { html } from "lit";
import { time } from "./time.js";

/** @param {import("../view-contract.js").PersonItem} item @param {import("./scene.js").Scene} scene */
export function personMessage({ name, text, at }, { state }) {
  return html`
    <div class="row person">
      <article class="message" part="message person-message">
        <p class="who" part="person-name" dir="auto">${name}<span class="aside">: </span></p>
        <p class="says" part="person-bubble" dir="auto">${text}</p>
      </article>
      <div class="foot">${time(at, state.locale)}</div>
    </div>
  `;
}
