/** The widget's style sheets, made once; constructed ones work under a strict content security policy. */

import attachments from "./attachments.css";
import composer from "./composer.css";
import files from "./files.css";
import frame from "./frame.css";
import markdown from "./markdown.css";
import messages from "./messages.css";
import panel from "./panel.css";
import theme from "./theme.css";
import work from "./work.css";

/** @type {CSSStyleSheet[]} */
let made = [];

/** @type {import("../view-contract.js").Sheets} */
export function sheets() {
  if (made.length === 0) made = [theme, frame, panel, messages, attachments, markdown, work, composer, files].map(sheet);
  return made;
}

/** @param {string} css */
function sheet(css) {
  const built = new CSSStyleSheet();
  built.replaceSync(css);
  return built;
}
