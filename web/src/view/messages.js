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
/** @typedef {{key: string, draw: () => unknown}} Row */

/** @param {import("./contract.js").Scene} scene */
export function log(scene) {
  // Not live: the panel's status says each finished message once, where a live list would stammer with the stream.
  return html`
    <div class="list" role="log" aria-live="off" aria-label=${scene.words.conversation}>${repeat(
      rows(scene),
      ({ key }) => key,
      ({ draw }) => draw(),
    )}</div>
  `;
}

/** @param {import("./contract.js").Scene} scene @returns {Row[]} */
function rows(scene) {
  const { items, locale, assistant } = scene.state;
  let today = "";
  return items.flatMap((item) => {
    const key = `${item.kind} ${item.id}`;
    const row = { key, draw: () => guard([item, locale, assistant], () => drawItem(item, scene)) };
    const date = "at" in item && item.at !== null ? day(item.at, locale) : today;
    const isNext = today !== "" && date !== today;
    today = date;
    return isNext ? [{ key: `day ${key}`, draw: () => html`<p class="day" part="day">${date}</p>` }, row] : [row];
  });
}

// Draws one item of the conversation.

/** @param {import("./contract.js").Item} item @param {import("./contract.js").Scene} scene */
function drawItem(item, scene) {
  switch (item.kind) {
    case "customer":
      return customerMessage(item, scene);
    case "assistant":
      return assistantMessage(item, scene);
    case "person":
      return personMessage(item, scene);
    case "tools":
      return tools(item, scene);
    case "went_wrong":
      return html`<p class="notice wrong" part="error">${scene.words.wentWrong}</p>`;
    case "omitted":
      return html`<p class="notice" part="omitted">${scene.words.omitted(item.count)}</p>`;
    default:
      throw new TypeError(`unknown item ${JSON.stringify(/** @type {never} */ (item))}`);
  }
}

// Draws what the assistant says, while it grows and when it is complete.

/** @param {import("./contract.js").AssistantItem} item @param {import("./contract.js").Scene} scene */
export function assistantMessage(item, scene) {
  const { words, state } = scene;
  const { text, says, interrupted } = item;
  if (!hasContent(item) && !interrupted) return nothing;
  const kind = says ?? "open";
  return html`
    <div class="row assistant" data-says=${kind}>
      <article class="message" part="message assistant-message ${kind}" data-says=${kind}>
        <span class="aside">${state.assistant?.name ?? words.assistant}: </span
        ><div
          class="says"
          part="assistant-bubble"
          dir="auto"
          ${markdown(text, says !== null, words.table)}
        ></div
        >${attachments(item, scene)}${interrupted ? html`<p class="tail">${words.interrupted}</p>` : nothing}
      </article>
      ${says === "response"
        ? html`<div class="foot">${time(item.at, state.locale)}${thumbs(item, scene)}</div>`
        : nothing}
    </div>
  `;
}

// Draws what the customer said, and whether it has arrived.

/** @typedef {import("./contract.js").CustomerItem} CustomerItem */

/** @param {CustomerItem} item @param {import("./contract.js").Scene} scene */
export function customerMessage(item, scene) {
  const { words } = scene;
  return html`
    <div class="row customer">
      <article class="message" part="message customer-message" data-delivery=${item.delivery}>
        <span class="aside">${words.you}: </span
        >${item.text === ""
          ? nothing
          : html`<p class="says" part="customer-bubble" dir="auto">${item.spoken ? icon("mic") : nothing}${item.text}</p>`}${item.files.map((file) =>
          sentFile(file, words),
        )}${tail(item, scene)}
      </article>
    </div>
  `;
}

/** @param {import("./contract.js").SentFile} file @param {import("../strings/index.js").Words} words */
function sentFile({ name }, words) {
  return html`
    <p class="sent-file" part="sent-file">
      ${icon("clip")}<span class="aside">${words.attachment}: </span><bdi>${name}</bdi>
    </p>
  `;
}

/** @param {CustomerItem} item @param {import("./contract.js").Scene} scene */
function tail({ id, delivery, refusal }, { words, actions }) {
  if (delivery === "waiting") return html`<p class="tail">${icon("clock")}${words.waiting}</p>`;
  if (delivery !== "refused") return nothing;
  const reason = words.refusals[refusal?.code ?? ""] ?? refusal?.message ?? "";
  const retry = () => actions.retry(id);
  return html`
    <p class="tail">
      <span class="wrong">${words.notSent} ${reason}</span
      >${refusal?.mayRetry
        ? html`<button class="again" part="retry-button" type="button" @click=${retry}>${words.tryAgain}</button>`
        : nothing}
    </p>
  `;
}

// Draws what a person of the company says, under their name.

/** @param {import("./contract.js").PersonItem} item @param {import("./contract.js").Scene} scene */
export function personMessage({ name, text, at }, { state }) {
  return html`
    <div class="row person">
      <article class="message" part="message person-message">
        <p class="who" part="person-name" dir="auto">${name}<span class="aside">: </span></p>
        <p class="says" part="person-bubble" dir="auto">${text}</p>
      </article>
      <div class="foot">${time(at, state.locale)}</div>
    </div>
  `;
}

// Draws two buttons to say whether an answer helped.

/** @typedef {import("./contract.js").AssistantItem} AssistantItem */
/** @typedef {import("./contract.js").Scene} Scene */

/** @param {AssistantItem} item @param {Scene} scene */
export function thumbs(item, scene) {
  return html`<div class="thumbs" part="thumbs">
    ${thumb("up", item, scene)}${thumb("down", item, scene)}
  </div>`;
}

/** @param {"up" | "down"} rating @param {AssistantItem} item @param {Scene} scene */
function thumb(rating, { id, rating: rated }, { actions, words }) {
  const label = rating === "up" ? words.helpful : words.notHelpful;
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
