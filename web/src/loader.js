/** The file that a page includes: it queues calls for the chat, and loads the chat. */

import { createCommandQueue } from "./command-queue.js";

const thisScript = [...document.scripts].find(({ src }) => src === import.meta.url);

// A page may include this script twice.
if (!globalThis.Meanwhile?.attach) {
  globalThis.Meanwhile = createCommandQueue(globalThis.Meanwhile);
  document.head.append(chatScript());
}

if (thisScript?.hasAttribute("data-create") && !document.querySelector("meanwhile-chat")) {
  const element = document.createElement("meanwhile-chat");
  for (const [name, value] of Object.entries(thisScript.dataset))
    if (name !== "create") element.setAttribute(name, value ?? "");
  document.body.append(element);
}

function chatScript() {
  const script = document.createElement("script");
  // Not `import()`: it takes no integrity.
  script.type = "module";
  script.integrity = CHAT_INTEGRITY;
  script.crossOrigin = "anonymous";
  // The page's own resources come first.
  script.fetchPriority = "low";
  // The query prevents that a cache serves an older release.
  const url = new URL(`chat.js?${CHAT_INTEGRITY.slice(-8)}`, import.meta.url).href;
  script.src = trustedScriptUrl(url);
  return script;
}

/** @param {string} url @returns {any} the same URL, for pages that enforce Trusted Types */
function trustedScriptUrl(url) {
  const types = /** @type {any} */ (globalThis).trustedTypes;
  return types?.createPolicy("meanwhile", { createScriptURL: () => url }).createScriptURL("") ?? url;
}
