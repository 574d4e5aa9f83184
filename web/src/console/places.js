/** The places of the console: all that the navigation has, also those that are not built yet. */

/** @typedef {import("./parts/icons.js").IconName} IconName */
/** @typedef {keyof import("./strings/index.js").Strings["places"]} PlaceName */

/**
 * @typedef {object} Place
 * @property {PlaceName} name part of the address
 * @property {IconName} icon
 * @property {string} key goes there, after `g`
 * @property {string} permission an account without it does not see the place
 * @property {boolean} [startsGroup] has a line above it
 * @property {boolean} [hasItems] its address may name one of its items
 */

/** @type {readonly Place[]} */
export const PLACES = [
  { name: "inbox", icon: "inbox", key: "i", permission: "inbox.read" },
  { name: "approvals", icon: "approvals", key: "v", permission: "approvals.decide" },
  { name: "conversations", icon: "conversations", key: "c", permission: "conversations.read", hasItems: true },
  { name: "replies", icon: "copy", key: "y", permission: "replies.edit" },
  { name: "today", icon: "today", key: "t", permission: "reports.read", startsGroup: true },
  { name: "reports", icon: "reports", key: "r", permission: "reports.read" },
  { name: "prompts", icon: "prompts", key: "p", permission: "prompts.read", startsGroup: true },
  { name: "policies", icon: "policies", key: "o", permission: "policies.read" },
  { name: "knowledge", icon: "knowledge", key: "k", permission: "knowledge.read" },
  { name: "tools", icon: "tools", key: "w", permission: "tools.read" },
  { name: "health", icon: "health", key: "h", permission: "health.read", startsGroup: true },
  { name: "people", icon: "people", key: "e", permission: "people.manage" },
  { name: "audit", icon: "audit", key: "a", permission: "audit.read" },
  { name: "stop", icon: "stop", key: "s", permission: "assistant.pause", startsGroup: true },
];

/** @param {import("./contract.js").Session} session @returns {readonly Place[]} those that the account may see */
export function placesOf({ may }) {
  return PLACES.filter(({ permission }) => may.includes(permission));
}
