/**
 * Draws the conversation, oldest first. Items that did not change are not rendered again.
 *
 * `ITEM_VIEWS` has one entry for each kind of item; `client/items.js` has the other half.
 */

import { html, nothing } from "lit";
import { guard } from "lit/directives/guard.js";
import { repeat } from "lit/directives/repeat.js";
import { markdown } from "../markdown/directive.js";
import { day, moment, timeOfDay } from "../strings/format.js";
import { attachments, hasContent, label } from "./attachments.js";
import { icon } from "./icons.js";
import { tools } from "./tools.js";

/** @typedef {import("./contract.js").AssistantItem} AssistantItem */
/** @typedef {import("./contract.js").CustomerItem} CustomerItem */
/** @typedef {import("./contract.js").Item} Item */
/** @typedef {import("./contract.js").ViewContext} ViewContext */

/** @typedef {{key: string, render: () => unknown}} Row */

/** @type {import("./contract.js").ItemViews} */
const ITEM_VIEWS = {
  customer: { render: customerMessage, transcript: customerTranscript },
  assistant: { render: assistantMessage, transcript: assistantTranscript },
  person: { render: personMessage, transcript: ({ name: speaker, text, at }) => ({ speaker, text, at }) },
  tools: { render: tools, transcript: () => null },
  went_wrong: {
    render: (_, { strings }) => html`<p class="notice wrong" part="error">${strings.wentWrong}</p>`,
    transcript: () => null,
  },
  omitted: {
    render: ({ count }, { strings }) => html`<p class="notice" part="omitted">${strings.omitted(count)}</p>`,
    transcript: ({ count }, { strings }) => ({ text: strings.omitted(count) }),
  },
};

/** @param {Item} item @param {ViewContext} context */
function renderItem(item, context) {
  return ITEM_VIEWS[item.kind].render(/** @type {never} */ (item), context);
}

/** @param {Item} item @param {ViewContext} context */
export function transcriptEntry(item, context) {
  return ITEM_VIEWS[item.kind].transcript(/** @type {never} */ (item), context);
}

/** @param {ViewContext} context */
export function messageList(context) {
  // Not live: a live list would read each streamed piece. The announcer reads each finished message once.
  return html`
    <div class="list" role="log" aria-live="off" aria-label=${context.strings.conversation}>${repeat(
      rows(context),
      ({ key }) => key,
      ({ render }) => render(),
    )}</div>
  `;
}

/** @param {ViewContext} context @returns {Row[]} */
function rows(context) {
  const { items, locale, assistant } = context.state;
  let today = "";
  return items.flatMap((item) => {
    const key = `${item.kind} ${item.id}`;
    const row = { key, render: () => guard([item, locale, assistant], () => renderItem(item, context)) };
    const date = "at" in item && item.at !== null ? day(item.at, locale) : today;
    const isNext = today !== "" && date !== today;
    today = date;
    return isNext ? [{ key: `day ${key}`, render: () => html`<p class="day" part="day">${date}</p>` }, row] : [row];
  });
}

/** @param {AssistantItem} item @param {ViewContext} context */
function assistantMessage(item, context) {
  const { strings, state } = context;
  const { text, messageKind, interrupted } = item;
  if (!hasContent(item) && !interrupted) return nothing;
  const kind = messageKind ?? "open";
  return html`
    <div class="row assistant" data-message-kind=${kind}>
      <article class="message" part="message assistant-message ${kind}" data-message-kind=${kind}>
        <span class="visually-hidden">${state.assistant?.name ?? strings.assistant}: </span
        ><div
          class="bubble"
          part="assistant-bubble"
          dir="auto"
          ${markdown(text, messageKind !== null, strings.table)}
        ></div
        >${attachments(item, context)}${interrupted ? html`<p class="tail">${strings.interrupted}</p>` : nothing}
      </article>
      ${messageKind === "response"
        ? html`<div class="foot">${time(item.at, state.locale)}${ratingButtons(item, context)}</div>`
        : nothing}
    </div>
  `;
}

