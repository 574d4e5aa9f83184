/** The `<meanwhile-chat>` element: draws a visit, and is what the page around it talks to. */

import { html, nothing } from "lit";
import { render } from "lit/html.js";
import { Visit } from "./client/customer-session.js";
import { reveal } from "./client/spoken-reveal.js";
import { Listeners, Report } from "./host-events.js";
import { VoiceDoor } from "./lazy-module.js";
import { followPage, leave, settleDown } from "./page-lifecycle.js";
import { sheets } from "./styles/index.js";
import { chatView, settle } from "./view/chat.js";
import { icon } from "./view/icons.js";

/** @typedef {import("./view/contract.js").ViewState} ViewState */
/** @typedef {import("./view/contract.js").Theme} Theme */

/** Where these files come from; there the assistant is, too. */
const HOME = new URL("./", import.meta.url);

/** On a phone the panel hides the page: there it opens when it is asked to, and not by itself. */
const PHONE = "(max-width: 480px), (max-height: 440px)";

/** Attributes: `server`, `tenant`, `open`, `locale`, `theme`, `notices`; `docs/widget.md` explains them and the methods. */
export class MeanwhileChat extends HTMLElement {
  static observedAttributes = ["open", "locale", "theme"];

  #listeners = new Listeners();
  #report = new Report(this.#listeners);
  /** @type {Visit | null} none before the element is on a page for the first time */
  #visit = null;
  #unfollow = () => {};
  /** @type {ViewState | null} */
  #drawn = null;
  #drawing = 0;
  #atEnd = true;
  #unread = 0;
  #door = new VoiceDoor({
    pass: (frame) => this.#visit?.conversation.pass(frame) ?? false,
    onChange: () => this.#drawSoon(),
    tell: (text, urgent) => this.#visit?.conversation.tell({ says: "about_voice", text, urgent }),
    refuse: (message) => this.#listeners.tell("error", { code: "voice_not_ready", message }),
    locale: () => this.#locale,
    root: this.attachShadow({ mode: "open" }),
    kit: { html, nothing, icon },
  });

  /** @type {import("./view/contract.js").Actions} */
  #actions = {
    open: () => this.open(),
    close: () => this.close(),
    send: (text) => this.#say(text),
    attach: (files) => this.#visit?.tray.add(files),
    detach: (id) => this.#visit?.tray.remove(id),
    retry: (id) => this.#visit?.conversation.retry(id),
    answer: (answer, label) => {
      this.#door.hush();
      this.#visit?.conversation.answer(answer, label);
    },
    stop: () => {
      const { sounds } = this.#door.state;
      this.#door.hush();
      this.#visit?.conversation.cancel(sounds);
    },
    speak: () => this.#visit && this.#door.press(this.#visit.conversation.state),
    giveBack: () => this.#visit?.conversation.giveBack(),
    rate: (id, rating) => this.#visit?.conversation.rate(id, rating),
    draft: (text) => {
      this.#write(text);
      this.#visit?.conversation.type();
    },
    follow: (atEnd) => this.#follow(atEnd),
    download,
  };

  constructor() {
    super();
    this.#root.adoptedStyleSheets = sheets();
  }

  connectedCallback() {
    settleDown(this);
  }

  disconnectedCallback() {
    // Moved within the page, the element goes on as it was.
    queueMicrotask(() => this.isConnected || leave(this));
  }

  /** The place on the page is this element's: it shows itself, and is spoken to. */
  wake() {
    const first = this.#visit === null;
    this.#visit ??= this.#newVisit();
    this.#unfollow();
    this.#unfollow = followPage({
      onAway: () => {
        this.#door.stop();
        this.#visit?.stop();
      },
      onBack: () => this.#connect(),
      onDoubt: () => this.#doubt(),
    });
    // First of all the page may say who is there.
    globalThis.Meanwhile?.attach?.(this);
    if (first && this.#visit.open && !matchMedia(PHONE).matches) this.toggleAttribute("open", true);
    this.#connect();
    this.#draw();
    if (first) this.#listeners.tell("ready", undefined);
  }

  /** Off the page, or behind another of its kind: says and hears nothing. */
  sleep() {
    this.#unfollow();
    this.#door.stop();
    this.#visit?.stop();
    globalThis.Meanwhile?.detach?.(this);
    cancelAnimationFrame(this.#drawing);
    this.#drawing = 0;
    this.#drawn = null;
    render(null, this.#root);
  }

  /** @param {string} name @param {string | null} before @param {string | null} now */
  attributeChangedCallback(name, before, now) {
    if (this.#visit === null || before === now) return;
    if (name === "locale") this.#visit.conversation.greet();
    if (name === "open" && (before === null || now === null)) this.#opened(now !== null);
    this.#drawSoon();
  }

  /** Shows the panel. */
  open() {
    this.toggleAttribute("open", true);
  }

  /** Hides the panel; the conversation goes on. */
  close() {
    this.toggleAttribute("open", false);
  }

  /** Says something in the customer's name. @param {string} text */
  send(text) {
    this.#say(String(text));
  }

  /** @param {import("./client/identity-token.js").User | null} user a token your site has signed, a function that fetches one, or null: signed out */
  setUser(user) {
    void this.#visit?.setUser(user);
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
    this.#listeners.add(event, listener);
  }

  /** @param {string} event @param {import("./host-events.js").Listener} listener */
  off(event, listener) {
    this.#listeners.remove(event, listener);
  }

  /** Takes the chat off the page. What was said stays with the server, and in this browser's memory. */
  destroy() {
    this.#listeners.clear();
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

  #newVisit() {
    const server = new URL(this.getAttribute("server") ?? HOME, location.href);
    return new Visit(server, this.getAttribute("tenant") ?? "default", {
      onChange: () => this.#changed(),
      onFrame: (frame) => {
        this.#door.voice?.hear(frame);
        this.#report.tell(frame);
      },
      onSound: (sound) => this.#door.voice?.take(sound),
      onError: (error) => this.#listeners.tell("error", { code: "user_unknown", message: String(error) }),
      locale: () => this.#locale,
      notices: () => this.hasAttribute("notices"),
    });
  }

  /** No connection is made before the chat is first opened: most visitors of a page never do. */
  #connect() {
    if (this.#isOpen || this.#visit?.underWay) this.#visit?.start();
  }

  #doubt() {
    this.#visit?.conversation.check();
    this.#changed();
  }

  /** @param {boolean} open */
  #opened(open) {
    const visit = /** @type {Visit} */ (this.#visit);
    visit.open = open;
    // Nobody is listened to by what they cannot see.
    if (!open) this.#door.stop();
    this.#connect();
    this.#changed();
    this.#listeners.tell(open ? "open" : "close", undefined);
  }

  /** @param {string} text */
  #say(text) {
    const said = text.trim();
    const visit = this.#visit;
    if (visit === null || said.length > visit.conversation.state.maxText) return;
    if (visit.tray.busy) return visit.conversation.tell({ says: "files_busy" });
    const files = visit.tray.take();
    if (said === "" && files.length === 0) return;
    visit.draft = "";
    visit.open = this.#isOpen;
    visit.start();
    this.#door.hush();
    visit.conversation.say(said, files);
  }

  /** @param {string} text */
  #write(text) {
    if (this.#visit) this.#visit.draft = text;
    this.#drawSoon();
  }

  /** @param {boolean} atEnd */
  #follow(atEnd) {
    if (atEnd === this.#atEnd) return;
    this.#atEnd = atEnd;
    this.#changed();
  }

  #changed() {
    const visit = this.#visit;
    if (visit === null) return;
    if (this.#isOpen && this.#atEnd && !document.hidden) visit.conversation.see();
    const { unread } = visit.conversation;
    if (unread !== this.#unread) {
      this.#unread = unread;
      this.#listeners.tell("unread", { count: unread });
    }
    this.#drawSoon();
  }

  /** Frames may come faster than the screen is drawn; each picture shows the newest state. */
  #drawSoon() {
    this.#drawing ||= requestAnimationFrame(() => this.#draw());
  }

  #draw() {
    this.#drawing = 0;
    const visit = this.#visit;
    if (visit === null || !this.isConnected) return;
    const before = this.#drawn;
    const state = this.#view(visit);
    this.#drawn = state;
    render(chatView(state, this.#actions), this.#root);
    settle(this.#root, state, before);
  }

  /** @param {Visit} visit @returns {ViewState} */
  #view({ conversation, tray, draft, server }) {
    const theme = this.getAttribute("theme");
    return {
      ...conversation.state,
      items: reveal(conversation.state.items, (item) => this.#door.voice?.reach(item)),
      microphone: this.#door.state,
      open: this.#isOpen,
      unread: this.#unread,
      server,
      draft,
      files: tray.files,
      locale: this.#locale,
      theme: theme === "light" || theme === "dark" ? theme : "auto",
    };
  }
}

// Hands the customer a text as a file.

/** @param {string} name @param {string} text */
export function download(name, text) {
  const url = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  Object.assign(document.createElement("a"), { href: url, download: name }).click();
  // The browser reads it in its own time.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
