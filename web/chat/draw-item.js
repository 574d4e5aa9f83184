/** Draws one item of the conversation, into the node it already has if there is one. */

import { drawTools } from "./draw-tools.js";
import { make } from "./make.js";
import { words } from "./words.js";

/** @typedef {import("./state.js").Item} Item */
/** @typedef {{retry: (id: string) => void, speaker: string}} Context */

/**
 * @param {Item} item
 * @param {HTMLElement | undefined} old drawn for the same item before
 * @param {Context} context
 * @returns {HTMLElement} `old` where there is one, so that focus, selection and animations live on
 */
export function drawItem(item, old, context) {
  switch (item.kind) {
    case "customer":
      return drawCustomer(item, old ?? message("customer", words.you), context);
    case "assistant":
      return drawAssistant(item, old ?? message("assistant", `${context.speaker}:`));
    case "tools":
      return drawTools(item, old);
    case "notice":
      return old ?? make("p", { class: `notice ${item.tone}` }, item.text);
    default:
      throw new TypeError(`unknown item ${JSON.stringify(item)}`);
  }
}

/** @param {"customer" | "assistant"} from @param {string} speaker @returns {HTMLElement} */
function message(from, speaker) {
  const says = make("p", { class: "says" });
  const tail = make("div", { class: "tail" });
  return make(
    "article",
    { class: `message ${from}` },
    make("span", { class: "aside" }, `${speaker} `),
    says,
    tail,
  );
}

/** @param {HTMLElement} node made by `message` */
function parts(node) {
  const [, says, tail] = node.children;
  return { says, tail };
}

/** @param {import("./state.js").CustomerItem} item @param {HTMLElement} node @param {Context} context */
function drawCustomer(item, node, { retry }) {
  node.dataset.delivery = item.delivery;
  const { says, tail } = parts(node);
  says.textContent = item.text;
  if (item.delivery === "logged") tail.replaceChildren();
  if (item.delivery === "waiting") tail.replaceChildren(make("span", { class: "clock" }, words.waiting));
  if (item.delivery === "refused") {
    const why = make("span", { class: "wrong" }, `${words.notSent} ${item.reason ?? ""}`);
    tail.replaceChildren(why, ...(item.mayRetry ? [againButton(() => retry(item.id))] : []));
  }
  return node;
}

/** @param {() => void} retry @returns {HTMLElement} */
function againButton(retry) {
  const button = make("button", { class: "again", type: "button" }, words.tryAgain);
  button.addEventListener("click", retry);
  return button;
}

/** @param {import("./state.js").AssistantItem} item @param {HTMLElement} node */
function drawAssistant(item, node) {
  node.dataset.says = item.says ?? "open";
  node.hidden = item.text.trim() === "" && !item.interrupted;
  const { says, tail } = parts(node);
  says.textContent = item.text;
  tail.replaceChildren(...(item.interrupted ? [words.interrupted] : []));
  return node;
}
