/** Puts the size of a file in the customer's language. */

const UNITS = ["byte", "kilobyte", "megabyte"];

/** @param {number} bytes @param {string} locale @returns {string} such as "1.2 MB" */
export function size(bytes, locale) {
  const step = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  // The short form of English is "66 byte".
  const unitDisplay = step === 0 ? "long" : "short";
  const options = { style: "unit", unit: UNITS[step], unitDisplay, maximumSignificantDigits: 2 };
  const shown = bytes / 1000 ** step;
  try {
    return format(locale, options).format(shown);
  } catch {
    // A page may say anything about its language.
    return format("en", options).format(shown);
  }
}

/** @param {string} locale @param {object} options */
function format(locale, options) {
  return new Intl.NumberFormat(locale, options);
}
