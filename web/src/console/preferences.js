/** What this browser remembers about the person: theme, density, language, shortcuts and notifications. */

const PREFIX = "meanwhile_console_";

/** @type {Readonly<Record<string, readonly string[]>>} the values of each, the first where nothing is remembered */
const VALUES = {
  theme: ["system", "light", "dark"],
  density: ["compact", "comfortable"],
  shortcuts: ["on", "off"],
  notifications: ["off", "on"],
  sound: ["off", "on"],
};

/** @typedef {"theme" | "density" | "shortcuts" | "notifications" | "sound"} Preference */

/** @param {Preference} name @returns {string} */
export function preference(name) {
  const kept = read(name);
  return kept !== null && VALUES[name].includes(kept) ? kept : VALUES[name][0];
}

/** @returns {string} the language that was chosen here, or else the browser's */
export function preferredLocale() {
  return read("locale") ?? navigator.language;
}

/** @param {Preference | "locale"} name @param {string} value */
export function prefer(name, value) {
  try {
    localStorage.setItem(PREFIX + name, value);
  } catch {
    // The browser keeps nothing for this page; it lasts until the page is closed.
  }
  applyPreferences();
}

/** Lets the style sheets know. */
export function applyPreferences() {
  const { dataset } = document.documentElement;
  dataset.theme = preference("theme");
  dataset.density = preference("density");
}

/** @param {string} name */
function read(name) {
  try {
    return localStorage.getItem(PREFIX + name);
  } catch {
    return null;
  }
}
