/** Checks what each folder of `src` may import. Types in comments count as imports. */

import { readFileSync, readdirSync } from "node:fs";
import { posix } from "node:path";

const SRC = new URL("src/", import.meta.url);

/**
 * What a folder may import besides itself: the longest path that fits decides. `client/` may import nothing: it must
 * work without lit and without a view.
 *
 * @type {Readonly<Record<string, readonly string[]>>}
 */
const ALLOWED = {
  "client": [],
  "strings": [],
  "markdown": ["lit", "streaming-markdown"],
  "view": ["client", "strings", "markdown", "lit"],
  "console": ["strings/index.js", "client/connection.js", "client/state.js", "lit"],
  "console/strings": ["strings/index.js"],
  "console/parts": ["console/strings", "console/api.js", "console/contract.js", "console/places.js", "console/preferences.js", "lit"],
  // The voice bundle gets lit and the icons from the chat, so that it does not bring its own: types only.
  "voice": ["client", "strings", "styles", "view/contract.js", "lazy-module.js"],
};

const IMPORT = /(?:\bfrom\s+|\bimport\s*\(?\s*)"([^"]+)"/g;

const files = readdirSync(SRC, { recursive: true, encoding: "utf8" })
  .map((file) => file.replaceAll("\\", "/"))
  .filter((file) => /\.(js|d\.ts)$/.test(file));
const wrong = files.flatMap(forbidden);
for (const line of wrong) console.error(line);
process.exitCode = wrong.length > 0 ? 1 : 0;

/** @param {string} file @returns {string[]} one line for each import that the folder may not have */
function forbidden(file) {
  const folder = Object.keys(ALLOWED)
    .filter((one) => file.startsWith(`${one}/`))
    .sort((one, other) => other.length - one.length)[0];
  if (folder === undefined) return [];
  const allowed = ALLOWED[folder];
  const imports = readFileSync(new URL(file, SRC), "utf8").matchAll(IMPORT);
  return [...imports]
    .map(([, name]) => (name.startsWith(".") ? posix.join(posix.dirname(file), name) : name))
    .filter((name) => ![folder, ...allowed].some((prefix) => name === prefix || name.startsWith(`${prefix}/`)))
    .map((name) => `src/${file} imports ${name}: ${folder}/ may import ${["itself", ...allowed].join(", ")}`);
}
