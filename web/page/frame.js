/**
 * The chat in an iframe: it exchanges messages with the host page.
 *
 * The address contains nothing about a customer, because addresses are kept in logs and histories; it says only that
 * the host page will identify them. Messages are accepted from the host page only, and only if its origin is listed.
 * `docs/guides/embedding.md` lists the messages.
 */

/** @typedef {Record<string, (...given: any[]) => void>} Chat */

/** How long, in ms, the page may take to identify the customer. After that they are an anonymous visitor until it does. */
const IDENTIFY_WITHIN_MS = 5000;

const chat = /** @type {Chat} */ (Reflect.get(globalThis, "Meanwhile"));
const listed = document.querySelector('meta[name="meanwhile-origins"]')?.getAttribute("content") ?? "";
const origins = new Set([location.origin, ...listed.split(" ").filter(Boolean)]);
const framed = parent !== window;
const announced = framed && location.hash === "#introduced";

/** @type {Record<string, (message: any) => void>} */
const orders = {
  "meanwhile.setUser": ({ user }) => {
    chat.setUser(user === null ? null : String(user));
    begin();
  },
  "meanwhile.setLocale": ({ locale }) => chat.setLocale(String(locale)),
  "meanwhile.setTheme": ({ theme }) => chat.setTheme(String(theme)),
};

/** @type {string | null} the origin of the host page, once it has sent a message */
let page = null;

addEventListener("message", ({ source, origin, data }) => {
  if (source !== parent || !origins.has(origin)) return;
  page = origin;
  if (Object.hasOwn(orders, data?.type)) orders[data.type](data);
});

for (const event of ["customer", "unread", "error"])
  chat.on(event, (/** @type {unknown} */ detail) => page && parent.postMessage({ type: `meanwhile.${event}`, detail }, page));

// Closing would leave an empty frame.
chat.on("close", () => chat.open());

if (announced) setTimeout(begin, IDENTIFY_WITHIN_MS);
else begin();

// The host page's origin is not known yet, so this message contains no data.
if (framed) parent.postMessage({ type: "meanwhile.ready" }, "*");

/** Adds the chat, which connects at once. A customer who is identified by now is never treated as anonymous. */
function begin() {
  if (!document.querySelector("meanwhile-chat")) document.body.append(element());
}

function element() {
  const element = document.createElement("meanwhile-chat");
  element.toggleAttribute("open", true);
  return element;
}
