/** Draws one item of the conversation. */

import { html } from "lit";
import { assistantMessage } from "./assistant-message.js";
import { customerMessage } from "./customer-message.js";
import { personMessage } from "./person-message.js";
import { tools } from "./tools.js";

/** @param {import("../view-contract.js").Item} item @param {import("./scene.js").Scene} scene */
export function item(item, scene) {
  switch (item.kind) {
    case "customer":
      return customerMessage(item, scene);
    case "assistant":
      return assistantMessage(item, scene);
    case "person":
      return personMessage(item, scene);
    case "tools":
      return tools(item, scene);
    case "went_wrong":
      return html`<p class="notice wrong" part="error">${scene.words.wentWrong}</p>`;
    case "omitted":
      return html`<p class="notice" part="omitted">${scene.words.omitted(item.count)}</p>`;
    default:
      throw new TypeError(`unknown item ${JSON.stringify(/** @type {never} */ (item))}`);
  }
}
