/** Draws what the assistant says, while it grows and when it is complete. */

import { html, nothing } from "lit";
import { markdown } from "../markdown/markdown.js";
import { attachments, hasContent } from "./attachments.js";
import { thumbs } from "./thumbs.js";
import { time } from "./time.js";

/** @param {import("../view-contract.js").AssistantItem} item @param {import("./scene.js").Scene} scene */
export function assistantMessage(item, scene) {
  const { words, state } = scene;
  const { text, says, interrupted } = item;
  if (!hasContent(item) && !interrupted) return nothing;
  const kind = says ?? "open";
  return html`
    <div class="row assistant" data-says=${kind}>
      <article class="message" part="message assistant-message ${kind}" data-says=${kind}>
        <span class="aside">${state.assistant?.name ?? words.assistant}: </span
        ><div
          class="says"
          part="assistant-bubble"
          dir="auto"
          ${markdown(text, says !== null, words.table)}
        ></div
        >${attachments(item, scene)}${interrupted ? html`<p class="tail">${words.interrupted}</p>` : nothing}
      </article>
      ${says === "response"
        ? html`<div class="foot">${time(item.at, state.locale)}${thumbs(item, scene)}</div>`
        : nothing}
    </div>
  `;
}
