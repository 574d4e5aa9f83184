/** Formats times, days and sizes of files in the customer's language and time zone. */

/** @type {Map<string, Intl.DateTimeFormat>} creating one is slow */
const formats = new Map();

/** @param {number} at Unix milliseconds @param {string} locale @returns {string} such as "2:05 pm" */
export function timeOfDay(at, locale) {
  return format("time", locale, { hour: "numeric", minute: "2-digit" }).format(at);
}

/** @param {number} at Unix milliseconds @param {string} locale @returns {string} such as "Tuesday, November 24" */
export function day(at, locale) {
  return format("day", locale, { weekday: "long", month: "long", day: "numeric" }).format(at);
}

/** @param {number} at Unix milliseconds @param {string} locale @returns {string} day and time, in full */
export function moment(at, locale) {
  return format("moment", locale, { dateStyle: "full", timeStyle: "short" }).format(at);
}

/**
 * @param {string} name
 * @param {string} locale
 * @param {Intl.DateTimeFormatOptions} options
 */
function format(name, locale, options) {
  const key = `${name} ${locale}`;
  const formatter = formats.get(key) ?? createFormat(locale, options);
  formats.set(key, formatter);
  return formatter;
}

/** @param {string} locale @param {Intl.DateTimeFormatOptions} options */
function createFormat(locale, options) {
  try {
    return new Intl.DateTimeFormat(locale, options);
  } catch {
    // The page may give an invalid language tag.
    return new Intl.DateTimeFormat("en", options);
  }
}

const UNITS = ["byte", "kilobyte", "megabyte"];

/** @param {number} bytes @param {string} locale @returns {string} such as "1.2 MB" */
export function size(bytes, locale) {
  const step = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  // The short English form would be "66 byte".
  const unitDisplay = step === 0 ? "long" : "short";
  const options = { style: "unit", unit: UNITS[step], unitDisplay, maximumSignificantDigits: 2 };
  const shown = bytes / 1000 ** step;
  try {
    return unitFormat(locale, options).format(shown);
  } catch {
    // The page may give an invalid language tag.
    return unitFormat("en", options).format(shown);
  }
}

/** @param {string} locale @param {object} options */
function unitFormat(locale, options) {
  return new Intl.NumberFormat(locale, options);
}
