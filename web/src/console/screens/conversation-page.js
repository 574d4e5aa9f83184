/** One conversation: what was said in each turn, beside the turn's timeline. */

import { html, nothing } from "lit";
import { Task } from "../api.js";
import { button } from "../parts/controls.js";
import { badge, empty, loaded } from "../parts/messages.js";
import { nameOf, said } from "../parts/said.js";
import { costOf, timeline } from "../parts/timeline.js";
import { moment, shortTime, timeOfDay } from "../strings/format.js";

/** @typedef {import("../contract.js").Context} Context */
/** @typedef {import("../contract.js").ConversationDetail} ConversationDetail */
/** @typedef {import("../contract.js").TurnTimeline} TurnTimeline */
/** @typedef {import("../contract.js").DetailItem} DetailItem */
/** @typedef {import("../parts/messages.js").Tone} Tone */

/** @type {Readonly<Record<string, Tone>>} */
const HOW_TONES = { interrupted: "warn", apologised: "bad", awaiting_confirmation: "accent" };

const SECTIONS_AT_ONCE = 20;

export class ConversationPage {
  #context;
  /** @type {Task<ConversationDetail>} */
  #detail;
  #sections = SECTIONS_AT_ONCE;

  /** @param {Context} context @param {string} id */
  constructor(context, id) {
    this.#context = context;
    this.id = id;
    this.#detail = new Task(context.changed);
    void this.#load();
  }

  heading() {
    const { inbox } = this.#context.strings;
    const detail = this.#detail.value;
    return detail ? nameOf(detail, inbox) : this.#context.strings.places.conversations;
  }

  /** @param {string} list the address of the list */
  view(list) {
    const { strings } = this.#context;
    const { conversations } = strings;
    const gone = this.#detail.problem?.code === "unknown_conversation";
    return html`<div class="conversation">
      <nav aria-label=${conversations.back}><a href=${list}>${conversations.back}</a></nav>
      ${gone
        ? html`<h1 tabindex="-1">${conversations.gone}</h1>
            ${empty({ icon: "search", title: this.id, text: conversations.goneHint })}`
        : html`<div class="head">
              <div class="badges">
                <h1 tabindex="-1">${this.heading()}</h1>
                ${this.#detail.value?.sample ? badge(strings.example) : nothing}
              </div>
              ${button({ text: conversations.link, icon: "link", look: "quiet", run: () => void this.#copyAddress() })}
            </div>
            ${loaded(this.#detail, strings, () => void this.#load(), (detail) => this.#content(detail))}`}
    </div>`;
  }

  /** @param {ConversationDetail} detail */
  #content(detail) {
    const { strings } = this.#context;
    const hidden = Math.max(0, detail.sections.length - this.#sections);
    return html`${this.#facts(detail)}
      <div class="sections">
        ${hidden > 0
          ? button({ text: strings.conversations.earlier(hidden), run: () => this.#showMore() })
          : nothing}
        ${detail.sections.slice(hidden).map((section) => this.#section(section))}
      </div>`;
  }

  #showMore() {
    this.#sections += SECTIONS_AT_ONCE;
    this.#context.changed();
  }

  /** @param {ConversationDetail} detail */
  #facts(detail) {
    const { strings, locale } = this.#context;
    const { conversations } = strings;
    const { customer, began_as: beganAs, level, locale: language, opened_ms: opened, last_ms: last, usage } = detail;
    /** @type {readonly (readonly [string, unknown])[]} */
    const rows = [
      [conversations.customer, customer],
      ...(beganAs === customer ? [] : [/** @type {const} */ ([conversations.beganAs, beganAs])]),
      [conversations.level, conversations.levels[level] ?? level],
      [conversations.language, language],
      [conversations.began, moment(opened, locale)],
      [conversations.lastActivity, moment(last, locale)],
      [conversations.cost, costOf(usage, conversations, locale)],
      [conversations.models, usage.models.join(", ")],
      [conversations.versions, detail.bundles.map((one) => html`<code>${one}</code> `)],
    ];
    return html`<dl class="conversation-facts">
      ${rows.map(([name, value]) => (value === "" ? nothing : html`<div><dt>${name}</dt><dd>${value}</dd></div>`))}
    </dl>`;
  }

  /** @param {ConversationDetail["sections"][number]} section */
  #section({ turn, items }) {
    const { strings, locale } = this.#context;
    if (turn === null)
      return html`<section class="turn between" aria-label=${strings.conversations.between}>${said(items, strings, locale)}</section>`;
    return html`<section class="turn" aria-labelledby="turn-${turn.turn_id}">
      ${this.#turnHead(turn)}
      <div class="turn-body">
        ${said(items, strings, locale)}
        <div>${timeline(turn, strings, locale)}</div>
      </div>
    </section>`;
  }

  /** @param {TurnTimeline} turn */
  #turnHead({ turn_id: id, cause, began_ms: began, end_ms: end, how, spoken }) {
    const { strings, locale } = this.#context;
    const { conversations } = strings;
    const told = [conversations.causes[cause], spoken ? conversations.spoken : ""].filter(Boolean);
    return html`<div class="turn-head">
      <h2 id="turn-${id}">${conversations.turn(id.replace(/^t/, ""))}</h2>
      <span class="soft number">${timeOfDay(began, locale)}</span>
      ${told.length > 0 ? html`<span class="soft">${told.join(", ")}</span>` : nothing}
      ${badge(conversations.hows[how ?? "running"] ?? how ?? "", HOW_TONES[how ?? ""] ?? "plain")}
      ${end === null ? nothing : html`<span class="soft number">${shortTime(end, locale)}</span>`}
    </div>`;
  }

  async #copyAddress() {
    const { toast, strings } = this.#context;
    await navigator.clipboard.writeText(location.href);
    toast(strings.conversations.linkCopied);
  }

  async #load() {
    const { api } = this.#context;
    await this.#detail.run(() => api.get(`conversations/${encodeURIComponent(this.id)}`));
  }
}
