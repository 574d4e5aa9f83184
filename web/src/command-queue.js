/**
 * `window.Meanwhile`: the calls that a page can make, even before the chat is loaded.
 *
 * Calls wait until there is an element. Calls that set something (customer, locale, theme, listeners) are repeated on
 * each later element, for pages that rebuild their content when the address changes.
 */

/** @typedef {[name: string, ...args: any[]]} Call */
/** @typedef {Record<string, (...args: any[]) => void>} Chat */

const ONCE = ["open", "close", "send", "destroy"];
const REPEATED = ["setUser", "setLocale", "setTheme", "on", "off"];

/**
 * @param {unknown} before the previous value of `window.Meanwhile`: undefined, or an array of calls
 * @returns {object} the new value
 */
export function createCommandQueue(before) {
  const names = [...ONCE, ...REPEATED];
  /** @type {Call[]} */
  let waiting = [];
  /** @type {Call[]} */
  const repeated = [];
  /** @type {WeakSet<object>} */
  const repeatedOn = new WeakSet();
  /** @type {Chat | null} */
  let chat = null;

  /** @param {Call} call */
  function make(call) {
    const [name, ...args] = call;
    const repeats = REPEATED.includes(name);
    if (!names.includes(name)) throw new TypeError(`Meanwhile has no ${name}; it has ${names.join(", ")}`);
    if (repeats) repeated.push(call);
    if (chat) chat[name](...args);
    else if (!repeats) waiting.push(call);
  }

  /** @param {Chat} element that is active from now on */
  function attach(element) {
    chat = element;
    if (!repeatedOn.has(element)) for (const [name, ...args] of repeated) element[name](...args);
    repeatedOn.add(element);
    const calls = waiting;
    waiting = [];
    calls.forEach(make);
  }

  /** @param {Chat} element is inactive from now on; calls wait for the next one */
  function detach(element) {
    if (chat === element) chat = null;
  }

  const methods = names.map((name) => [name, (/** @type {any[]} */ ...args) => make([name, ...args])]);
  if (Array.isArray(before)) before.forEach(make);
  return {
    ...Object.fromEntries(methods),
    push: (/** @type {Call[]} */ ...calls) => calls.forEach(make),
    attach,
    detach,
  };
}
