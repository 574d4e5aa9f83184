/** Draws what whoever runs the assistant should know, such as an edit that was refused. */

import { html, nothing } from "lit";
import { icon } from "./icon.js";

/** @param {import("./scene.js").Scene} scene */
export function notice({ state: { notice } }) {
  if (!notice?.problem) return nothing;
  return html`<p class="server-notice" part="notice" lang="en" dir="auto">
    ${icon("warning")}<span>${notice.message}</span>
  </p>`;
}
