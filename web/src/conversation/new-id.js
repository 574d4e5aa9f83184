/** A fresh id for a message, unique for good: the server knows a resend by it. */

/** @returns {string} */
export function newId() {
  // randomUUID exists only on https and localhost.
  if (crypto.randomUUID) return crypto.randomUUID();
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
}
