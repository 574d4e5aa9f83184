/** The widget's style sheets, made once. Constructed ones work under a strict content security policy. */

import activity from "./activity.css";
import composer from "./composer.css";
import layout from "./layout.css";
import messages from "./messages.css";
import tokens from "./tokens.css";

/** @type {CSSStyleSheet[]} */
let made = [];

/** @type {import("../view/contract.js").Sheets} */
export function sheets() {
  if (made.length === 0) made = [tokens, layout, messages, activity, composer].map(sheet);
  return made;
}

/** @param {string} css */
function sheet(css) {
  const built = new CSSStyleSheet();
  built.replaceSync(css);
  return built;
}
