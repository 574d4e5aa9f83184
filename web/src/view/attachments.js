/** Draws what tools gave beside their results: pictures to be looked at, files to be saved. */

import { html, nothing } from "lit";
import { size } from "../strings/format.js";
import { icon } from "./icons.js";

/** @typedef {import("./contract.js").Attachment} Attachment */
/** @typedef {import("./contract.js").AssistantItem} AssistantItem */
/** @typedef {import("./contract.js").ViewContext} ViewContext */

/** The largest box that a picture is shown in, in pixels, and the smallest that a finger hits. */
const WIDEST = 280;
const HIGHEST = 240;
const LEAST = 44;

/** @param {AssistantItem} item @returns {boolean} whether there is anything of it to show */
export function hasContent({ text, attachments }) {
  return text.trim() !== "" || attachments.length > 0;
}

/** @param {Attachment} attachment @param {import("../strings/index.js").Strings} strings @returns {string} such as "Picture: the parcel" */
export function label({ name, width }, strings) {
  const kind = width ? strings.picture : strings.attachment;
  return name ? `${kind}: ${name}` : kind;
}

/** @param {AssistantItem} item @param {ViewContext} context */
export function attachments({ attachments }, context) {
  const drawn = attachments.flatMap((one) => {
    const href = address(one.url, context.state.server);
    return href === null ? [] : [one.width ? picture(one, href, context) : file(one, href, context)];
  });
  return drawn.length > 0 ? html`<div class="attachments" part="attachments">${drawn}</div>` : nothing;
}

/** @param {Attachment} attachment @param {string} href @param {ViewContext} context */
function picture({ name, width, height }, href, { strings }) {
  const box = boxOf(Number(width), Number(height));
  // Its box is there before it is, so that nothing jumps when it comes.
  return html`
    <a class="picture" part="picture" href=${href} target="_blank" rel="noopener noreferrer"
      ><img
        src=${href}
        alt=${name ?? strings.picture}
        width=${box.width}
        height=${box.height}
        loading="lazy"
        decoding="async"
        @error=${nameInstead}
    /></a>
  `;
}

/** A picture that the page's policy forbids is a link like any other. @param {Event} event */
function nameInstead({ currentTarget }) {
  const image = /** @type {HTMLImageElement} */ (currentTarget);
  const link = /** @type {HTMLElement} */ (image.parentElement);
  image.hidden = true;
  link.className = "file";
  link.append(image.alt);
}

/** @param {Attachment} attachment @param {string} href @param {ViewContext} context */
function file({ name, bytes }, href, { strings, state }) {
  return html`
    <a class="file" part="file" href=${href} target="_blank" rel="noopener noreferrer"
      >${icon("save")}<span dir="auto">${name ?? strings.attachment}</span
      ><span class="size">${size(bytes, state.locale)}</span></a
    >
  `;
}

/** @param {number} width @param {number} height */
function boxOf(width, height) {
  const scale = Math.min(1, WIDEST / width, HIGHEST / height);
  return { width: fitting(width * scale), height: fitting(height * scale) };
}

/** @param {number} side */
function fitting(side) {
  return Math.max(LEAST, Math.round(side));
}

/** @param {string} url @param {string} server @returns {string | null} null for what lies on no server of ours */
function address(url, server) {
  try {
    const at = new URL(url, server);
    return at.origin === new URL(server).origin ? at.href : null;
  } catch {
    return null;
  }
}
