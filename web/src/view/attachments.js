/** Draws the pictures and files that tools have attached to a message. */

import { html, nothing } from "lit";
import { size } from "../strings/format.js";
import { icon } from "./icons.js";

/** @typedef {import("./contract.js").AssistantItem} AssistantItem */
/** @typedef {import("./contract.js").Attachment} Attachment */
/** @typedef {import("./contract.js").ViewContext} ViewContext */

/** The largest size of a picture, in pixels, and the smallest size that is easy to touch. */
const MAX_WIDTH = 280;
const MAX_HEIGHT = 240;
const MIN_SIDE = 44;

/** @param {AssistantItem} item @returns {boolean} whether it has text or attachments */
export function hasContent({ text, attachments }) {
  return text.trim() !== "" || attachments.length > 0;
}

/**
 * @param {Attachment} attachment
 * @param {import("../strings/index.js").Strings} strings
 * @returns {string} such as "Picture: the parcel"
 */
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
  const box = boxSize(Number(width), Number(height));
  // The size is set in advance, so that nothing moves when the picture is loaded.
  return html`
    <a class="picture" part="picture" href=${href} target="_blank" rel="noopener noreferrer"
      ><img
        src=${href}
        alt=${name ?? strings.picture}
        width=${box.width}
        height=${box.height}
        loading="lazy"
        decoding="async"
        @error=${replaceByLink}
    /></a>
  `;
}

/** Shows a link in place of a picture that the page's policy blocks. @param {Event} event */
function replaceByLink({ currentTarget }) {
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
function boxSize(width, height) {
  const scale = Math.min(1, MAX_WIDTH / width, MAX_HEIGHT / height);
  return { width: clampSide(width * scale), height: clampSide(height * scale) };
}

/** @param {number} side */
function clampSide(side) {
  return Math.max(MIN_SIDE, Math.round(side));
}

/** @param {string} url @param {string} server @returns {string | null} null if it is not on this server */
function address(url, server) {
  try {
    const at = new URL(url, server);
    return at.origin === new URL(server).origin ? at.href : null;
  } catch {
    return null;
  }
}
