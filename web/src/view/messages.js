/** Draws the conversation, oldest first; what did not change is not looked at again. */

import { html, nothing } from "lit";
import { guard } from "lit/directives/guard.js";
import { repeat } from "lit/directives/repeat.js";
import { markdown } from "../markdown/directive.js";
import { day, moment, timeOfDay } from "../strings/format.js";
import { attachments, hasContent } from "./attachments.js";
import { icon } from "./icons.js";
import { tools } from "./tools.js";

/** @typedef {import("./contract.js").Item} Item */
/** @typedef {{key: string, render: () => unknown}} Row */

/** @param {import("./contract.js").ViewContext} context */
export function messageList(context) {
  // Not live: the panel's status says each finished message once, where a live list would stammer with the stream.
  return html`
    <div class="list" role="log" aria-live="off" aria-label=${context.strings.conversation}>${repeat(
      rows(context),
      ({ key }) => key,
      ({ render }) => render(),
    )}</div>
  `;
}

/** @param {import("./contract.js").ViewContext} context @returns {Row[]} */
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

// Draws one item of the conversation.

/** @param {import("./contract.js").Item} item @param {import("./contract.js").ViewContext} context */
function renderItem(item, context) {
  switch (item.kind) {
    case "customer":
      return customerMessage(item, context);
    case "assistant":
      return assistantMessage(item, context);
    case "person":
      return personMessage(item, context);
    case "tools":
      return tools(item, context);
    case "went_wrong":
      return html`<p class="notice wrong" part="error">${context.strings.wentWrong}</p>`;
    case "omitted":
      return html`<p class="notice" part="omitted">${context.strings.omitted(item.count)}</p>`;
    default:
      throw new TypeError(`unknown item ${JSON.stringify(/** @type {never} */ (item))}`);
  }
}

// Draws what the assistant says, while it grows and when it is complete.

/** @param {import("./contract.js").AssistantItem} item @param {import("./contract.js").ViewContext} context */
export function assistantMessage(item, context) {
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

// Draws what the customer said, and whether it has arrived.

/** @typedef {import("./contract.js").CustomerItem} CustomerItem */

/** @param {CustomerItem} item @param {import("./contract.js").ViewContext} context */
export function customerMessage(item, context) {
  const { strings } = context;
  return html`
    <div class="row customer">
      <article class="message" part="message customer-message" data-delivery=${item.delivery}>
        <span class="visually-hidden">${strings.you}: </span
        >${item.text === ""
          ? nothing
          : html`<p class="bubble" part="customer-bubble" dir="auto">${item.spoken ? icon("mic") : nothing}${item.text}</p>`}${item.files.map((file) =>
          sentFile(file, strings),
        )}${tail(item, context)}
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

/** @param {CustomerItem} item @param {import("./contract.js").ViewContext} context */
function tail({ id, delivery, refusal }, { strings, actions }) {
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

// Draws what a person of the company says, under their name.

/** @param {import("./contract.js").PersonItem} item @param {import("./contract.js").ViewContext} context */
export function personMessage({ name, text, at }, { state }) {
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

// Draws two buttons to say whether an answer helped.

/** @typedef {import("./contract.js").AssistantItem} AssistantItem */
/** @typedef {import("./contract.js").ViewContext} ViewContext */

/** @param {AssistantItem} item @param {ViewContext} context */
export function ratingButtons(item, context) {
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

// Draws when something was said.

/** @param {number | null} at Unix milliseconds @param {string} locale */
export function time(at, locale) {
  if (at === null) return nothing;
  return html`<time
    class="time"
    part="time"
    datetime=${new Date(at).toISOString()}
    title=${moment(at, locale)}
    >${timeOfDay(at, locale)}</time
  >`;
}
