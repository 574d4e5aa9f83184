/** The widget's style sheets, made once; constructed ones work under a strict content security policy. */

import { composerStyle } from "./style-composer.js";
import { messagesStyle } from "./style-messages.js";
import { panelStyle } from "./style-panel.js";
import { themeStyle } from "./style-theme.js";
import { workStyle } from "./style-work.js";

/** @type {CSSStyleSheet[]} */
let made = [];

/** @returns {CSSStyleSheet[]} the same ones for every element */
export function sheets() {
  if (made.length === 0) made = [themeStyle, panelStyle, messagesStyle, workStyle, composerStyle].map(sheet);
  return made;
}

/** @param {string} css */
function sheet(css) {
  const built = new CSSStyleSheet();
  built.replaceSync(css);
  return built;
}
