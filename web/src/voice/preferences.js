/** The customer's preferences for voice, stored in this browser. */

import { StoredValue } from "../client/storage.js";

/** @typedef {import("./microphone.js").Mode} Mode */

/** @typedef {{mode: Mode, tempo: number}} Preferences `tempo`: 1 is normal */

/** The speeds of speech that a customer can choose. */
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

/** @param {Partial<Preferences>} choice is used from now on, and stored */
export function savePreferences(choice) {
  stored.write(choice);
}
