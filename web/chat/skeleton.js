/** The parts of the widget that are always there. */

import { icon } from "./icon.js";
import { make } from "./make.js";
import { words } from "./words.js";

/**
 * @typedef {object} Parts
 * @property {HTMLButtonElement} launcher
 * @property {HTMLElement} unread
 * @property {HTMLDialogElement} panel
 * @property {HTMLElement} title
 * @property {HTMLButtonElement} close
 * @property {HTMLElement} scroller
 * @property {HTMLElement} intro
 * @property {HTMLElement} starters
 * @property {HTMLElement} list
 * @property {HTMLElement} thinking
 * @property {HTMLElement} question
 * @property {HTMLButtonElement} latest
 * @property {HTMLElement} link
 * @property {HTMLButtonElement} stop
 * @property {HTMLFormElement} form
 * @property {HTMLTextAreaElement} text
 * @property {HTMLElement} note
 * @property {HTMLElement} spoken
 */

/** @returns {Parts} not yet in a document */
export function skeleton() {
  const parts = { ...launcher(), ...head(), ...middle(), ...composer() };
  const panel = make(
    "dialog",
    { id: "panel", class: "panel", "aria-labelledby": "title" },
    make(
      "header",
      { class: "head" },
      make("span", { class: "mark", "aria-hidden": "true" }, icon("chat")),
      parts.title,
      parts.close,
    ),
    parts.scroller,
    parts.latest,
    make("div", { class: "activity" }, parts.link, parts.stop),
    parts.form,
    parts.note,
    parts.spoken,
  );
  return /** @type {Parts} */ ({ ...parts, panel });
}

function launcher() {
  const unread = make("span", { class: "unread", hidden: true, "aria-hidden": "true" });
  const button = make(
    "button",
    {
      class: "launcher",
      type: "button",
      "aria-haspopup": "dialog",
      "aria-controls": "panel",
      "aria-expanded": "false",
      "aria-label": words.openChat,
    },
    icon("chat"),
    icon("down"),
    unread,
  );
  return { launcher: button, unread };
}

function head() {
  return {
    title: make("h2", { id: "title", class: "title" }, words.assistant),
    close: make("button", { class: "close", type: "button", "aria-label": words.closeChat }, icon("close")),
  };
}

function middle() {
  const intro = make("div", { class: "intro" });
  const starters = make("div", {
    class: "starters",
    role: "group",
    "aria-label": words.starters,
    hidden: true,
  });
  // Not live: `spoken` says each finished message once, where a live list would stammer with the stream.
  const list = make("div", {
    class: "list",
    role: "log",
    "aria-live": "off",
    "aria-label": words.conversation,
  });
  const thinking = make(
    "div",
    { class: "thinking", role: "img", "aria-label": words.thinking, hidden: true },
    make("i"),
    make("i"),
    make("i"),
  );
  const question = make("div", { class: "question", role: "group", hidden: true });
  const scroller = make(
    "div",
    { class: "scroller", tabindex: "0", role: "region", "aria-label": words.conversation },
    intro,
    list,
    starters,
    thinking,
    question,
  );
  const latest = make(
    "button",
    { class: "latest", type: "button", "aria-label": words.latest, hidden: true },
    icon("down"),
  );
  return { scroller, intro, starters, list, thinking, question, latest };
}

function composer() {
  const text = make("textarea", {
    class: "text",
    rows: "1",
    "aria-label": words.message,
    placeholder: words.placeholder,
    enterkeyhint: "send",
    autocomplete: "off",
    autofocus: true,
  });
  const send = make("button", { class: "send", type: "submit", "aria-label": words.send }, icon("send"));
  return {
    link: make("p", { class: "link", hidden: true }),
    stop: make("button", { class: "stop", type: "button", hidden: true }, icon("stop"), words.stop),
    form: make("form", { class: "composer" }, text, send),
    text,
    note: make("p", { class: "note", hidden: true }),
    spoken: make("div", { class: "aside", role: "status", "aria-live": "polite", "aria-atomic": "false" }),
  };
}