/** @param {AssistantItem} item @param {ViewContext} context */
function assistantTranscript(item, { state, strings }) {
  if (!hasContent(item)) return null;
  const text = [item.text.trim(), ...item.attachments.map((one) => `[${label(one, strings)}]`)].join("\n");
  return { speaker: state.assistant?.name ?? strings.assistant, text, at: item.at };
}

/** @param {CustomerItem} item @param {ViewContext} context */
function customerMessage(item, context) {
  const { strings } = context;
  return html`
    <div class="row customer">
      <article class="message" part="message customer-message" data-delivery=${item.delivery}>
        <span class="visually-hidden">${strings.you}: </span
        >${item.text === ""
          ? nothing
          : html`<p class="bubble" part="customer-bubble" dir="auto">${item.spoken ? icon("mic") : nothing}${item.text}</p>`}${item.files.map((file) =>
          sentFile(file, strings),
        )}${deliveryNote(item, context)}
      </article>
    </div>
  `;
}

/** @param {import("./contract.js").SentFile} file @param {import("../strings/index.js").Strings} strings */
function sentFile({ name }, strings) {
  return html`
    <p class="sent-file" part="sent-file">
      ${icon("clip")}<span class="visually-hidden">${strings.attachment}: </span><bdi>${name}</bdi>
    </p>
  `;
}

/** @param {CustomerItem} item @param {ViewContext} context */
function deliveryNote({ id, delivery, refusal }, { strings, actions }) {
  if (delivery === "waiting") return html`<p class="tail">${icon("clock")}${strings.waiting}</p>`;
  if (delivery !== "refused") return nothing;
  const reason = strings.refusals[refusal?.code ?? ""] ?? refusal?.message ?? "";
  const retry = () => actions.retry(id);
  return html`
    <p class="tail">
      <span class="wrong">${strings.notSent} ${reason}</span
      >${refusal?.mayRetry
        ? html`<button class="again" part="retry-button" type="button" @click=${retry}>${strings.tryAgain}</button>`
        : nothing}
    </p>
  `;
}

/** @param {CustomerItem} item @param {ViewContext} context */
function customerTranscript({ delivery, text, files, at }, { strings }) {
  if (delivery !== "logged") return null;
  const names = files.map(({ name }) => `[${strings.attachment}: ${name}]`);
  return { speaker: strings.you, text: [text.trim(), ...names].join("\n"), at };
}

/** @param {import("./contract.js").PersonItem} item @param {ViewContext} context */
function personMessage({ name, text, at }, { state }) {
  return html`
    <div class="row person">
      <article class="message" part="message person-message">
        <p class="who" part="person-name" dir="auto">${name}<span class="visually-hidden">: </span></p>
        <p class="bubble" part="person-bubble" dir="auto">${text}</p>
      </article>
      <div class="foot">${time(at, state.locale)}</div>
    </div>
  `;
}

/** @param {AssistantItem} item @param {ViewContext} context */
function ratingButtons(item, context) {
  return html`<div class="thumbs" part="thumbs">
    ${ratingButton("up", item, context)}${ratingButton("down", item, context)}
  </div>`;
}

/** @param {"up" | "down"} rating @param {AssistantItem} item @param {ViewContext} context */
function ratingButton(rating, { id, rating: rated }, { actions, strings }) {
  const label = rating === "up" ? strings.helpful : strings.notHelpful;
  const rate = () => actions.rate(id, rating === rated ? null : rating);
  return html`
    <button
      class="thumb ${rating}"
      part="thumb"
      type="button"
      aria-label=${label}
      title=${label}
      aria-pressed=${rated === rating}
      @click=${rate}
    >
      ${icon("up")}
    </button>
  `;
}

/** @param {number | null} at Unix milliseconds @param {string} locale */
function time(at, locale) {
  if (at === null) return nothing;
  return html`<time
    class="time"
    part="time"
    datetime=${new Date(at).toISOString()}
    title=${moment(at, locale)}
    >${timeOfDay(at, locale)}</time
  >`;
}
