/**
 * `window.Meanwhile`: what a page may ask of the chat, also before the chat is there.
 *
 * Calls wait until there is an element to make them on. Those that last (who the customer is, the language, who
 * listens) are made again on each element that comes later, as pages do that are drawn anew for each address.
 */

/** @typedef {[name: string, ...given: any[]]} Call */
/** @typedef {Record<string, (...given: any[]) => void>} Chat */

const PASSING = ["open", "close", "send", "destroy"];
const LASTING = ["setUser", "setLocale", "setTheme", "on", "off"];

/**
 * @param {unknown} before what stood in `window.Meanwhile`: perhaps calls that the page has put there
 * @returns {object} what stands there from now on
 */
export function makeRemote(before) {
  const names = [...PASSING, ...LASTING];
  /** @type {Call[]} */
  let waiting = [];
  /** @type {Call[]} */
  const lasting = [];
  /** @type {WeakSet<object>} */
  const told = new WeakSet();
  /** @type {Chat | null} */
  let chat = null;

  /** @param {Call} call */
  function make(call) {
    const [name, ...given] = call;
    const lasts = LASTING.includes(name);
    if (!names.includes(name)) throw new TypeError(`Meanwhile has no ${name}; it has ${names.join(", ")}`);
    if (lasts) lasting.push(call);
    if (chat) chat[name](...given);
    else if (!lasts) waiting.push(call);
  }

  /** @param {Chat} element that is awake from now on */
  function attach(element) {
    chat = element;
    if (!told.has(element)) for (const [name, ...given] of lasting) element[name](...given);
    told.add(element);
    const calls = waiting;
    waiting = [];
    calls.forEach(make);
  }

  /** @param {Chat} element is asleep from now on; calls wait for the next one */
  function detach(element) {
    if (chat === element) chat = null;
  }

  const methods = names.map((name) => [name, (/** @type {any[]} */ ...given) => make([name, ...given])]);
  if (Array.isArray(before)) before.forEach(make);
  return {
    ...Object.fromEntries(methods),
    push: (/** @type {Call[]} */ ...calls) => calls.forEach(make),
    attach,
    detach,
  };
}
