/** The `<meanwhile-chat>` element: a launcher, a panel, and a conversation that survives both. */

import { Composer } from "./composer.js";
import { Conversation } from "./conversation.js";
import { Renderer } from "./renderer.js";
import { sheets } from "./sheets.js";
import { skeleton } from "./skeleton.js";
import { emptyState } from "./state.js";
import { words } from "./words.js";

/** Here the panel fills the screen, and what is behind it cannot be reached. */
const PHONE = "(max-width: 480px), (max-height: 440px)";

/** What is typed or pasted in the panel is not the host page's business: it may have shortcuts of its own. */
const PRIVATE = ["keydown", "keypress", "keyup", "paste", "copy", "cut"];

/**
 * Attributes: `server`, the assistant's address (default: where the page comes from; read when the chat is
 * first opened); `open`, whether the panel is, to be set and read at any time.
 *
 * A page lends it colours and a face through `--meanwhile-accent`, `--meanwhile-on-accent`, the same two with
 * `-dark` at the end, and `--meanwhile-font`.
 */
export class MeanwhileChat extends HTMLElement {
  static observedAttributes = ["open"];

  #parts = skeleton();
  #phone = matchMedia(PHONE);
  /** @type {Conversation | null} none before the panel is first opened */
  #conversation = null;
  #drawing = 0;
  #seen = 0;
  #renderer = new Renderer(this.#parts, {
    say: (text) => this.#say(text),
    retry: (id) => this.#conversation?.retry(id),
    answer: (answer) => this.#answer(answer),
  });

  constructor() {
    super();
    const root = this.attachShadow({ mode: "open" });
    root.adoptedStyleSheets = sheets();
    root.append(this.#parts.launcher, this.#parts.panel);
    new Composer(
      this.#parts,
      () => this.#state.maxText,
      (text) => this.#say(text),
    );
    this.#listen();
  }

  connectedCallback() {
    this.#phone.addEventListener("change", this.#reopen);
    // Moved within the page, the element goes on where it was.
    this.#conversation?.start();
    this.#parts.panel.close();
    this.#showOrHide();
  }

  disconnectedCallback() {
    this.#phone.removeEventListener("change", this.#reopen);
    this.#conversation?.stop();
  }

  attributeChangedCallback() {
    if (this.isConnected) this.#showOrHide();
  }

  get open() {
    return this.hasAttribute("open");
  }

  set open(value) {
    this.toggleAttribute("open", value);
  }

  get #state() {
    return this.#conversation?.state ?? emptyState;
  }

  #listen() {
    const { launcher, panel, close, stop } = this.#parts;
    launcher.addEventListener("click", () => (this.open = !this.open));
    close.addEventListener("click", () => (this.open = false));
    stop.addEventListener("click", () => this.#conversation?.cancel());
    panel.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && !event.isComposing) this.open = false;
    });
    // The browser closes a modal dialog by its own gestures too; a reopened one is open again by now.
    panel.addEventListener("close", () => {
      if (!panel.open) this.open = false;
    });
    for (const type of PRIVATE) panel.addEventListener(type, (event) => event.stopPropagation());
  }

  #showOrHide() {
    const { panel, launcher } = this.#parts;
    launcher.setAttribute("aria-expanded", String(this.open));
    if (this.open === panel.open) return;
    if (this.open) this.#show();
    else this.#hide();
  }

  #show() {
    const { panel, text } = this.#parts;
    this.#conversation ??= this.#newConversation();
    this.#conversation.start();
    if (this.#phone.matches) panel.showModal();
    else panel.show();
    text.focus();
    this.#renderer.scrollToEnd();
    this.#countUnread();
  }

  #hide() {
    const { panel, launcher } = this.#parts;
    const hadFocus = this.#hasFocus(panel);
    // The dialog itself gives focus back to where it was when it was opened, if there was such a place.
    panel.close();
    if (hadFocus && (this.#hasFocus(panel) || document.activeElement === document.body)) launcher.focus();
  }

  /** @param {HTMLElement} part */
  #hasFocus(part) {
    return part.contains(this.shadowRoot?.activeElement ?? null);
  }

  #reopen = () => {
    if (!this.#parts.panel.open) return;
    this.#parts.panel.close();
    this.#showOrHide();
  };

  #newConversation() {
    const place = {
      server: new URL(this.getAttribute("server") ?? "/", location.href),
      tenant: this.getAttribute("tenant") ?? "default",
      customer: this.getAttribute("customer") ?? "default",
      locale: this.lang || document.documentElement.lang || navigator.language,
    };
    return new Conversation(place, () => this.#drawSoon());
  }

  /** @param {string} text */
  #say(text) {
    this.#renderer.followFromHere();
    this.#conversation?.say(text);
  }

  /** @param {"yes" | "no"} answer */
  #answer(answer) {
    this.#renderer.followFromHere();
    this.#conversation?.answer(answer);
  }

  /** Frames may come faster than the screen is drawn; each picture shows the newest state. */
  #drawSoon() {
    this.#drawing ||= requestAnimationFrame(() => {
      this.#drawing = 0;
      this.#renderer.render(this.#state);
      this.#countUnread();
    });
  }

  #countUnread() {
    const { launcher, unread } = this.#parts;
    const told = this.#state.items.filter((item) => item.kind === "assistant" && item.says !== null).length;
    if (this.open) this.#seen = told;
    const count = Math.max(0, told - this.#seen);
    unread.hidden = count === 0;
    unread.textContent = String(count);
    const label = count === 0 ? words.openChat : `${words.openChat}, ${words.unread(count)}`;
    launcher.setAttribute("aria-label", label);
  }
}
