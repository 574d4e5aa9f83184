/** One conversation: what was said in each turn, beside the turn's timeline. */

import { html, nothing } from "lit";
import { Task } from "../api.js";
import { button } from "../parts/controls.js";
import { badge, empty, loaded } from "../parts/messages.js";
import { requestView } from "../parts/request.js";
import { nameOf, said } from "../parts/said.js";
import { costOf, timeline } from "../parts/timeline.js";
import { moment, shortTime, timeOfDay } from "../strings/format.js";
import { ReplayTrial, WhatIfTrial } from "./conversation-trials.js";
import { CopiedTestDialog } from "./copied-test.js";

/** @typedef {import("../contract.js").Context} Context */
/** @typedef {import("../contract.js").ConversationDetail} ConversationDetail */
/** @typedef {import("../contract.js").TurnTimeline} TurnTimeline */
/** @typedef {import("../contract.js").DetailItem} DetailItem */
/** @typedef {import("../contract.js").InspectedRequest} InspectedRequest */
/** @typedef {import("../contract.js").RequestSpan} RequestSpan */
/** @typedef {import("../parts/messages.js").Tone} Tone */

/** @type {Readonly<Record<string, Tone>>} */
const HOW_TONES = { interrupted: "warn", apologised: "bad", awaiting_confirmation: "accent" };

const SECTIONS_AT_ONCE = 20;

export class ConversationPage {
  #context;
  /** @type {Task<ConversationDetail>} */
  #detail;
  #sections = SECTIONS_AT_ONCE;
  /** @type {Map<number, Task<InspectedRequest>>} the requests that are open, by the numbers of their entries */
  #requests = new Map();
  /** @type {ReplayTrial | WhatIfTrial | null} what is shown in place of the turns */
  #trial = null;
  /** The trial in the address: `replay`, or the id of a turn; empty: none. */
  #tried = "";

  /** @param {Context} context @param {string} id */
  constructor(context, id) {
    this.#context = context;
    this.id = id;
    this.#detail = new Task(context.changed);
    void this.#load();
  }

  /** The address may name a trial. */
  routeChanged() {
    const tried = this.#context.route.query.get("try") ?? "";
    if (tried === this.#tried) return;
    this.#tried = tried;
    this.#trial = null;
    this.#openTrial();
  }

  /** Opens the trial of the address, as soon as the turns are known. */
  #openTrial() {
    const section = this.#detail.value?.sections.find(({ turn }) => turn?.turn_id === this.#tried);
    if (this.#tried === "replay") this.#trial = new ReplayTrial(this.#context, this.id);
    else if (section && this.#context.may("prompts.read")) this.#trial = new WhatIfTrial(this.#context, this.id, section);
  }

  heading() {
    if (this.#trial) return this.#trial.heading();
    const { inbox } = this.#context.strings;
    const detail = this.#detail.value;
    return detail ? nameOf(detail, inbox) : this.#context.strings.places.conversations;
  }

  /** @param {string} list the address of the list */
  view(list) {
    const { strings } = this.#context;
    const { conversations } = strings;
    const gone = this.#detail.problem?.code === "unknown_conversation";
    if (this.#trial) return this.#trialView(this.#trial);
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
              <div class="buttons">
                <a class="button" href=${this.#address("replay")}>${conversations.trials.replay}</a>
                ${button({ text: conversations.test.open, icon: "copy", run: () => this.#copyAsTest() })}
              </div>
            </div>
            ${loaded(this.#detail, strings, () => void this.#load(), (detail) => this.#content(detail))}`}
    </div>`;
  }

  /** @param {ReplayTrial | WhatIfTrial} trial */
  #trialView(trial) {
    const { conversations } = this.#context.strings;
    return html`<div class="conversation">
      <nav aria-label=${conversations.backToOne}><a href=${this.#address()}>${conversations.backToOne}</a></nav>
      <div class="head"><h1 tabindex="-1">${trial.heading()}</h1></div>
      ${trial.view()}
    </div>`;
  }

  /** The address of this conversation, or of a trial of it. @param {string} [tried] */
  #address(tried = "") {
    return this.#context.address(`conversations/${this.id}`, { try: tried });
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
        <div>
          ${timeline(turn, strings, locale, {
            ...(this.#context.may("prompts.read") ? { request: (one) => this.#openButton(one) } : {}),
            call: ({ call_id: call, start_ms: ran }) => (ran === null ? nothing : this.#receiptLink(turn.turn_id, call)),
          })}
          ${turn.requests.map((one) => this.#request(one))}
        </div>
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
      ${this.#context.may("prompts.read") && cause !== "late_result" && cause !== "handoff"
        ? html`<a class="end" href=${this.#address(id)} aria-label="${conversations.trials.open} ${conversations.turn(id.replace(/^t/, ""))}">${conversations.trials.open}</a>`
        : nothing}
    </div>`;
  }

  /** @param {RequestSpan} request */
  #openButton({ seq }) {
    const { inspect } = this.#context.strings.conversations;
    const open = this.#requests.has(seq);
    return html`<button class="linklike" type="button" aria-expanded=${open} aria-controls="request-${seq}" @click=${() => this.#toggle(seq)}>
      ${open ? inspect.close : inspect.open}
    </button>`;
  }

  /** @param {string} turn @param {string} call */
  #receiptLink(turn, call) {
    const { address, strings } = this.#context;
    const file = address(`api/conversations/${encodeURIComponent(this.id)}/receipts/${turn}/${call}`);
    return html`<a href=${file} download data-leaves>${strings.conversations.receipt}</a>`;
  }

  /** @param {number} seq */
  #toggle(seq) {
    if (this.#requests.delete(seq)) return this.#context.changed();
    this.#requests.set(seq, new Task(this.#context.changed));
    this.#loadRequest(seq);
  }

  /** @param {number} seq */
  #loadRequest(seq) {
    const { api } = this.#context;
    void this.#requests.get(seq)?.run(() => api.get(`conversations/${encodeURIComponent(this.id)}/requests/${seq}`));
  }

  /** @param {RequestSpan} request */
  #request(request) {
    const { strings, locale } = this.#context;
    const task = this.#requests.get(request.seq);
    if (!task) return nothing;
    const { conversations } = strings;
    const name = `${conversations.roles[request.role]} ${request.model}`;
    return html`<section class="request" id="request-${request.seq}" aria-label=${name}>
      <h3>${name}</h3>
      ${loaded(task, strings, () => this.#loadRequest(request.seq), (one) => requestView(one, request, strings, locale))}
    </section>`;
  }

  #copyAsTest() {
    this.#context.open(new CopiedTestDialog(this.#context, this.id));
  }

  async #load() {
    const { api } = this.#context;
    const done = await this.#detail.run(() => api.get(`conversations/${encodeURIComponent(this.id)}`));
    if (done && this.#tried && !this.#trial) {
      this.#openTrial();
      this.#context.changed();
    }
  }
}
