/** The `<meanwhile-chat>` element: connects client, view and voice, and is the interface for the host page. */

import { html, nothing } from "lit";
import { render } from "lit/html.js";
import { CustomerSession } from "./client/customer-session.js";
import { revealSpoken } from "./client/spoken-reveal.js";
import { HostEvents, FrameReporter } from "./host-events.js";
import { LazyVoice } from "./lazy-module.js";
import { watchPage, unregisterChat, registerChat } from "./page-lifecycle.js";
import { loadStrings, voiceTextsFor } from "./strings/index.js";
import { sheets } from "./styles/index.js";
import { afterRender, isPhone } from "./view/after-render.js";
import { chatView } from "./view/chat.js";
import { icon } from "./view/icons.js";

/** @typedef {import("./view/contract.js").Theme} Theme */
/** @typedef {import("./view/contract.js").ViewState} ViewState */

/** The address that these files are loaded from, which is also the assistant's. */
const BASE_URL = new URL("./", import.meta.url);

/**
 * Attributes: `server`, `tenant`, `open`, `locale`, `theme`, `notices`; `docs/reference/widget.md` explains them and the
 * methods.
 */
export class MeanwhileChat extends HTMLElement {
  static observedAttributes = ["open", "locale", "theme"];

  #hostEvents = new HostEvents();
  #frameReporter = new FrameReporter(this.#hostEvents);
  /** @type {CustomerSession | null} null until the element is first active */
  #session = null;
  #stopWatching = () => {};
  /** @type {ViewState | null} */
  #rendered = null;
  #animationFrame = 0;
  #atEnd = true;
  #unread = 0;
  #voice = new LazyVoice({
    sendNow: (frame) => this.#session?.conversation.sendNow(frame) ?? false,
    onChange: () => this.#scheduleRender(),
    announce: (text, urgent) => this.#session?.conversation.announce({ kind: "about_voice", text, urgent }),
    reportError: (message) => this.#hostEvents.emit("error", { code: "voice_not_ready", message }),
    locale: () => this.#locale,
    voiceTexts: () => voiceTextsFor(this.#locale),
    root: this.attachShadow({ mode: "open" }),
    kit: { html, nothing, icon },
  });

  /** @type {import("./view/contract.js").Actions} */
  #actions = {
    open: () => this.open(),
    close: () => this.close(),
    send: (text) => this.#send(text),
    attach: (files) => this.#session?.pendingUploads.add(files),
    detach: (id) => this.#session?.pendingUploads.remove(id),
    retry: (id) => this.#session?.conversation.retry(id),
    answer: (answer, label) => {
      this.#voice.mutePlayback();
      this.#session?.conversation.answer(answer, label);
    },
    stop: () => {
      const { sounds } = this.#voice.state;
      this.#voice.mutePlayback();
      this.#session?.conversation.cancel(sounds);
    },
    toggleVoice: () => this.#session && this.#voice.toggle(this.#session.conversation.state),
    endHandoff: () => this.#session?.conversation.endHandoff(),
    rate: (id, rating) => this.#session?.conversation.rate(id, rating),
    draft: (text) => {
      this.#setDraft(text);
      this.#session?.conversation.notifyTyping();
    },
    follow: (atEnd) => this.#setAtEnd(atEnd),
    download,
  };

  constructor() {
    super();
    this.#root.adoptedStyleSheets = sheets();
  }

  connectedCallback() {
    registerChat(this);
  }

  disconnectedCallback() {
    // An element that is only moved within the page stays active.
    queueMicrotask(() => this.isConnected || unregisterChat(this));
  }

  /** This element is the one that the page shows: connects, renders, and gets the page's calls. */
  activate() {
    const first = this.#session === null;
    this.#session ??= this.#createSession();
    this.#stopWatching();
    this.#stopWatching = watchPage({
      onHide: () => {
        this.#voice.stop();
        this.#session?.stop();
      },
      onRestore: () => this.#connect(),
      onConnectionHint: () => this.#checkConnection(),
    });
    // Before connecting, so that a waiting `setUser` takes effect first.
    globalThis.Meanwhile?.attach?.(this);
    if (first && this.#session.open && !isPhone()) this.toggleAttribute("open", true);
    this.#connect();
    this.#render();
    if (first) this.#hostEvents.emit("ready", undefined);
  }

  /** The element left the page: disconnects and renders nothing. */
  deactivate() {
    this.#stopWatching();
    this.#voice.stop();
    this.#session?.stop();
    globalThis.Meanwhile?.detach?.(this);
    cancelAnimationFrame(this.#animationFrame);
    this.#animationFrame = 0;
    this.#rendered = null;
    render(null, this.#root);
  }

  /** @param {string} name @param {string | null} before @param {string | null} now */
  attributeChangedCallback(name, before, now) {
    if (this.#session === null || before === now) return;
    if (name === "locale") this.#session.conversation.updateLocale();
    if (name === "open" && (before === null || now === null)) this.#handleOpen(now !== null);
    this.#scheduleRender();
  }

  /** Shows the panel. */
  open() {
    this.toggleAttribute("open", true);
  }

  /** Hides the panel; the conversation continues. */
  close() {
    this.toggleAttribute("open", false);
  }

  /** Sends a message of the customer's. @param {string} text */
  send(text) {
    this.#send(String(text));
  }

  /**
   * @param {import("./client/identity-token.js").User | null} user a token that your site has signed, a function that fetches one, or null: signed out
   */
  setUser(user) {
    void this.#session?.setUser(user);
  }

  /** @param {string} locale a language tag */
  setLocale(locale) {
    this.setAttribute("locale", locale);
  }

  /** @param {Theme} theme */
  setTheme(theme) {
    this.setAttribute("theme", theme);
  }

  /** @param {string} event @param {import("./host-events.js").Listener} listener */
  on(event, listener) {
    this.#hostEvents.add(event, listener);
  }

  /** @param {string} event @param {import("./host-events.js").Listener} listener */
  off(event, listener) {
    this.#hostEvents.remove(event, listener);
  }

  /** Removes the chat from the page. The server keeps the conversation, and this browser its storage. */
  destroy() {
    this.#hostEvents.clear();
    this.remove();
  }

  get #root() {
    return /** @type {ShadowRoot} */ (this.shadowRoot);
  }

  get #locale() {
    return (
      this.getAttribute("locale") || this.lang || document.documentElement.lang || navigator.language || "en"
    );
  }

  get #isOpen() {
    return this.hasAttribute("open");
  }

  /** The assistant's address: where the server has several companies, that of the one that `tenant` names. */
  get #server() {
    const server = new URL(this.getAttribute("server") ?? BASE_URL, location.href);
    const tenant = this.getAttribute("tenant");
    if (tenant) server.pathname = server.pathname.replace(/\/(t\/[^/]+\/)?[^/]*$/, `/t/${tenant}/`);
    return server;
  }

  #createSession() {
    return new CustomerSession(this.#server, {
      onChange: () => this.#update(),
      onFrame: (frame) => {
        this.#voice.loaded?.handleFrame(frame);
        this.#frameReporter.report(frame);
      },
      onSound: (sound) => this.#voice.loaded?.playSound(sound),
      onError: (error) => this.#hostEvents.emit("error", { code: "user_unknown", message: String(error) }),
      locale: () => this.#locale,
      notices: () => this.hasAttribute("notices"),
    });
  }

  /** Connects only once the chat was opened: most visitors of a page never open it. */
  #connect() {
    if (this.#isOpen || this.#session?.inUse) this.#session?.start();
  }

  #checkConnection() {
    this.#session?.conversation.checkConnection();
    this.#update();
  }

  /** @param {boolean} open */
  #handleOpen(open) {
    const session = /** @type {CustomerSession} */ (this.#session);
    session.open = open;
    // The microphone must not stay on while the panel is hidden.
    if (!open) this.#voice.stop();
    this.#connect();
    this.#update();
    this.#hostEvents.emit(open ? "open" : "close", undefined);
  }

  /** @param {string} text */
  #send(text) {
    const said = text.trim();
    const session = this.#session;
    if (session === null || said.length > session.conversation.state.maxText) return;
    if (session.pendingUploads.busy) return session.conversation.announce({ kind: "files_busy" });
    const files = session.pendingUploads.takeUploaded();
    if (said === "" && files.length === 0) return;
    session.draft = "";
    session.open = this.#isOpen;
    session.start();
    this.#voice.mutePlayback();
    session.conversation.send(said, files);
  }

  /** @param {string} text */
  #setDraft(text) {
    if (this.#session) this.#session.draft = text;
    this.#scheduleRender();
  }

  /** @param {boolean} atEnd */
  #setAtEnd(atEnd) {
    if (atEnd === this.#atEnd) return;
    this.#atEnd = atEnd;
    this.#update();
  }

  #update() {
    const session = this.#session;
    if (session === null) return;
    if (this.#isOpen && this.#atEnd && !document.hidden) session.conversation.markSeen();
    const { unread } = session.conversation;
    if (unread !== this.#unread) {
      this.#unread = unread;
      this.#hostEvents.emit("unread", { count: unread });
    }
    this.#scheduleRender();
  }

  /** Renders at most once per animation frame, with the newest state. */
  #scheduleRender() {
    this.#animationFrame ||= requestAnimationFrame(() => this.#render());
  }

  #render() {
    this.#animationFrame = 0;
    const session = this.#session;
    if (session === null || !this.isConnected) return;
    const texts = loadStrings(this.#locale);
    if (texts) return void texts.then(() => this.#scheduleRender());
    const before = this.#rendered;
    const state = this.#viewState(session);
    this.#rendered = state;
    render(chatView(state, this.#actions), this.#root);
    afterRender(this.#root, state, before);
  }

  /** @param {CustomerSession} session @returns {ViewState} */
  #viewState({ conversation, pendingUploads, draft, server }) {
    const theme = this.getAttribute("theme");
    return {
      ...conversation.state,
      items: revealSpoken(conversation.state.items, (item) => this.#voice.loaded?.visibleLength(item)),
      microphone: this.#voice.state,
      open: this.#isOpen,
      unread: this.#unread,
      server,
      draft,
      files: pendingUploads.files,
      locale: this.#locale,
      theme: theme === "light" || theme === "dark" ? theme : "auto",
    };
  }
}

/** Saves a text as a file on the customer's device. @param {string} name @param {string} text */
function download(name, text) {
  const url = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  Object.assign(document.createElement("a"), { href: url, download: name }).click();
  // The browser reads the URL later.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
