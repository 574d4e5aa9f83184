/** Draws what the customer said, and whether it has arrived. */

import { html, nothing } from "lit";
import { icon } from "./icon.js";

/** @typedef {import("../view-contract.js").CustomerItem} CustomerItem */

/** @param {CustomerItem} item @param {import("./scene.js").Scene} scene */
export function customerMessage(item, scene) {
  const { words } = scene;
  return html`
    <div class="row customer">
      <article class="message" part="message customer-message" data-delivery=${item.delivery}>
        <span class="aside">${words.you}: </span
        ><p class="says" part="customer-bubble" dir="auto">${item.text}</p
        >${tail(item, scene)}
      </article>
    </div>
  `;
}

/** @param {CustomerItem} item @param {import("./scene.js").Scene} scene */
function tail({ id, delivery, refusal }, { words, actions }) {
  if (delivery === "waiting") return html`<p class="tail">${icon("clock")}${words.waiting}</p>`;
  if (delivery !== "refused") return nothing;
  const reason = words.refusals[refusal?.code ?? ""] ?? refusal?.message ?? "";
  const retry = () => actions.retry(id);
  return html`
    <p class="tail">
      <span class="wrong">${words.notSent} ${reason}</span
      >${refusal?.mayRetry
        ? html`<button class="again" part="retry-button" type="button" @click=${retry}>${words.tryAgain}</button>`
        : nothing}
    </p>
  `;
}
