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
        >${item.text === ""
          ? nothing
          : html`<p class="says" part="customer-bubble" dir="auto">${item.spoken ? icon("mic") : nothing}${item.text}</p>`}${item.files.map((file) =>
          sentFile(file, words),
        )}${tail(item, scene)}
      </article>
    </div>
  `;
}

/** @param {import("../view-contract.js").SentFile} file @param {import("../words/words.js").Words} words */
function sentFile({ name }, words) {
  return html`
    <p class="sent-file" part="sent-file">
      ${icon("clip")}<span class="aside">${words.attachment}: </span><bdi>${name}</bdi>
    </p>
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
