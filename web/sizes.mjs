/** Weighs what a customer's browser has to fetch, and fails when it is more than was promised. */

import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const LOADER_BYTES = 3 * 1024;
const ALL_BYTES = 35 * 1024;
const VOICE_BYTES = 8 * 1024;

const loader = weigh("meanwhile-chat.js");
const all = loader + weigh("chat.js");
const voice = weigh("voice.js") + weigh("capture.js");
const heavy = [
  judge("the loader", loader, LOADER_BYTES),
  judge("all of it", all, ALL_BYTES),
  judge("speaking, where it is asked for", voice, VOICE_BYTES),
].includes(false);
process.exitCode = heavy ? 1 : 0;

/** @param {string} name @returns {number} bytes, compressed */
function weigh(name) {
  return gzipSync(readFileSync(new URL(`dist/${name}`, import.meta.url)), { level: 9 }).length;
}

/** @param {string} what @param {number} bytes @param {number} most @returns {boolean} whether it fits */
function judge(what, bytes, most) {
  const kept = bytes <= most;
  console.log(`${what}: ${bytes} of ${most} bytes gzipped${kept ? "" : ": too heavy"}`);
  return kept;
}
