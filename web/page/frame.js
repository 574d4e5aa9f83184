/**
 * The chat in an iframe: hears from the page around it by messages, and tells it what happens.
 *
 * Nothing comes by the address, which is kept in logs and histories. Only the page around is listened to, and only
 * if its origin is listed; `docs/embedding.md` names the messages.
 */

/** @typedef {Record<string, (...given: any[]) => void>} Remote */

const chat = /** @type {Remote} */ (Reflect.get(globalThis, "Meanwhile"));
const listed = document.querySelector('meta[name="meanwhile-origins"]')?.getAttribute("content") ?? "";
const origins = new Set([location.origin, ...listed.split(" ").filter(Boolean)]);

/** @type {Record<string, (message: any) => void>} */
const orders = {
  "meanwhile.setUser": ({ user }) => chat.setUser(user === null ? null : String(user)),
  "meanwhile.setLocale": ({ locale }) => chat.setLocale(String(locale)),
  "meanwhile.setTheme": ({ theme }) => chat.setTheme(String(theme)),
};

/** @type {string | null} the origin of the page around, once it has said something */
let page = null;

addEventListener("message", ({ source, origin, data }) => {
  if (source !== parent || !origins.has(origin)) return;
  page = origin;
  if (Object.hasOwn(orders, data?.type)) orders[data.type](data);
});

for (const event of ["customer", "unread", "error"])
  chat.on(event, (/** @type {unknown} */ detail) => page && parent.postMessage({ type: `meanwhile.${event}`, detail }, page));

// Closing would leave an empty page.
chat.on("close", () => chat.open());

// The page around is not known yet, so this carries nothing.
if (parent !== window) parent.postMessage({ type: "meanwhile.ready" }, "*");
