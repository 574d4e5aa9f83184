/** Forgets what the browser keeps under names that begin like this one and go on, for all tabs and for this one. */

/** @param {string} beginning what stands under exactly this name stays */
export function forgetUnder(beginning) {
  for (const area of /** @type {const} */ (["localStorage", "sessionStorage"]))
    try {
      for (const key of Object.keys(window[area]))
        if (key.startsWith(beginning) && key !== beginning) window[area].removeItem(key);
    } catch {
      // Blocked: then nothing was kept.
    }
}
