/** Trials of a conversation: its replay with the configuration of today, and "what if" in one of its turns. */

import { html, nothing } from "lit";
import { Task } from "../api.js";
import { comparison } from "../parts/comparison.js";
import { button, onSubmit, segments, select } from "../parts/controls.js";
import { badge, loading, notice, problemNotice } from "../parts/messages.js";
import { count, money } from "../strings/format.js";

/** @typedef {import("../contract.js").Context} Context */
/** @typedef {import("../contract.js").ConversationDetail} ConversationDetail */
/** @typedef {import("../contract.js").DetailSection} DetailSection */
/** @typedef {import("../contract.js").ReplayedConversation} ReplayedConversation */
/** @typedef {import("../contract.js").ForkedTurn} ForkedTurn */
/** @typedef {import("../contract.js").AskedModels} AskedModels */
/** @typedef {import("../contract.js").TurnTimeline} TurnTimeline */
/** @typedef {import("../contract.js").CallSpan} CallSpan */

/** The whole conversation next to its replay. */
export class ReplayTrial {
  #context;
  #id;
  /** @type {Task<ReplayedConversation>} */
  #made;

  /** @param {Context} context @param {string} id of the conversation */
  constructor(context, id) {
    this.#context = context;
    this.#id = id;
    this.#made = new Task(context.changed);
    void this.#make();
  }

  heading() {
    return this.#context.strings.conversations.trials.replay;
  }

  view() {
    const { strings } = this.#context;
    const { trials } = strings.conversations;
    const { value, problem } = this.#made;
    return html`<p class="soft">${trials.replayText}</p>
      ${value ? this.#result(value) : problem ? problemNotice(problem, strings, () => void this.#make()) : loading({ ...strings, loading: trials.plays })}`;
  }

  /** @param {ReplayedConversation} made */
  #result({ turns, unscripted, left_out: leftOut, same_version: same }) {
    const { strings, locale } = this.#context;
    const { trials, turn: turnName } = strings.conversations;
    const changed = turns.filter(({ changes }) => changes.length > 0).length;
    const about = [same ? trials.sameVersion : trials.otherVersion, ...(leftOut.length > 0 ? [trials.leftOut(leftOut.join("; "))] : [])];
    return html`${changed === 0 ? notice({ tone: "good", title: trials.same, text: about }) : notice({ tone: "warn", title: trials.changed(`${changed}/${turns.length}`), text: about })}
      ${unscripted.length > 0 ? notice({ tone: "warn", title: trials.unscripted, text: unscripted.map((line) => `${line}.`) }) : nothing}
      ${turns.map((one) => html`<details class="turn trial-turn" ?open=${one.changes.length > 0 || turns.length === 1}>
        <summary><h2>${turnName(one.turn_id.replace(/^t/, ""))}</h2>
          ${one.changes.length === 0 ? badge(trials.goesTheSame, "good") : one.changes.map(({ part }) => badge(trials.parts[part], "warn"))}</summary>
        ${comparison(one, strings, locale, trials.today)}
      </details>`)}`;
  }

  async #make() {
    const { api, announce, strings } = this.#context;
    const { trials } = strings.conversations;
    const done = await this.#made.run(() => api.post(`conversations/${encodeURIComponent(this.#id)}/replay`));
    const { turns = [] } = this.#made.value ?? {};
    const changed = turns.filter(({ changes }) => changes.length > 0).length;
    if (done) announce(changed === 0 ? trials.same : trials.changed(`${changed}/${turns.length}`));
  }
}

/** One turn with something else in it. */
export class WhatIfTrial {
  #context;
  #id;
  #turn;
  /** @type {Task<AskedModels>} */
  #asked;
  /** @type {Task<ForkedTurn>} */
  #made;
  /** @type {"calls" | "message"} */
  #what;
  /** @type {Readonly<Record<string, string>>} the chosen outcomes by the ids of calls */
  #outcomes = {};

  /** @param {Context} context @param {string} id of the conversation @param {DetailSection} section the turn */
  constructor(context, id, section) {
    this.#context = context;
    this.#id = id;
    this.#turn = section;
    this.#asked = new Task(context.changed);
    this.#made = new Task(context.changed);
    this.#what = this.#calls.length > 0 ? "calls" : "message";
    void this.#asked.run(() => context.api.get(`conversations/${encodeURIComponent(id)}/what-if`));
  }

  get #timeline() {
    return /** @type {TurnTimeline} */ (this.#turn.turn);
  }

