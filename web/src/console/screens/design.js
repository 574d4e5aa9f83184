/**
 * The design page, for developers: everything that screens are made of, in the light and the dark theme. It needs no
 * account and no data. Its own texts are in English; those of the parts are in the console's language.
 */

import { html } from "lit";
import { ApiProblem } from "../api.js";
import { button, choice, field, segments, select } from "../parts/controls.js";
import { conversationList, facts, replyField, sidePanel, transcript } from "../parts/conversation.js";
import { icon } from "../parts/icons.js";
import { badge, empty, loading, notice, problemNotice } from "../parts/messages.js";

/** @typedef {import("../contract.js").Context} Context */
/** @typedef {import("../contract.js").Screen} Screen */

const SIZES = ["small", "text", "large", "title"];
const SPACES = [1, 2, 3, 4, 5, 6, 7];

/** A colour, what it is seen on, and the contrast that it needs. @type {readonly (readonly [string, string, number])[]} */
const PAIRS = [
  ["ink", "surface", 4.5],
  ["ink", "wash", 4.5],
  ["ink", "hover", 4.5],
  ["soft", "surface", 4.5],
  ["soft", "wash", 4.5],
  ["soft", "hover", 4.5],
  ["soft", "accent-wash", 4.5],
  ["accent", "surface", 4.5],
  ["accent", "wash", 4.5],
  ["accent", "accent-wash", 4.5],
  ["on-accent", "accent", 4.5],
  ["on-accent", "accent-strong", 4.5],
  ["good", "good-wash", 4.5],
  ["warn", "warn-wash", 4.5],
  ["bad", "surface", 4.5],
  ["bad", "bad-wash", 4.5],
  ["on-bad", "bad", 4.5],
  ["on-bad", "bad-strong", 4.5],
  ["edge", "surface", 3],
  ["edge", "wash", 3],
];

const NOW = Date.UTC(2026, 10, 27, 12, 4);

/** @type {readonly import("../contract.js").ListedConversation[]} */
const ROWS = [
  { id: "k1", customer: { id: "C-1042", name: "Ana Silva" }, state: "waiting", by: null, why: "The refund was refused twice", since: NOW - 42_000 },
  { id: "k2", customer: { id: "C-7", name: "Maximiliane Schwarzenberger" }, state: "waiting", by: null, why: "Asks for a person, and has an order that is on its way to another country", since: NOW - 130_000 },
  { id: "k3", customer: { id: "C-9", name: "Ben Roth" }, state: "taken", by: "Kim", why: "Asks for a person", since: NOW - 300_000 },
  { id: "k4", customer: { id: "5f2c81d0", name: null }, state: "closed", by: null, why: "Wants to change the address", since: NOW - 4_000_000 },
];

/** @type {readonly import("../contract.js").TranscriptItem[]} */
const TRANSCRIPT = [
  { key: "i1", kind: "customer", at: NOW - 180_000, name: "Ana Silva", text: "Check my appointments and billing" },
  { key: "i2", kind: "assistant", at: NOW - 179_000, text: "Sure, I'll look up your appointments and check your billing." },
  { key: "i3", kind: "tools", at: NOW - 178_000, calls: [{ tool: "list_upcoming_appointments", ms: 610, outcome: "ok" }, { tool: "get_open_invoices", ms: 240, outcome: "empty" }] },
  { key: "i4", kind: "assistant", at: NOW - 176_000, text: "You have an appointment on Tuesday at 2 pm. There is no open invoice." },
  { key: "i5", kind: "customer", at: NOW - 90_000, name: "Ana Silva", text: "I want my money back for order 2041" },
  { key: "i6", kind: "tools", at: NOW - 88_000, calls: [{ tool: "refund_order", ms: 4200, outcome: "failed" }] },
  { key: "i7", kind: "assistant", at: NOW - 84_000, text: "I could not refund the order just now. Shall I ask a", interrupted: true },
  { key: "i8", kind: "event", at: NOW - 42_000, text: "Ana asked for a person." },
  { key: "i9", kind: "person", at: NOW - 5_000, name: "Kim", text: "Hello Ana, this is Kim. I'm looking at your order." },
];

/** @implements {Screen} */
export class DesignScreen {
  #context;

  /** @param {Context} context */
  constructor(context) {
    this.#context = context;
    requestAnimationFrame(() => requestAnimationFrame(measureContrasts));
  }

  heading() {
    return "Design";
  }

