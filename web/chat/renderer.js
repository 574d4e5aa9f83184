/** Brings what is on the page in line with the state, touching only what has changed. */

import { drawIntro } from "./draw-intro.js";
import { drawItem } from "./draw-item.js";
import { drawQuestion } from "./draw-question.js";
import { make } from "./make.js";
import { words } from "./words.js";

/** @typedef {import("./state.js").State} State */
/** @typedef {import("./state.js").Item} Item */

/**
 * @typedef {object} Actions
 * @property {(text: string) => void} say
 * @property {(id: string) => void} retry
 * @property {(answer: "yes" | "no") => void} answer
 */

/** Nearer to the end than this, a reader is taken to follow the conversation. */
const NEAR_END_PX = 64;
const SPOKEN_KEPT = 8;

export class Renderer {
  #parts;
  #actions;
  /** @type {Map<string, {item: Item, node: HTMLElement}>} */
  #drawn = new Map();
  #heard = 0;
  #follow = true;

  /**
   * @param {import("./skeleton.js").Parts} parts
   * @param {Actions} actions
   */
  constructor(parts, actions) {
    this.#parts = parts;
    this.#actions = actions;
    parts.scroller.addEventListener("scroll", () => this.#offerLatest(), { passive: true });
    parts.latest.addEventListener("click", () => this.scrollToEnd());
  }

  /** @param {State} state */
  render(state) {
    const parts = this.#parts;
    const follows = this.#follow || this.#atEnd();
    const focused = /** @type {ShadowRoot} */ (parts.panel.getRootNode()).activeElement;
    drawIntro(parts, state, this.#actions.say);
    this.#drawList(state);
    drawQuestion(parts.question, state, this.#actions.answer);
    parts.thinking.hidden = !isThinking(state);
    parts.stop.hidden = state.turn === null;
    parts.link.hidden = state.link !== "lost" && state.link !== "connecting";
    parts.link.textContent = state.link === "lost" ? words.reconnecting : words.connecting;
    this.#speak(state);
    this.#rescueFocus(focused);
    if (follows) this.scrollToEnd();
    else this.#offerLatest();
  }

  /** The customer has said something: whatever they were reading, they want to see what comes of it. */
  followFromHere() {
    this.#follow = true;
  }

  scrollToEnd() {
    const { scroller } = this.#parts;
    this.#follow = false;
    scroller.scrollTop = scroller.scrollHeight;
    this.#offerLatest();
  }

  /** @param {State} state */
  #drawList({ items, assistant }) {
    const context = { retry: this.#actions.retry, speaker: assistant?.name ?? words.assistant };
    const drawn = new Map();
    let before = null;
    for (const item of items) {
      const key = `${item.kind} ${item.id}`;
      const old = this.#drawn.get(key);
      const node = old !== undefined && old.item === item ? old.node : drawItem(item, old?.node, context);
      this.#place(node, before);
      drawn.set(key, { item, node });
      before = node;
    }
    for (const [key, { node }] of this.#drawn) if (!drawn.has(key)) node.remove();
    this.#drawn = drawn;
  }

  /** @param {HTMLElement} node @param {HTMLElement | null} before the one it stands after */
  #place(node, before) {
    const { list } = this.#parts;
    const next = before === null ? list.firstChild : before.nextSibling;
    if (next !== node) list.insertBefore(node, next);
  }

  /** @param {State} state */
  #speak({ news }) {
    const { spoken } = this.#parts;
    for (const { n, text } of news) {
      if (n > this.#heard) spoken.append(make("p", {}, text));
    }
    this.#heard = news.at(-1)?.n ?? this.#heard;
    while (spoken.children.length > SPOKEN_KEPT) spoken.firstChild?.remove();
  }

  /**
   * A button that is gone once it was pressed must not leave a keyboard user nowhere.
   *
   * @param {Element | null} focused before it may have gone
   */
  #rescueFocus(focused) {
    const { panel, text } = this.#parts;
    if (focused !== null && (!panel.contains(focused) || focused.closest("[hidden]")) && panel.open)
      text.focus();
  }

  #atEnd() {
    const { scrollHeight, scrollTop, clientHeight } = this.#parts.scroller;
    return scrollHeight - scrollTop - clientHeight < NEAR_END_PX;
  }

  #offerLatest() {
    this.#parts.latest.hidden = this.#atEnd();
  }
}

/** @param {State} state @returns {boolean} whether a turn is under way that shows nothing moving by itself */
function isThinking({ turn, items }) {
  if (turn === null) return false;
  const last = items.at(-1);
  if (last?.kind === "assistant") return last.says !== null || last.text === "";
  return last?.kind !== "tools" || last.calls.every((call) => call.outcome !== null);
}