  get #calls() {
    return this.#timeline.calls;
  }

  heading() {
    const { trials, turn } = this.#context.strings.conversations;
    return `${trials.whatIf} ${turn(this.#timeline.turn_id.replace(/^t/, ""))}`;
  }

  view() {
    const { strings } = this.#context;
    const { trials } = strings.conversations;
    const asked = this.#asked.value;
    const { value, problem, pending } = this.#made;
    return html`<p class="soft">${trials.whatIfText}</p>
      <form class="what-if" @submit=${onSubmit((values) => void this.#try(values))}>
        ${this.#calls.length > 0
          ? segments({
              name: "what",
              label: trials.what,
              value: this.#what,
              options: [["calls", trials.calls], ["message", trials.message]],
              choose: (what) => this.#choose(what),
            })
          : nothing}
        ${this.#what === "calls" ? this.#calls.map((call) => this.#callFields(call)) : this.#messageField()}
        ${asked ? html`<p class="hint">${this.#cost(asked)}</p>` : nothing}
        <div class="buttons">${button({ text: trials.try, look: "primary", pending })}</div>
      </form>
      ${this.#asked.problem ? problemNotice(this.#asked.problem, strings) : nothing}
      ${problem ? problemNotice(problem, strings) : pending ? loading({ ...strings, loading: trials.tries }) : nothing}
      ${value && !pending ? this.#result(value) : nothing}`;
  }

  /** @param {CallSpan} call */
  #callFields({ call_id: id, tool, result, outcome }) {
    const { inbox, conversations } = this.#context.strings;
    const { trials } = conversations;
    const chosen = this.#outcomes[id] ?? "";
    const was = trials.asItWas(inbox.outcomes[outcome ?? ""] ?? outcome ?? inbox.running);
    const value = html`<div class="field"><label for="value-${id}">${trials.value(tool)}</label>
      <textarea class="input test-text" id="value-${id}" name="value-${id}" rows="6">${JSON.stringify(result, null, 1)}</textarea></div>`;
    const say = html`<div class="field"><label for="say-${id}">${trials.say(tool)}</label>
      <input class="input" id="say-${id}" name="say-${id}" value=${trials.sayFirst} autocomplete="off" /></div>`;
    return html`<div class="changed-call">
      ${select({
        name: `outcome-${id}`,
        label: trials.outcome(tool),
        value: chosen,
        options: [["", was], ...Object.entries(trials.outcomes)],
        choose: (one) => this.#chooseOutcome(id, one),
      })}
      ${chosen === "value" ? value : chosen === "failed" ? say : nothing}
    </div>`;
  }

  #messageField() {
    const { trials } = this.#context.strings.conversations;
    const said = this.#turn.items.find(({ kind }) => kind === "customer");
    return html`<div class="field">
      <label for="message">${trials.messageLabel}</label>
      <textarea class="input" id="message" name="message" rows="3">${said && "text" in said ? said.text : ""}</textarea>
    </div>`;
  }

  /** @param {AskedModels} asked */
  #cost({ models, embedded }) {
    const { strings, locale } = this.#context;
    const { trials } = strings.conversations;
    if (embedded) return trials.embedded;
    const usd = this.#timeline.usage.cost_usd;
    const names = models.join(" + ");
    return [trials.answers(names), usd ? trials.expect(money(usd, locale)) : ""].filter(Boolean).join(" ");
  }

  /** @param {ForkedTurn} made */
  #result({ turn, models, cost_usd: usd, tokens, earlier, unscripted }) {
    const { strings, locale } = this.#context;
    const { conversations } = strings;
    const { trials } = conversations;
    const cost = usd === null ? conversations.costUnknown : usd === 0 ? conversations.free : money(usd, locale);
    return html`<section aria-labelledby="tried">
      <h2 id="tried" tabindex="-1">${trials.result}</h2>
      <p class="soft small">${trials.answered(models.join(" + ") || "-")} ${trials.cost(tokens ? `${cost}, ${conversations.tokensInOut(count(tokens, locale))}` : cost)}</p>
      ${earlier.length > 0 ? notice({ tone: "warn", title: trials.earlier(earlier.map((id) => id.replace(/^t/, "")).join(", ")) }) : nothing}
      ${unscripted.length > 0 ? notice({ tone: "warn", title: trials.unscripted, text: unscripted.map((line) => `${line}.`) }) : nothing}
      ${turn.changes.length === 0 ? notice({ tone: "good", title: trials.sameTurn }) : nothing}
      ${comparison(turn, strings, locale, trials.tried)}
    </section>`;
  }

  /** @param {string} what */
  #choose(what) {
    this.#what = what === "message" ? "message" : "calls";
    this.#context.changed();
  }

  /** @param {string} id @param {string} outcome */
  #chooseOutcome(id, outcome) {
    this.#outcomes = { ...this.#outcomes, [id]: outcome };
    this.#context.changed();
  }

  /** @param {FormData} values */
  async #try(values) {
    const { api, announce, strings } = this.#context;
    const text = (/** @type {string} */ name) => String(values.get(name) ?? "");
    const calls = this.#calls
      .filter(({ call_id: id }) => this.#outcomes[id])
      .map(({ call_id: id }) => ({ call: id, outcome: this.#outcomes[id], value: text(`value-${id}`), say: text(`say-${id}`) }));
    const body = this.#what === "message" ? { message: text("message") } : { calls };
    const done = await this.#made.run(() =>
      api.post(`conversations/${encodeURIComponent(this.#id)}/what-if`, { turn: this.#timeline.turn_id, ...body }),
    );
    if (!done) return;
    announce(strings.conversations.trials.result);
    requestAnimationFrame(() => requestAnimationFrame(() => document.getElementById("tried")?.focus()));
  }
}
