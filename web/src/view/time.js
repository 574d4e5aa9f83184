/** Draws when something was said. */

import { html, nothing } from "lit";
import { moment, timeOfDay } from "../words/when.js";

/** @param {number | null} at Unix milliseconds @param {string} locale */
export function time(at, locale) {
  if (at === null) return nothing;
  return html`<time
    class="time"
    part="time"
    datetime=${new Date(at).toISOString()}
    title=${moment(at, locale)}
    >${timeOfDay(at, locale)}</time
  >`;
}
