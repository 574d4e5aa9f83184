/** Decides where a link that a model wrote may lead: to web pages, mail and telephone numbers, and only openly. */

const SCHEME = /^(?:https?:\/\/|mailto:|tel:)/i;
const PROTOCOLS = new Set(["http:", "https:", "mailto:", "tel:"]);

/** Control characters, spaces, backslashes, and what cannot be seen: all of them hide where a link leads. */
const DECEITFUL = /[\p{C}\p{Z}\\<>]/u;

/** A title may follow the address: `(https://example.com "Example")`. */
const WITH_TITLE = /^<?(\S+?)>?(?:\s+["'(].*)?$/su;

/**
 * @param {string} written as it stands in the Markdown
 * @returns {URL | null} null for what is not a link: other schemes, relative ones, addresses with a password
 */
export function safeLink(written) {
  const address = WITH_TITLE.exec(written.trim())?.[1] ?? "";
  if (!SCHEME.test(address) || DECEITFUL.test(address)) return null;
  const url = parsed(address);
  // `https://bank.example@elsewhere.example` leads elsewhere.
  if (url === null || !PROTOCOLS.has(url.protocol) || url.username || url.password) return null;
  return url;
}

/** @param {string} address @returns {URL | null} */
function parsed(address) {
  try {
    return new URL(address);
  } catch {
    return null;
  }
}
