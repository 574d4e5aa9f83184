/** What a Markdown text says, for ears: no signs, no addresses, a pause between its parts. */

import { Reader } from "./reader.js";

const PARTS = new Set(["P", "LI", "TR", "PRE", "BLOCKQUOTE", "TABLE", "BR", "HR"]);
const CELLS = new Set(["TH", "TD"]);

/** @param {string} markdown @returns {string} one line for each of its parts */
export function plainText(markdown) {
  const root = document.createElement("div");
  const reader = new Reader(root, "");
  reader.grow(markdown);
  reader.finish();
  return said(root)
    .split("\n")
    .map((line) => line.replace(/[\s,]+$/u, "").trim())
    .filter(Boolean)
    .join("\n");
}

/** @param {Node} node @returns {string} */
function said(node) {
  if (node instanceof Text) return node.data;
  const inside = [...node.childNodes].map(said).join("");
  if (PARTS.has(node.nodeName)) return `\n${inside}\n`;
  return CELLS.has(node.nodeName) ? `${inside.trim()}, ` : inside;
}
