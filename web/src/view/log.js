/** Draws the conversation, oldest first; what did not change is not looked at again. */

import { html } from "lit";
import { guard } from "lit/directives/guard.js";
import { repeat } from "lit/directives/repeat.js";
import { day } from "../words/when.js";
import { item as drawItem } from "./item.js";

/** @typedef {import("../view-contract.js").Item} Item */
/** @typedef {{key: string, draw: () => unknown}} Row */

/** @param {import("./scene.js").Scene} scene */
export function log(scene) {
  // Not live: the panel's status says each finished message once, where a live list would stammer with the stream.
  return html`
    <div class="list" role="log" aria-live="off" aria-label=${scene.words.conversation}>${repeat(
      rows(scene),
      ({ key }) => key,
      ({ draw }) => draw(),
    )}</div>
  `;
}

/** @param {import("./scene.js").Scene} scene @returns {Row[]} */
function rows(scene) {
  const { items, locale, assistant } = scene.state;
  let today = "";
  return items.flatMap((item) => {
    const key = `${item.kind} ${item.id}`;
    const row = { key, draw: () => guard([item, locale, assistant], () => drawItem(item, scene)) };
    const date = "at" in item && item.at !== null ? day(item.at, locale) : today;
    const isNext = today !== "" && date !== today;
    today = date;
    return isNext ? [{ key: `day ${key}`, draw: () => html`<p class="day" part="day">${date}</p>` }, row] : [row];
  });
}
