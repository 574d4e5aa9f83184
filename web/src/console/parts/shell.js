/** Draws the frame around every screen: the places, the account's menu, toasts, dialogs. */

import { html, nothing } from "lit";
import { repeat } from "lit/directives/repeat.js";
import { placesOf } from "../places.js";
import { preference } from "../preferences.js";
import { LANGUAGES } from "../strings/index.js";
import { button, segments, select } from "./controls.js";
import { icon } from "./icons.js";
import { badge } from "./messages.js";

/** @typedef {import("../contract.js").Context} Context */

/**
 * @typedef {object} ShellActions
 * @property {(open: boolean) => void} showPlaces on a phone
 * @property {(name: import("../preferences.js").Preference, value: string) => void} prefer
 * @property {(language: string) => void} chooseLanguage
 * @property {() => void} showShortcuts
 * @property {() => void} signOut
 */

/** @param {Context} context @param {ShellActions} actions @param {{ content: unknown, placesOpen: boolean }} state */
export function shell(context, actions, { content, placesOpen }) {
  const { strings, session } = context;
  return html`
    <a class="skip" href="#main" @click=${skip}>${strings.skip}</a>
    <div class="shell">
      <header class="top">
        ${button({
          text: placesOpen ? strings.closeMenu : strings.menu,
          icon: placesOpen ? "close" : "menu",
          look: "quiet",
          onlyIcon: true,
          run: () => actions.showPlaces(!placesOpen),
        })}
        <span class="company">${session.company}</span>
      </header>
      <nav class="nav" aria-label=${strings.navigation} ?data-open=${placesOpen}>
        <div class="brand">${session.company}${session.sample ? html`<div>${badge(strings.exampleData)}</div>` : nothing}</div>
        <ul class="places" role="list">${placesOf(session).map((place) => placeLink(place, context))}</ul>
        ${accountButton(context)}${accountMenu(context, actions)}
      </nav>
      <main class="main" id="main" tabindex="-1">${context.live.cut ? cutLine(strings) : nothing}${content}</main>
    </div>
  `;
}

/** The live line is cut: what is shown may be old. @param {import("../strings/index.js").Strings} strings */
function cutLine({ live }) {
  return html`<p class="cut-line">${icon("spinner")}<span>${live.cut}</span></p>`;
}

/** @param {Event} event The fragment would become part of the address. */
function skip(event) {
  event.preventDefault();
  document.getElementById("main")?.focus();
}

/** @param {import("../places.js").Place} place @param {Context} context */
function placeLink({ name, icon: sign, startsGroup }, { strings, address, route, waiting }) {
  return html`<li class=${startsGroup ? "starts-group" : nothing}>
    <a class="place" href=${address(name)} aria-current=${route.view === name ? "page" : nothing}>
      ${icon(sign)}<span>${strings.places[name]}</span>${name === "inbox" && waiting > 0
        ? html` <span class="count-badge number" aria-label=${strings.inbox.oneMoreWaits(waiting)} role="img">${waiting}</span>`
        : nothing}
    </a>
  </li>`;
}

/** @param {Context} context */
function accountButton({ strings, session }) {
  const { name } = session.account;
  return html`<button
    class="account-button"
    type="button"
    popovertarget="account-menu"
    aria-label="${name}: ${strings.account.menu}"
  >${icon("person")}<span class="name">${name}</span></button>`;
}

/** @param {Context} context @param {ShellActions} actions */
function accountMenu({ strings, session, address, may }, actions) {
  const { account } = strings;
  const { name, login } = session.account;
  /** @param {import("../preferences.js").Preference} one @param {Record<string, string>} texts */
  const choice = (one, texts) =>
    segments({
      name: one,
      label: account[one],
      value: preference(one),
      options: Object.entries(texts),
      choose: (value) => actions.prefer(one, value),
    });
  return html`<div class="menu account-menu" id="account-menu" popover role="group" aria-label=${account.menu}>
    <div class="who"><strong>${name}</strong><div class="soft small">${login}</div></div>
    <a class="menu-row" href=${address("account")} @click=${closeMenu}>${icon("person")}${account.title}</a>
    <button class="menu-row" type="button" @click=${closing(actions.showShortcuts)}>
      ${icon("keyboard")}${account.shortcuts}
    </button>
    <hr />
    <div class="setting">
      ${select({
        name: "language",
        label: account.language,
        value: strings.locale,
        options: LANGUAGES.map((one) => [one, strings.languages[one]]),
        choose: actions.chooseLanguage,
      })}
    </div>
    ${choice("theme", account.themes)}${choice("density", account.densities)}
    ${may("inbox.read") ? html`${choice("notifications", account.onOff)}${choice("sound", account.onOff)}` : nothing}
    <hr />
    <button class="menu-row" type="button" @click=${closing(actions.signOut)}>${icon("leave")}${account.signOut}</button>
  </div>`;
}

/** @param {() => void} run */
function closing(run) {
  return () => {
    closeMenu();
    run();
  };
}

function closeMenu() {
  document.getElementById("account-menu")?.hidePopover();
}

/**
 * @typedef {object} Toast
 * @property {number} id
 * @property {string} text
 * @property {(() => void) | undefined} undo
 * @property {"ok" | "failed"} icon
 */

/** @param {readonly Toast[]} toasts @param {import("../strings/index.js").Strings} strings @param {(id: number) => void} remove */
export function toastList(toasts, strings, remove) {
  if (toasts.length === 0) return nothing;
  return html`<section class="toasts" aria-label=${strings.messages}>
    ${repeat(
      toasts,
      ({ id }) => id,
      ({ id, text, undo, icon: sign }) => html`<div class="toast" data-toast=${id}>
        ${icon(sign)}<span>${text}</span>
        ${undo
          ? button({
              text: strings.undo,
              look: "quiet",
              run: () => {
                remove(id);
                undo();
              },
            })
          : nothing}
        ${button({ text: strings.close, icon: "close", look: "quiet", onlyIcon: true, run: () => remove(id) })}
      </div>`,
    )}
  </section>`;
}

/** Pages without places, such as that for signing in. @param {string} company @param {unknown} content */
export function plainPage(company, content) {
  return html`<main class="plain-page" id="main" tabindex="-1"><p class="company">${company}</p>${content}</main>`;
}
