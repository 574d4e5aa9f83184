/** The console's style sheets. Constructed ones work under a strict content security policy. */

import base from "./base.css";
import conversation from "./conversation.css";
import controls from "./controls.css";
import design from "./design.css";
import layout from "./layout.css";
import parts from "./parts.css";
import screens from "./screens.css";
import timeline from "./timeline.css";
import tokens from "./tokens.css";

/** Lets the page use them. */
export function applyStyles() {
  document.adoptedStyleSheets = [tokens, base, controls, parts, conversation, timeline, layout, screens, design].map(sheet);
}

/** @param {string} css */
function sheet(css) {
  const built = new CSSStyleSheet();
  built.replaceSync(css);
  return built;
}
