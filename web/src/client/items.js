/**
 * The items of a conversation: what kinds there are, how one is made, and in which order they are shown.
 *
 * A further kind needs its type and an entry in `ITEM_KINDS` here, and an entry in `ITEM_VIEWS` in `view/messages.js`.
 * The type checker reports an entry that is missing.
 */

/** @typedef {import("./frames.js").Attachment} Attachment */
/** @typedef {import("./frames.js").SentFile} SentFile */

/** @typedef {"acknowledgement" | "status" | "response"} MessageKind */
/** @typedef {import("./frames.js").ToolFinished["outcome"]} Outcome */
/** @typedef {{done: number, total: number | null, unit: string | null}} Progress */
/** @typedef {"up" | "down"} Rating */
/** @typedef {"waiting" | "logged" | "refused"} Delivery */
/**
 * @typedef {object} Refusal
 * @property {string} code of a `rejected` frame
 * @property {string} message in English, for codes that have no translation
 * @property {boolean} mayRetry whether sending again can help
 */

/**
 * @typedef {object} CustomerItem
 * @property {"customer"} kind
 * @property {string} id
 * @property {string} text may be empty if there are `files`
 * @property {readonly SentFile[]} files
 * @property {number | null} at in Unix milliseconds, null until the server has the message
 * @property {Delivery} delivery
 * @property {Refusal | null} refusal
 * @property {boolean} [spoken] whether the customer spoke it
 */
/**
 * @typedef {object} AssistantItem
 * @property {"assistant"} kind
 * @property {string} id
 * @property {string} text
 * @property {number | null} at in Unix milliseconds
 * @property {MessageKind | null} messageKind null while the message is streamed
 * @property {boolean} interrupted
 * @property {Rating | null} rating
 * @property {readonly Attachment[]} attachments
 * @property {number | null} heard how many of its characters were spoken, null if it is not spoken
 */
/** @typedef {{kind: "person", id: string, name: string, text: string, at: number}} PersonItem a message of a human agent */
/**
 * @typedef {object} CallItem
 * @property {string} callId
 * @property {string} hint
 * @property {Outcome | null} outcome null while the call runs
 * @property {boolean} [delayed] whether the customer was told that it takes longer
 * @property {Progress} [progress] what a tool that takes minutes to days has reported last
 */
/** @typedef {{kind: "tools", id: string, calls: readonly CallItem[]}} ToolsItem */
/** @typedef {{kind: "went_wrong", id: string, code: string}} WrongItem an `error` frame that concerns the customer */
/** @typedef {{kind: "omitted", id: string, count: number}} OmittedItem how many earlier messages are not shown */
/** @typedef {CustomerItem | AssistantItem | PersonItem | ToolsItem | WrongItem | OmittedItem} Item */
/**
 * @template {Item["kind"]} K
 * @typedef {Extract<Item, {kind: K}>} ItemOf
 */

const never = () => false;

/**
 * For each kind: the fields that a new item starts with, and whether it counts as a message that can be unread.
 *
 * @type {Readonly<{[K in Item["kind"]]: {initial: Partial<ItemOf<K>>, countsAsMessage: (item: ItemOf<K>) => boolean}}>}
 */
const ITEM_KINDS = {
  customer: {
    initial: { text: "", files: [], at: null, delivery: "logged", refusal: null },
    countsAsMessage: never,
  },
  assistant: {
    initial: {
      text: "",
      at: null,
      messageKind: null,
      interrupted: false,
      rating: null,
      attachments: [],
      heard: null,
    },
    countsAsMessage: (item) => item.messageKind !== null,
  },
  person: { initial: {}, countsAsMessage: () => true },
  tools: { initial: {}, countsAsMessage: never },
  went_wrong: { initial: {}, countsAsMessage: never },
  omitted: { initial: {}, countsAsMessage: never },
};

/**
 * The only place where an item is made.
 *
 * @template {Item["kind"]} K
 * @param {K} kind
 * @param {Partial<ItemOf<K>> & {id: string}} fields
 * @returns {ItemOf<K>}
 */
export function newItem(kind, fields) {
  return /** @type {any} */ ({ kind, ...ITEM_KINDS[kind].initial, ...fields });
}

/**
 * Adds an item, or replaces the one with the same kind and id. Items that the server has keep its order; items that
 * wait to be sent are at the end.
 *
 * @param {readonly Item[]} items
 * @param {Item} item
 * @returns {readonly Item[]}
 */
export function upsertItem(items, item) {
  const at = items.findIndex((old) => old.kind === item.kind && old.id === item.id);
  if (at >= 0 && isWaiting(items[at]) === isWaiting(item)) return items.with(at, item);
  const others = at < 0 ? items : items.toSpliced(at, 1);
  if (isWaiting(item)) return [...others, item];
  return others.toSpliced(others.findLastIndex((other) => !isWaiting(other)) + 1, 0, item);
}

/** @param {Item} item @returns {boolean} whether it is a message that the server does not have yet */
export function isWaiting(item) {
  return item.kind === "customer" && item.delivery === "waiting";
}

/**
 * @param {Item} item
 * @returns {boolean} whether it is a message of the customer's that waits to be sent, or was refused
 */
export function isUnsent(item) {
  return item.kind === "customer" && item.delivery !== "logged";
}

/**
 * @template {Item["kind"]} K
 * @param {readonly Item[]} items
 * @param {K} kind
 * @param {string} id
 * @returns {ItemOf<K> | undefined}
 */
export function findItem(items, kind, id) {
  return /** @type {ItemOf<K> | undefined} */ (items.find((item) => item.kind === kind && item.id === id));
}

/** @param {readonly Item[]} items @returns {string | undefined} the id of the newest message from the company */
export function newestMessageId(items) {
  return items.findLast(countsAsMessage)?.id;
}

/**
 * @param {readonly Item[]} items
 * @param {string | undefined} seen the id of the newest message that was seen; all are unread if it is missing
 * @returns {number} how many messages from the company are unread
 */
export function countUnread(items, seen) {
  const messages = items.filter(countsAsMessage);
  return messages.length - 1 - messages.findLastIndex((item) => item.id === seen);
}

/** @param {Item} item */
function countsAsMessage(item) {
  return ITEM_KINDS[item.kind].countsAsMessage(/** @type {never} */ (item));
}
