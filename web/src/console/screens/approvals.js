/** Changes that wait for a colleague: what the customer agreed to, and why it needs a decision. */

import { html, nothing } from "lit";
import { repeat } from "lit/directives/repeat.js";
import { Task } from "../api.js";
import { button, field, onSubmit } from "../parts/controls.js";
import { badge, empty, loaded, notice, problemNotice } from "../parts/messages.js";
import { ago } from "../strings/format.js";

/** @typedef {import("../contract.js").Approval} Approval */
/** @typedef {import("../contract.js").Context} Context */
/** @typedef {import("../contract.js").Dialog} Dialog */
/** @typedef {import("../contract.js").Screen} Screen */
/** @typedef {"approved" | "declined"} Decision */

/** What others have decided, and what is new, is shown after this time. */
const REFRESH_MS = 5000;

/** @implements {Screen} */
export class ApprovalsScreen {
  #context;
  /** @type {Task<readonly Approval[]>} */
  #approvals;
  /** @type {readonly Approval[]} those that came since, which are not shown yet: nothing moves under the pointer */
  #new = [];
  /** Changes on the server with what waits. */
  #mark = "";
  #timer;

  /** @param {Context} context */
  constructor(context) {
    this.#context = context;
    this.#approvals = new Task(context.changed);
    void this.#load();
    this.#timer = setInterval(() => void this.#refresh(), REFRESH_MS);
  }

  left() {
    clearInterval(this.#timer);
  }

  heading() {
    return this.#context.strings.places.approvals;
  }

  view() {
    const { strings } = this.#context;
    const showNew = () => this.#show([...(this.#approvals.value ?? []), ...this.#new]);
    return html`<div class="screen">
      <div class="head">
        <h1 tabindex="-1">${this.heading()}</h1>
        ${this.#new.length > 0 ? button({ text: strings.inbox.newRows(this.#new.length), run: showNew }) : nothing}
      </div>
      <p class="soft">${strings.approvals.text}</p>
      ${loaded(this.#approvals, strings, () => void this.#load(), (approvals) => this.#list(approvals))}
    </div>`;
  }

  /** @param {readonly Approval[]} approvals */
  #list(approvals) {
    const { approvals: texts } = this.#context.strings;
    if (approvals.length === 0) return empty({ icon: "approvals", title: texts.none, text: texts.noneHint });
    return html`<ul class="approvals" role="list">
      ${repeat(approvals, keyOf, (approval) => this.#item(approval))}
    </ul>`;
  }

  /** @param {Approval} approval */
  #item(approval) {
    const { strings, locale, open, address, may } = this.#context;
    const { approvals: texts } = strings;
    const { customer, tool, does, question, answer, rule, since, conversation } = approval;
    const name = customer.name ?? strings.inbox.visitor(customer.id);
    const decide = (/** @type {Decision} */ decision) => () =>
      open(new DecisionDialog(this.#context, approval, decision, (/** @type {boolean} */ own) => this.#decided(approval, decision, own)));
    return html`<li class="approval" data-approval=${keyOf(approval)}>
      <div class="approval-head">
        <h2>${does || tool}</h2>
        <span class="soft small">${texts.waits(ago(since, locale))}</span>
      </div>
      <dl class="facts">
        <dt>${texts.customer}</dt>
        <dd>
          ${may("conversations.read")
            ? html`<a href=${address(`conversations/${encodeURIComponent(conversation)}`)}>${name}</a>`
            : name}${" "}<span class="soft">${customer.id}</span>${" "}${badge(texts.levels[approval.level])}
        </dd>
        <dt>${texts.question}</dt>
        <dd>
          ${question === null
            ? html`<span class="soft">${texts.noQuestion}</span>`
            : html`${question}<div class="soft">${texts.answer}: ${answer}</div>`}
        </dd>
        <dt>${texts.arguments}</dt>
        <dd>
          <code>${tool}</code>
          <dl class="facts arguments">
            ${Object.entries(approval.arguments).map(
              ([argument, value]) => html`<dt><code>${argument}</code></dt>
                <dd>${typeof value === "string" ? value : JSON.stringify(value)}</dd>`,
            )}
          </dl>
        </dd>
        <dt>${texts.rule}</dt>
        <dd>${rule ? html`<code>${rule}</code>` : texts.always}</dd>
      </dl>
      <div class="buttons">
        ${button({ text: texts.approve, label: texts.approveOf(name), look: "primary", run: decide("approved") })}
        ${button({ text: texts.decline, label: texts.declineOf(name), run: decide("declined") })}
      </div>
    </li>`;
  }

  async #load() {
    if (await this.#approvals.run(() => this.#ask())) this.#new = [];
  }

  /** This view of customers' data is recorded. @returns {Promise<readonly Approval[]>} */
  async #ask() {
    const { approvals, mark } = await this.#context.api.get("approvals");
    this.#mark = mark;
    return approvals;
  }

