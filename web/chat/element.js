/** The `<meanwhile-chat>` element: a launcher, a panel, and a conversation that survives both. */

import { act } from "./act.js";
import { Connection } from "./connection.js";
import { Memory } from "./memory.js";
import { newId } from "./new-id.js";
import { reduce } from "./reduce.js";
import { Renderer } from "./renderer.js";
import { sheets } from "./sheets.js";
import { skeleton } from "./skeleton.js";
import { emptyState } from "./state.js";
import { words } from "./words.js";

/** Here the panel fills the screen, and what is behind it cannot be reached. */
const PHONE = "(max-width: 480px), (max-height: 440px)";

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
  #state = emptyState;
  #drawing = 0;
  #unread = 0;
  /** @type {Connection | null} */
  #connection = null;
  #phone = matchMedia(PHONE);
  #renderer = new Renderer(this.#parts, {
    say: (text) => this.#say(text),
    retry: (id) => this.#retry(id),
    answer: (answer) => this.#answer(answer),
  });

  constructor() {
    super();
    const root = this.attachShadow({ mode: "open" });
    root.adoptedStyleSheets = sheets();
    root.append(this.#parts.launcher, this.#parts.panel);
    this.#listen();
  }

  connectedCallback() {
    this.#phone.addEventListener("change", this.#reopen);
    // Moved within the page, the element goes on where it was.
    this.#connection?.start();
    this.#parts.panel.close();
    this.#showPanel();
  }

  disconnectedCallback() {
    this.#phone.removeEventListener("change", this.#reopen);
    this.#connection?.stop();
  }

  attributeChangedCallback() {
    if (this.isConnected) this.#showPanel();
  }

  get open() {
    return this.hasAttribute("open");
  }

  set open(value) {
    this.toggleAttribute("open", value);
  }

  #listen() {
    const { launcher, panel, close, form, text, stop } = this.#parts;
    launcher.addEventListener("click", () => (this.open = !this.open));
    close.addEventListener("click", () => (this.open = false));
    stop.addEventListener("click", () => this.#stop());
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#submit();
    });
    text.addEventListener("keydown", (event) => {
      // While an input method composes, Enter chooses a word.
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      form.requestSubmit();
    });
    text.addEventListener("input", () => this.#measure());
    panel.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && !event.isComposing) this.open = false;
    });
    // The browser closes a modal dialog by its own gestures too; a reopened one is open again by now.
    panel.addEventListener("close", () => {
      if (!panel.open) this.open = false;
    });
    // What is typed or pasted here is not the host page's business: it may have shortcuts of its own.
    for (const type of ["keydown", "keypress", "keyup", "paste", "copy", "cut"]) {
      panel.addEventListener(type, (event) => event.stopPropagation());
    }
  }

  #showPanel() {
    const { panel, launcher } = this.#parts;
    launcher.setAttribute("aria-expanded", String(this.open));
    if (this.open === panel.open) return;
    if (this.open) this.#show();
    else this.#hide();
  }

  #show() {
    const { panel, text } = this.#parts;
    this.#connect();
    this.#countUnread(0);
    if (this.#phone.matches) panel.showModal();
    else panel.show();
    text.focus();
    this.#renderer.scrollToEnd();
  }

  #hide() {
    const { panel, launcher } = this.#parts;
    const hadFocus = panel.contains(this.shadowRoot?.activeElement ?? null);
    // The dialog itself gives focus back to where it was when it was opened, if there was such a place.
    panel.close();
    if (hadFocus && (document.activeElement === null || document.activeElement === document.body)) launcher.focus();
  }

  #reopen = () => {
    if (!this.#parts.panel.open) return;
    this.#parts.panel.close();
    this.#showPanel();
  };

  #connect() {
    if (this.#connection === null) this.#connection = this.#newConnection();
    this.#connection.start();
  }

  #newConnection() {
    const server = new URL(this.getAttribute("server") ?? "/", location.href);
    const memory = new Memory(`meanwhile:${server.host}:${this.#named("tenant")}:${this.#named("customer")}`);
    const socket = new URL("v1/ws", server);
    socket.protocol = server.protocol === "https:" ? "wss:" : "ws:";
    for (const unsent of memory.outbox) {
      const text = unsent.type === "message" ? unsent.text : unsent.label;
      this.#take(act(this.#state, { act: "say", id: unsent.id, text }));
    }
    return new Connection(socket.href, memory, this.lang || document.documentElement.lang || navigator.language, {
      cursor: () => this.#state,
      onFrame: (frame) => this.#hear(frame),
      onLink: (link) => this.#take(act(this.#state, { act: "link", link })),
    });
  }

  /**
   * Whose conversation this is, where one browser has several; the server decides by the token alone.
   *
   * @param {"tenant" | "customer"} attribute
   */
  #named(attribute) {
    return this.getAttribute(attribute) ?? "default";
  }

  /** @param {import("./frames.js").Frame} frame */
  #hear(frame) {
    const before = this.#state;
    this.#take(reduce(before, frame));
    if (frame.type === "message.completed" && !this.open && this.#state !== before) this.#countUnread(this.#unread + 1);
  }

  /** @param {number} count */
  #countUnread(count) {
    const { launcher, unread } = this.#parts;
    this.#unread = count;
    unread.hidden = count === 0;
    unread.textContent = String(count);
    launcher.setAttribute("aria-label", count === 0 ? words.openChat : `${words.openChat}, ${words.unread(count)}`);
  }

  /**
   * Frames may come faster than the screen is drawn; each picture shows the newest state.
   *
   * @param {import("./state.js").State} state
   */
  #take(state) {
    this.#state = state;
    this.#drawing ||= requestAnimationFrame(() => {
      this.#drawing = 0;
      this.#renderer.render(this.#state);
    });
  }

  /** A text that is too long is kept, and said to be so; nothing that was pasted is cut off in silence. */
  #measure() {
    const { text } = this.#parts;
    const excess = text.value.trim().length - this.#state.maxText;
    text.setCustomValidity(excess > 0 ? words.tooLong(excess) : "");
  }

  #submit() {
    const { text } = this.#parts;
    if (!text.value.trim()) return;
    this.#say(text.value.trim());
    text.value = "";
  }

  /** @param {string} text */
  #say(text) {
    const id = newId();
    this.#take(act(this.#state, { act: "say", id, text }));
    this.#connection?.post({ type: "message", id, text });
    this.#renderer.followFromHere();
  }

  /** @param {string} id */
  #retry(id) {
    const refused = this.#state.items.find((item) => item.kind === "customer" && item.id === id);
    if (refused?.kind !== "customer") return;
    this.#take(act(this.#state, { act: "retry", id }));
    this.#connection?.post({ type: "message", id, text: refused.text });
  }

  /** @param {"yes" | "no"} answer */
  #answer(answer) {
    const asked = this.#state.confirmation;
    if (asked === null) return;
    const id = newId();
    this.#take(act(this.#state, { act: "answer", id, text: words[answer] }));
    this.#connection?.post({ type: "confirm", id, confirmation_id: asked.id, answer, label: words[answer] });
    this.#renderer.followFromHere();
  }

  #stop() {
    const { turn } = this.#state;
    if (turn !== null) this.#connection?.tell({ type: "cancel", id: newId(), turn_id: turn });
  }
}
