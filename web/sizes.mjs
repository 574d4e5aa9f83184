/** Checks that the files a browser loads are not larger than documented. */

import { readFileSync, readdirSync } from "node:fs";
import { gzipSync } from "node:zlib";

const LOADER_BYTES = 3 * 1024;
const ALL_BYTES = 35 * 1024;
const VOICE_BYTES = 8 * 1024;
const STRINGS_BYTES = 4 * 1024;
// Each screen that people work with adds a few KB; the console is loaded once a day at most, by staff only.
const CONSOLE_BYTES = 80 * 1024;

const loader = gzippedSize("meanwhile-chat.js");
const all = loader + gzippedSize("chat.js");
const voice = gzippedSize("voice.js") + gzippedSize("capture.js");
const strings = Math.max(
  ...readdirSync(new URL("dist/", import.meta.url))
    .filter((file) => file.startsWith("strings-"))
    .map(gzippedSize),
);
const tooLarge = [
  check("the loader", loader, LOADER_BYTES),
  check("loader and chat", all, ALL_BYTES),
  check("voice, loaded when it is used", voice, VOICE_BYTES),
  check("the console, with its German texts", gzippedSize("console/console.js") + gzippedSize("console/strings-de.json"), CONSOLE_BYTES),
  check("the largest language, loaded when it is drawn", strings, STRINGS_BYTES),
].includes(false);
process.exitCode = tooLarge ? 1 : 0;

/** @param {string} name @returns {number} bytes, compressed */
function gzippedSize(name) {
  return gzipSync(readFileSync(new URL(`dist/${name}`, import.meta.url)), { level: 9 }).length;
}

/** @param {string} what @param {number} bytes @param {number} limit @returns {boolean} whether it is small enough */
function check(what, bytes, limit) {
  const fits = bytes <= limit;
  console.log(`${what}: ${bytes} of ${limit} bytes gzipped${fits ? "" : ": too large"}`);
  return fits;
}