  view() {
    return html`<main class="design" id="main" tabindex="-1">
      <h1 tabindex="-1" lang="en">${this.heading()}</h1>
      ${section("Type", html`
        ${SIZES.map((size) => html`<p class="size-${size}">Sure, I'll look up your appointments. 0123456789 <span class="soft" lang="en">${size}</span></p>`)}
        <p><strong>Strong text</strong>, <span class="soft">soft text</span>, <a href="#part-type">a link</a>, <code>conversation-id</code>, <kbd>g</kbd></p>
      `)}
      ${section("Spacing", html`<div class="spaces">${SPACES.map((n) => html`<div class="space-${n}"></div>`)}</div>`)}
      ${section("Colours", html`<div class="two">${["light", "dark"].map(colours)}</div>`)}
      ${section("Buttons", this.#buttons())}
      ${section("Fields", this.#fields())}
      ${section("Badges", html`<div class="badges">
        ${badge("Plain")}${badge("Accent", "accent")}${badge("Good", "good")}${badge("Warn", "warn")}${badge("Bad", "bad")}
      </div>`)}
      ${section("Table", this.#table())}
      ${section("List", this.#list())}
      ${section("Inbox", this.#inbox())}
      ${section("Empty", empty({
        icon: "inbox",
        title: "No one is waiting",
        text: "Customers who ask for a person appear here, the one who waits longest first.",
        actions: button({ text: "See all conversations", run: nothingToDo }),
      }))}
      ${section("Loading", loading(this.#context.strings))}
      ${section("Messages", this.#messages())}
      ${section("Toast", html`<div class="toast" data-toast="0">
        ${icon("ok")}<span>${this.#context.strings.person.disabled("Maximiliane Schwarzenberger")}</span>
        ${button({ text: this.#context.strings.undo, look: "quiet", run: nothingToDo })}
      </div>`)}
      ${section("Dialog", html`<div class="dialog shown"><div>
        <h2>${this.#context.strings.person.disableQuestion("Maximiliane Schwarzenberger")}</h2>
        <p>${this.#context.strings.person.disableText}</p>
        <div class="buttons">
          ${button({ text: this.#context.strings.cancel, run: nothingToDo })}
          ${button({ text: this.#context.strings.people.disable, look: "danger", run: nothingToDo })}
        </div>
      </div></div>`)}
    </main>`;
  }

  #buttons() {
    const { strings } = this.#context;
    return html`<div class="buttons">
      ${button({ text: strings.save, look: "primary", run: nothingToDo })}
      ${button({ text: strings.cancel, run: nothingToDo })}
      ${button({ text: strings.people.disable, look: "danger", run: nothingToDo })}
      ${button({ text: strings.people.edit, look: "quiet", run: nothingToDo })}
      ${button({ text: strings.people.add, icon: "plus", look: "primary", run: nothingToDo })}
      ${button({ text: strings.save, look: "primary", pending: true, run: nothingToDo })}
      ${button({ text: strings.menu, icon: "menu", look: "quiet", onlyIcon: true, run: nothingToDo })}
    </div>`;
  }

  #fields() {
    const { strings } = this.#context;
    return html`<div class="two">
      <div class="form">
        ${field({ name: "a-name", label: strings.account.name, value: "Ben Roth", hint: strings.account.nameHint })}
        ${field({ name: "a-login", label: strings.person.login, problem: strings.problems.codes.login_taken, value: "ben@example.com" })}
        ${field({ name: "a-link", label: strings.person.linkLabel, value: "https://shop.example/console/link#0123456789", readonly: true, after: button({ text: strings.person.copy, icon: "copy", run: nothingToDo }) })}
        ${select({ name: "a-choice", label: strings.audit.action, value: "", options: [["", strings.audit.everything]], choose: nothingToDo })}
      </div>
      <div class="form">
        <div class="choices">
          ${choice({ name: "a-role", value: "agent", text: strings.roles.agent, hint: strings.roleHints.agent, checked: true })}
          ${choice({ name: "a-role", value: "editor", text: strings.roles.editor, hint: strings.roleHints.editor, checked: false })}
        </div>
        ${segments({ name: "a-theme", label: strings.account.theme, value: "light", options: Object.entries(strings.account.themes), choose: nothingToDo })}
      </div>
    </div>`;
  }

  #table() {
    const { people, roles } = this.#context.strings;
    const rows = [
      ["Ana Silva", "admin", 1204],
      ["Kim Lee", "agent", 87],
      ["Ben Roth", "analyst", 3],
    ];
    return html`<table class="table">
      <thead><tr><th scope="col">${people.person}</th><th scope="col">${people.roles}</th><th scope="col" class="at-end">Turns</th></tr></thead>
      <tbody>
        ${rows.map(([name, role, turns]) => html`<tr>
          <td>${name}</td><td>${badge(roles[/** @type {"admin"} */ (role)])}</td><td class="number at-end">${turns}</td>
        </tr>`)}
      </tbody>
    </table>`;
  }

  #list() {
    const rows = [
      ["Ana Silva", "refund was refused twice", "0:42"],
      ["Ben Roth", "asks for a person", "2:10"],
    ];
    return html`<ul class="list bordered" role="list">
      ${rows.map(([name, why, waits], at) => html`<li>
        <a class="list-row" href="#part-list" aria-current=${at === 0}>
          <span><strong>${name}</strong><br /><span class="soft small">${why}</span></span><span class="number soft">${waits}</span>
        </a>
      </li>`)}
    </ul>`;
  }

  #inbox() {
    const { strings } = this.#context;
    const { inbox } = strings;
    const locale = strings.locale;
    return html`<div class="split">
      <div class="split-list">${conversationList({ rows: ROWS, current: "k1", label: strings.places.inbox, address: () => "#part-inbox", now: NOW }, strings)}</div>
      <div class="split-detail">
        <div class="head">
          <div class="badges"><h3>Ana Silva</h3>${badge(inbox.verified, "good")}</div>
          ${button({ text: inbox.takeOver, look: "primary", run: nothingToDo })}
        </div>
        ${transcript(TRANSCRIPT, strings, locale)}
        ${replyField({ draft: "", write: nothingToDo, send: nothingToDo, suggest: nothingToDo }, strings)}
      </div>
      ${sidePanel({
        label: inbox.about,
        sections: [
          { heading: inbox.customer, content: facts([[inbox.id, html`<code>C-1042</code>`], [inbox.language, "de"], [inbox.page, html`<code>/checkout</code>`]]) },
          { heading: inbox.why, content: html`<p>The refund was refused twice, by <code>refund_order</code>.</p>` },
          { heading: inbox.summary, content: html`<p>Ana wants her money back for order 2041. The order is older than 30 days.</p>` },
        ],
      })}
    </div>`;
  }

  #messages() {
    const { strings } = this.#context;
    return html`<div class="form">
      ${notice({ tone: "plain", title: strings.planned.title, text: [strings.planned.today] })}
      ${notice({ tone: "good", title: strings.choosePassword.saved })}
      ${problemNotice(new ApiProblem("busy", { waitS: 30 }), strings)}
      ${problemNotice(new ApiProblem("offline", { method: "POST" }), strings, nothingToDo)}
    </div>`;
  }
}

/** @param {string} title @param {unknown} content */
function section(title, content) {
  return html`<section id="part-${title.toLowerCase()}"><h2 lang="en">${title}</h2>${content}</section>`;
}

/** @param {string} theme */
function colours(theme) {
  return html`<div class="on-${theme}" lang="en">
    <h3>${theme}</h3>
    <ul class="pairs" role="list">
      ${PAIRS.map(([colour, ground, least]) => html`<li class="pair ink-${least < 4.5 ? "ink" : colour} on-${ground}" data-least=${least}>
        <span class="named">${least < 4.5 ? html`<span class="mark ink-${colour}"></span>` : ""}${colour} on ${ground}</span><span class="number measured"></span>
      </li>`)}
    </ul>
  </div>`;
}

/** Writes each contrast as the browser draws it, after WCAG 2.2. */
function measureContrasts() {
  for (const pair of document.querySelectorAll(".pair")) {
    const { color } = getComputedStyle(pair.querySelector(".mark") ?? pair);
    const { backgroundColor } = getComputedStyle(pair);
    const [brighter, darker] = [luminance(color), luminance(backgroundColor)].sort((a, b) => b - a);
    const contrast = (brighter + 0.05) / (darker + 0.05);
    const place = pair.querySelector(".measured");
    if (place) place.textContent = contrast.toFixed(2);
  }
}

/** @param {string} colour as the browser computes it, in any notation */
function luminance(colour) {
  const pixel = new OffscreenCanvas(1, 1).getContext("2d");
  if (pixel === null) return Number.NaN;
  pixel.fillStyle = colour;
  pixel.fillRect(0, 0, 1, 1);
  const [red = 0, green = 0, blue = 0] = [...pixel.getImageData(0, 0, 1, 1).data].map((part) => {
    const value = part / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function nothingToDo() {}