  /** Quietly: a failure is shown with the next thing that the person does. */
  async #refresh() {
    const shown = this.#approvals.value;
    if (document.hidden || this.#approvals.pending || shown === null) return;
    /** @type {Task<readonly Approval[]>} */
    const task = new Task(() => {});
    const asked = task.run(async () => {
      const { mark } = await this.#context.api.get("approvals/mark");
      return mark === this.#mark ? [...shown, ...this.#new] : this.#ask();
    });
    if (!(await asked) || this.#approvals.value !== shown) return;
    const now = task.value ?? [];
    const keys = new Set(now.map(keyOf));
    const known = new Set(shown.map(keyOf));
    const left = shown.filter((one) => keys.has(keyOf(one)));
    this.#new = now.filter((one) => !known.has(keyOf(one)));
    // In an empty place nothing can be clicked by mistake.
    this.#approvals.value = left.length === 0 ? now : left;
    if (left.length === 0) this.#new = [];
    this.#context.changed();
  }

  /** @param {readonly Approval[]} approvals */
  #show(approvals) {
    this.#approvals.value = approvals;
    this.#new = [];
    this.#context.changed();
  }

  /** @param {Approval} approval @param {Decision} decision @param {boolean} own false: someone else has decided it */
  #decided(approval, decision, own) {
    const { strings, toast } = this.#context;
    this.#approvals.value = (this.#approvals.value ?? []).filter((one) => keyOf(one) !== keyOf(approval));
    this.#context.changed();
    if (own) toast(strings.approvals.done[decision]);
  }
}

/** @param {Approval} approval */
function keyOf({ conversation, turn, call }) {
  return `${conversation}/${turn}/${call}`;
}

/** Asks once, in the words of what will happen. @implements {Dialog} */
class DecisionDialog {
  #context;
  #approval;
  #decision;
  #done;
  /** @type {Task<unknown>} */
  #task;
  #missing = false;

  /** @param {Context} context @param {Approval} approval @param {Decision} decision @param {(own: boolean) => void} done */
  constructor(context, approval, decision, done) {
    this.#context = context;
    this.#approval = approval;
    this.#decision = decision;
    this.#done = done;
    this.#task = new Task(context.changed);
  }

  view() {
    const { strings, close } = this.#context;
    const { approvals: texts } = strings;
    const approved = this.#decision === "approved";
    const { problem } = this.#task;
    if (problem?.code === "decided") return this.#late(problem.message);
    return html`<form id="decision-form" @submit=${onSubmit((values) => void this.#send(String(values.get("why")).trim()))}>
      <h2 id="dialog-title">${approved ? texts.approveQuestion : texts.declineQuestion}</h2>
      ${problem ? problemNotice(problem, strings) : nothing}
      <p>${approved ? texts.approveText : texts.declineText}</p>
      <p><strong>${this.#approval.question ?? this.#approval.does ?? this.#approval.tool}</strong></p>
      ${field({
        name: "why",
        label: approved ? texts.why : texts.whyDeclined,
        first: true,
        ...(this.#missing ? { problem: texts.whyMissing } : {}),
      })}
      <div class="buttons">
        ${button({ text: strings.cancel, run: close })}
        ${button({ text: approved ? texts.approve : texts.decline, look: approved ? "primary" : "danger", pending: this.#task.pending })}
      </div>
    </form>`;
  }

  /** @param {string} message what the server said, such as who was faster */
  #late(message) {
    const { strings, close } = this.#context;
    const end = () => {
      close();
      this.#done(false);
    };
    return html`<div>
      <h2 id="dialog-title" tabindex="-1">${strings.approvals.late}</h2>
      ${notice({ tone: "warn", title: strings.problems.unchanged, text: [message] })}
      <div class="buttons">${button({ text: strings.close, run: end })}</div>
    </div>`;
  }

  /** @param {string} why */
  async #send(why) {
    const { api, close, changed } = this.#context;
    this.#missing = this.#decision === "declined" && why === "";
    if (this.#missing) return changed();
    const { conversation, turn, call } = this.#approval;
    const body = { conversation, turn, call, decision: this.#decision, why: why.slice(0, 300) };
    if (!(await this.#task.run(() => api.post("approvals", body)))) return;
    close();
    this.#done(true);
  }
}
