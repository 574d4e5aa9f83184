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

const accentSheet = new CSSStyleSheet();
/** @type {string | null} */
let appliedAccent = null;

/**
 * Uses the company's colour instead of the console's own: as dark, or as light, as text needs it.
 *
 * @param {string | null} accent such as `#7a2e5c`
 */
export function applyAccent(accent) {
  if (accent === appliedAccent) return;
  appliedAccent = accent;
  // A browser that cannot work with colours keeps the console's own.
  const usable = accent !== null && /^#[0-9a-f]{6}$/i.test(accent) && CSS.supports("color", "oklch(from red l c h)");
  accentSheet.replaceSync(usable ? accentCss(accent) : "");
}

/** @param {string} accent */
function accentCss(accent) {
  const tone = (/** @type {string} */ light, /** @type {string} */ dark) =>
    `light-dark(oklch(from ${accent} ${light} h), oklch(from ${accent} ${dark} h))`;
  return `:root {
    --accent: ${tone("min(l, 0.43) min(c, 0.16)", "max(l, 0.8) min(c, 0.12)")};
    --accent-strong: ${tone("min(l, 0.36) min(c, 0.14)", "max(l, 0.86) min(c, 0.09)")};
    --on-accent: ${tone("1 0", "0.2 min(c, 0.03)")};
    --accent-wash: ${tone("0.945 min(c, 0.02)", "0.29 min(c, 0.035)")};
  }`;
}

/** Lets the page use them. */
export function applyStyles() {
  document.adoptedStyleSheets = [...sheets(), accentSheet];
}

function sheets() {
  return [tokens, base, controls, parts, conversation, timeline, layout, screens, design].map(sheet);
}

/** @param {string} css */
function sheet(css) {
  const built = new CSSStyleSheet();
  built.replaceSync(css);
  return built;
}
