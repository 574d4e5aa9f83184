/** Has a screen reader say what is new: each finished message once, and at once what went wrong. */

import { plainText } from "../markdown/reader.js";
import { wordsFor } from "../strings/index.js";
import { label } from "./attachments.js";
import { problemText } from "./composer.js";

/** @typedef {import("./contract.js").News} News */

const KEPT = 8;

/**
 * @param {ParentNode} panel with a `status` and an `alert`
 * @param {import("./contract.js").ViewState} state
 * @param {readonly News[]} heard what was new before
 */
export function speak(panel, state, heard) {
  const { news, open, locale } = state;
  const last = heard.at(-1)?.n ?? 0;
  for (const one of news) {
    // Who has not opened the panel does not want to be talked to.
    // What is spoken, a screen reader would only talk over.
    const spoken = one.says === "message" && state.microphone.aloud;
    if (one.n > last && open && !spoken) say(panel, one, sentence(one, state, wordsFor(locale)));
  }
}

/** @param {ParentNode} panel @param {News} news @param {string} text */
function say(panel, news, text) {
  const failed = news.says === "file" && news.problem !== null;
  const voice = news.says === "about_voice" && news.urgent;
  const urgent = failed || voice || news.says === "refused" || news.says === "went_wrong" || news.says === "files_busy";
  const place = panel.querySelector(urgent ? "[role=alert]" : "[role=status]");
  const said = document.createElement("p");
  said.textContent = text;
  place?.append(said);
  while (place && place.children.length > KEPT) place.firstElementChild?.remove();
}

/**
 * @param {News} news
 * @param {import("./contract.js").ViewState} state
 * @param {import("../strings/index.js").Words} words
 * @returns {string}
 */
function sentence(news, state, words) {
  switch (news.says) {
    case "message":
      return plainText(news.text);
    case "attached":
      return news.attachments.map((one) => label(one, words)).join(" ");
    case "file":
      return news.problem
        ? `${news.name}: ${problemText(news.problem, state, words)}`
        : words.fileReady(news.name);
    case "about_voice":
      return news.text;
    case "files_busy":
      return words.filesBusy;
    case "person":
      return `${news.name}: ${news.text}`;
    case "joined":
      return words.personThere(news.name);
    case "gone":
      return words.personGone(news.name);
    case "refused":
      return `${words.notSent} ${words.refusals[news.refusal.code] ?? news.refusal.message}`;
    case "yes_or_no":
      return words.answerYesOrNo;
    case "went_wrong":
      return words.wentWrong;
    case "lost":
      return words.lost;
    case "back":
      return words.back;
    default:
      throw new TypeError(`unknown news ${JSON.stringify(/** @type {never} */ (news))}`);
  }
}
