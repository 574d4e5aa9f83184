/** The one file that a page includes: takes calls for the chat from now on, and fetches the chat. */

import { makeRemote } from "./command-queue.js";

const own = [...document.scripts].find(({ src }) => src === import.meta.url);

// A page may have included this twice, from two places.
if (!globalThis.Meanwhile?.attach) {
  globalThis.Meanwhile = makeRemote(globalThis.Meanwhile);
  document.head.append(chat());
}

if (own?.hasAttribute("data-create") && !document.querySelector("meanwhile-chat")) {
  const element = document.createElement("meanwhile-chat");
  for (const [name, value] of Object.entries(own.dataset))
    if (name !== "create") element.setAttribute(name, value ?? "");
  document.body.append(element);
}

function chat() {
  const script = document.createElement("script");
  // Not `import()`: that has no place for the integrity.
  script.type = "module";
  script.integrity = CHAT_INTEGRITY;
  script.crossOrigin = "anonymous";
  // The page's own pictures come first.
  script.fetchPriority = "low";
  // The query keeps an older release in some cache from being taken for this one.
  const url = new URL(`chat.js?${CHAT_INTEGRITY.slice(-8)}`, import.meta.url).href;
  script.src = trusted(url);
  return script;
}

/** @param {string} url @returns {any} the same, for pages that take script addresses from known policies only */
function trusted(url) {
  const types = /** @type {any} */ (globalThis).trustedTypes;
  return types?.createPolicy("meanwhile", { createScriptURL: () => url }).createScriptURL("") ?? url;
}
