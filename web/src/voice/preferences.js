/** How the customer wants to speak and be spoken to; this browser remembers it. */

import { StoredValue } from "../client/storage.js";

/** @typedef {import("./microphone.js").Mode} Mode */
/** @typedef {{mode: Mode, tempo: number}} Preferences `tempo`: 1 is usual */

/** How fast the assistant may speak. */
export const TEMPOS = [0.75, 1, 1.25, 1.5];

/** @type {StoredValue<Preferences>} */
const stored = new StoredValue("localStorage", "meanwhile:voice");

/** @returns {Preferences} */
export function readPreferences() {
  const { mode, tempo = 1 } = stored.read();
  return {
    mode: mode === "push_to_talk" ? mode : "hands_free",
    tempo: TEMPOS.includes(tempo) ? tempo : 1,
  };
}

/** @param {Partial<Preferences>} choice from now on, and the next time */
export function savePreferences(choice) {
  stored.write(choice);
}
