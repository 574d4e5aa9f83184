/** What waits for a colleague: replies of the assistant, and changes that customers have agreed to. */

import { html, nothing } from "lit";
import { repeat } from "lit/directives/repeat.js";
import { Task } from "../api.js";
import { button, field, onSubmit } from "../parts/controls.js";
import { badge, empty, loaded, notice, problemNotice } from "../parts/messages.js";
import { ago } from "../strings/format.js";
import { replyKey, waitingReply } from "./waiting-reply.js";

/** @typedef {import("../contract.js").Approval} Approval */
/** @typedef {import("../contract.js").Context} Context */
/** @typedef {import("../contract.js").Dialog} Dialog */
/** @typedef {import("../contract.js").Screen} Screen */
/** @typedef {import("../contract.js").Waiting} Waiting */
/** @typedef {import("../contract.js").WaitingReply} WaitingReply */
/** @typedef {import("./waiting-reply.js").ReplyDecision} ReplyDecision */
/** @typedef {"approved" | "declined"} Decision */

/** What others have decided, and what is new, is shown after this time. */
const REFRESH_MS = 2000;

/** @type {Waiting} */
const NOTHING = { approvals: [], replies: [] };

/** @implements {Screen} */
export class ApprovalsScreen {
  #context;
  /** @type {Task<Waiting>} */
  #waiting;
  /** @type {Waiting} what came since, which is not shown yet: nothing moves under the pointer */
  #new = NOTHING;
  /** @type {Map<string, string>} the edited texts of replies, by their keys */
  #drafts = new Map();
  /** @type {Task<unknown>} */
  #reply;
  /** Changes on the server with what waits. */
  #mark = "";
  #timer;

  /** @param {Context} context */
  constructor(context) {
    this.#context = context;
    this.#waiting = new Task(context.changed);
    this.#reply = new Task(context.changed);
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
    const shown = this.#waiting.value ?? NOTHING;
    const showNew = () => this.#show(joined(shown, this.#new));
    return html`<div class="screen">
      <div class="head">
        <h1 tabindex="-1">${this.heading()}</h1>
        ${count(this.#new) > 0 ? button({ text: strings.inbox.newRows(count(this.#new)), run: showNew }) : nothing}
      </div>
      ${this.#reply.problem ? problemNotice(this.#reply.problem, strings) : nothing}
      ${loaded(this.#waiting, strings, () => void this.#load(), (waiting) => this.#lists(waiting))}
    </div>`;
  }

  /** @param {Waiting} waiting */
  #lists({ approvals, replies }) {
    const { approvals: texts, waitingReplies: replyTexts } = this.#context.strings;
    if (approvals.length + replies.length === 0) {
      return empty({ icon: "approvals", title: texts.noneAtAll, text: texts.noneAtAllHint });
    }
    return html`${replies.length > 0
      ? html`<h2>${replyTexts.title}</h2>
          <p class="soft">${replyTexts.text}</p>
          <ul class="approvals" role="list">
            ${repeat(replies, replyKey, (reply) => this.#replyItem(reply))}
          </ul>`
      : nothing}
    ${approvals.length > 0
      ? html`<h2>${texts.changes}</h2>
          <p class="soft">${texts.text}</p>
          <ul class="approvals" role="list">
            ${repeat(approvals, keyOf, (approval) => this.#item(approval))}
          </ul>`
      : nothing}`;
  }

  /** @param {WaitingReply} reply */
  #replyItem(reply) {
    const key = replyKey(reply);
    const draft = this.#drafts.get(key) ?? reply.text;
    const write = (/** @type {string} */ text) => {
      this.#drafts.set(key, text);
      this.#context.changed();
    };
    const decide = (/** @type {ReplyDecision} */ decision) => void this.#decideReply(reply, decision, draft);
    return waitingReply(reply, { draft, write, decide, pending: this.#reply.pending }, this.#context);
  }

  /** @param {WaitingReply} reply @param {ReplyDecision} decision @param {string} draft */
  async #decideReply(reply, decision, draft) {
    const { api, strings, toast } = this.#context;
    const { conversation, turn } = reply;
    const body = { conversation, turn, decision, text: decision === "edited" ? draft.trim() : "" };
    const done = await this.#reply.run(() => api.post("approvals/reply", body));
    if (!done && this.#reply.problem?.code !== "decided") return;
    const { approvals, replies } = this.#waiting.value ?? NOTHING;
    this.#drafts.delete(replyKey(reply));
    this.#show({ approvals, replies: replies.filter((one) => replyKey(one) !== replyKey(reply)) }, this.#new);
    if (done) toast(strings.waitingReplies.done[decision]);
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
    if (await this.#waiting.run(() => this.#ask())) this.#new = NOTHING;
  }

  /** This view of customers' data is recorded. @returns {Promise<Waiting>} */
  async #ask() {
    const { approvals, replies, mark } = await this.#context.api.get("approvals");
    this.#mark = mark;
    return { approvals, replies };
  }

  /** Quietly: a failure is shown with the next thing that the person does. */
  async #refresh() {
    const shown = this.#waiting.value;
    if (document.hidden || this.#waiting.pending || shown === null) return;
    /** @type {Task<Waiting>} */
    const task = new Task(() => {});
    const asked = task.run(async () => {
      const { mark } = await this.#context.api.get("approvals/mark");
      return mark === this.#mark ? joined(shown, this.#new) : this.#ask();
    });
    if (!(await asked) || this.#waiting.value !== shown) return;
    const now = task.value ?? NOTHING;
    const left = only(shown, now, true);
    // In an empty place nothing can be clicked by mistake.
    if (count(left) === 0) this.#show(now);
    else this.#show(left, only(now, shown, false));
  }

  /** @param {Waiting} waiting @param {Waiting} [news] what came since */
  #show(waiting, news = NOTHING) {
    this.#waiting.value = waiting;
    this.#new = news;
    this.#context.changed();
  }

  /** @param {Approval} approval @param {Decision} decision @param {boolean} own false: someone else has decided it */
  #decided(approval, decision, own) {
    const { strings, toast } = this.#context;
    const { approvals, replies } = this.#waiting.value ?? NOTHING;
    this.#show({ approvals: approvals.filter((one) => keyOf(one) !== keyOf(approval)), replies }, this.#new);
    if (own) toast(strings.approvals.done[decision]);
  }
}

/** @param {Waiting} waiting */
function count({ approvals, replies }) {
  return approvals.length + replies.length;
}

/** @param {Waiting} first @param {Waiting} second @returns {Waiting} */
function joined(first, second) {
  return { approvals: [...first.approvals, ...second.approvals], replies: [...first.replies, ...second.replies] };
}

/** What of ``all`` is, or is not, among ``others``. @param {Waiting} all @param {Waiting} others @param {boolean} among @returns {Waiting} */
function only(all, others, among) {
  const approvals = new Set(others.approvals.map(keyOf));
  const replies = new Set(others.replies.map(replyKey));
  return {
    approvals: all.approvals.filter((one) => approvals.has(keyOf(one)) === among),
    replies: all.replies.filter((one) => replies.has(replyKey(one)) === among),
  };
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
