/** Times in the account's language and the browser's time zone. */

/** @type {Map<string, Intl.DateTimeFormat>} creating one is slow */
const formats = new Map();

/** @param {number} at Unix milliseconds @param {string} locale @returns {string} such as "Nov 27, 2026, 11:05:42" */
export function moment(at, locale) {
  return dateFormat("moment", locale, { dateStyle: "medium", timeStyle: "medium" }).format(at);
}

/** @param {number} at Unix milliseconds @param {string} locale @returns {string} such as "November 27, 2026 at 11:05" */
export function dayAndTime(at, locale) {
  return dateFormat("day and time", locale, { dateStyle: "long", timeStyle: "short" }).format(at);
}

/** @param {number} at Unix milliseconds @param {string} locale @returns {string} such as "11:05" */
export function timeOfDay(at, locale) {
  return dateFormat("time", locale, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" }).format(at);
}

/** @param {number} ms @returns {string} such as "0:42", "12:05" or "1:02:05" */
export function duration(ms) {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)];
  const rest = String(seconds % 60).padStart(2, "0");
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, "0")}:${rest}` : `${minutes}:${rest}`;
}

/** @param {number} ms @param {string} locale @returns {string} such as "310ms" or "1.42s" */
export function shortTime(ms, locale) {
  const [value, unit, digits] = ms < 1000 ? [ms, "millisecond", 0] : [ms / 1000, "second", ms < 10_000 ? 2 : 1];
  const options = { style: "unit", unit, unitDisplay: "narrow", maximumFractionDigits: digits };
  return new Intl.NumberFormat(locale, /** @type {Intl.NumberFormatOptions} */ (options)).format(value);
}

/** @param {number} usd @param {string} locale @returns {string} such as "$0.0042" */
export function money(usd, locale) {
  const digits = usd > 0 && usd < 0.1 ? 4 : 2;
  const options = { style: "currency", currency: "USD", currencyDisplay: "narrowSymbol", maximumFractionDigits: digits };
  return new Intl.NumberFormat(locale, /** @type {Intl.NumberFormatOptions} */ (options)).format(usd);
}

/** @param {number} value @param {string} locale @returns {string} such as "12,040" */
export function count(value, locale) {
  return new Intl.NumberFormat(locale).format(value);
}

/** @param {number} share from 0 to 1 @param {string} locale @returns {string} such as "78%" */
export function percent(share, locale) {
  return new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits: 0 }).format(share);
}

/** @type {readonly (readonly [Intl.RelativeTimeFormatUnit, number])[]} each with its milliseconds */
const UNITS = [
  ["year", 365 * 86_400_000],
  ["month", 30 * 86_400_000],
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
];

/** @param {number} at Unix milliseconds @param {string} locale @param {number} [now] @returns {string} such as "3 days ago" */
export function ago(at, locale, now = Date.now()) {
  const passed = Math.max(0, now - at);
  const [unit, ms] = UNITS.find(([, length]) => passed >= length) ?? ["second", Number.POSITIVE_INFINITY];
  return new Intl.RelativeTimeFormat(locale, { numeric: "auto" }).format(-Math.floor(passed / ms), unit);
}

/** @param {string} name @param {string} locale @param {Intl.DateTimeFormatOptions} options */
function dateFormat(name, locale, options) {
  const made = formats.get(`${name} ${locale}`) ?? new Intl.DateTimeFormat(locale, options);
  formats.set(`${name} ${locale}`, made);
  return made;
}
