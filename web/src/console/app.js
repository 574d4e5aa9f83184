/** The console: who is signed in, which view the address names, and everything that is drawn around it. */

import { html, nothing } from "lit";
import { render } from "lit/html.js";
import { Api, ApiProblem } from "./api.js";
import { Keyboard } from "./keyboard.js";
import { Live, WaitingCount } from "./live.js";
import { button } from "./parts/controls.js";
import { loading, problemNotice } from "./parts/messages.js";
import { plainPage, shell, toastList } from "./parts/shell.js";
import { PLACES, placesOf } from "./places.js";
import { Notifications, mayNotify } from "./notifications.js";
import { applyPreferences, prefer, preference, preferredLocale } from "./preferences.js";
import { Router, addressOf } from "./router.js";
import { AccountScreen, ChoosePasswordPage } from "./screens/account.js";
import { DesignScreen } from "./screens/design.js";
import { SCREENS } from "./screens/index.js";
import { ShortcutsDialog } from "./screens/shortcuts.js";
import { LinkPage, SignInAgain, SignInForm, signInNotice } from "./screens/sign-in.js";
import { noPlacesScreen, plannedScreen, unknownScreen } from "./screens/planned.js";
import { languageOf, loadStrings, stringsFor } from "./strings/index.js";
import { applyAccent } from "./styles/index.js";

/** @typedef {import("./contract.js").Context} Context */
/** @typedef {import("./contract.js").Dialog} Dialog */
/** @typedef {import("./contract.js").Route} Route */
/** @typedef {import("./contract.js").Screen} Screen */
/** @typedef {import("./contract.js").Session} Session */
/** @typedef {import("./contract.js").SignInWays} SignInWays */

const TOAST_MS = 8000;

export class App {
  #root;
  #base;
  #api;
  #router;
  #keyboard;
  #live;
  /** @type {Session | null} */
  #session = null;
  /** @type {SignInWays | null} null until the server has said how to sign in */
  #ways = null;
  /** @type {ApiProblem | null} the server could not be asked who is signed in */
  #problem = null;
  /** @type {Route} */
  #route;
  /** @type {{ key: string, screen: Screen } | null} */
  #shown = null;
  #signIn;
  /** @type {import("./contract.js").Provider | null} where the person is still signed in who has just signed out here */
  #elsewhere = null;
  /** @type {Dialog | null} */
  #dialog = null;
  /** @type {{ dialog: SignInAgain, settle: (done: boolean) => void, waiting: Promise<boolean> } | null} */
  #again = null;
  /** @type {import("./parts/shell.js").Toast[]} */
  #toasts = [];
  #toastCount = 0;
  #waiting;
  #notifications;
  #placesOpen = false;
  #focusDue = false;
  /** @type {Element | null} where the dialog was opened */
  #openedFrom = null;
  #frame = 0;

  /** @param {HTMLElement} root @param {URL} base the console's own address, which ends in a slash */
  constructor(root, base) {
    this.#root = root;
    this.#base = base;
    this.#api = new Api(new URL("api/", base), {
      signInAgain: () => this.#signInAgain(),
      askSession: () => this.#askSession(),
    });
    this.#live = new Live(new URL("live", base).href.replace(/^http/, "ws"), {
      changed: () => this.#onLine(),
      signedOut: () => this.#signInAgain(),
    });
    this.#notifications = new Notifications({
      strings: () => this.#strings,
      account: () => this.#session?.account.id ?? "",
      show: (id) => this.#go(this.#address("inbox", { view: "all", id })),
    });
    this.#waiting = new WaitingCount(this.#live, () => this.#changed(), (row) => this.#notifications.heard(row));
    this.#router = new Router(base, (route) => this.#onRoute(route));
    this.#route = this.#router.route;
    this.#keyboard = new Keyboard(
      () => this.#shortcuts(),
      () => preference("shortcuts") === "on",
    );
    this.#signIn = new SignInForm(this.#signInOwner());
  }

  async start() {
    applyPreferences();
    this.#router.start();
    this.#keyboard.start();
    addEventListener("visibilitychange", () => document.hidden || void this.#again?.dialog.check());
    addEventListener("focus", () => void this.#again?.dialog.check());
    await loadStrings(this.#language);
    this.#changed();
    await this.#askWho();
  }

  get #language() {
    return languageOf(this.#session?.account.language || preferredLocale());
  }

  get #strings() {
    return stringsFor(this.#language);
  }

  /** Asks the server who is signed in, and if no one is, how to. */
  async #askWho() {
    this.#problem = null;
    try {
      this.#session = await this.#api.session();
      if (this.#session) this.#keep(this.#session);
      else this.#ways = await this.#api.get("sign-in");
    } catch (problem) {
      if (!(problem instanceof ApiProblem)) throw problem;
      this.#problem = problem;
    }
    await loadStrings(this.#language);
    if (this.#session) this.#onRoute(this.#route);
    else this.#changed();
  }

  // Sessions

  #signInOwner() {
    const app = this;
    return {
      api: this.#api,
      get strings() {
        return app.#strings;
      },
      changed: () => this.#changed(),
      begin: (/** @type {Session} */ session) => void this.#begin(session),
    };
  }

  /** Someone has signed in on the page for it. @param {Session} session */
  async #begin(session) {
    const byLink = this.#route.view === "link";
    this.#keep(session);
    await loadStrings(this.#language);
    this.#leaveScreen();
    this.#focusDue = true;
    this.#elsewhere = null;
    if (byLink) this.#router.replace(this.#address(session.passwords ? "password" : ""));
    else this.#router.replace(location.pathname + location.search);
  }

  /** @param {Session} session */
  #keep(session) {
    this.#session = session;
    this.#api.csrf = session.csrf;
    if (session.may.includes("inbox.read")) this.#waiting.follow();
    this.#changed();
  }


  /** The session has ended: asks for the password again, above what is shown. @returns {Promise<boolean>} */
  async #signInAgain() {
    const before = this.#session;
    if (before === null) return false;
    if (this.#again) return this.#again.waiting;
    /** @type {SignInWays} */
    const ways = this.#ways ?? (await this.#api.get("sign-in"));
    this.#ways = ways;
    let settle = (/** @type {boolean} */ _) => {};
    const waiting = new Promise((/** @type {(done: boolean) => void} */ resolve) => (settle = resolve));
    const owner = this.#signInOwner();
    const dialog = new SignInAgain({
      ...owner,
      strings: this.#strings,
      ways,
      login: before.account.login,
      begin: (session) => this.#goOn(before, session),
      leave: () => this.#leave(),
    });
    this.#again = { dialog, settle, waiting };
    this.#changed();
    return waiting;
  }

  /** Another tab has begun another session. @returns {Promise<boolean>} whether it is of the same account */
  async #askSession() {
    const before = this.#session;
    const session = await this.#api.session();
    if (session === null) return this.#signInAgain();
    if (before) this.#goOn(before, session);
    return before?.account.id === session.account.id;
  }

  /** @param {Session} before @param {Session} session */
  #goOn(before, session) {
    this.#keep(session);
    const same = before.account.id === session.account.id;
    this.#endAgain(same);
    if (same) return;
    // Nothing that the other person opened or typed may stay.
    this.#dialog = null;
    this.#leaveScreen();
    this.#waiting.stop();
    this.#notifications.forget();
    this.#keep(session);
    this.#toast(this.#strings.again.another);
    this.#onRoute(this.#route);
  }

  /** @param {boolean} done */
  #endAgain(done) {
    this.#again?.settle(done);
    this.#again = null;
    this.#changed();
  }

  async #signOut() {
    /** @type {import("./contract.js").SignedOut} */
    let signedOut = { elsewhere: null };
    try {
      signedOut = await this.#api.remove("session");
    } catch (problem) {
      if (!(problem instanceof ApiProblem)) throw problem;
      // Signed out is what was wanted.
      if (problem.kind !== "signed_out") return this.#toast(this.#strings.problems[problem.kind], undefined, "failed");
    }
    this.#leave();
    this.#elsewhere = signedOut.elsewhere;
  }

  /** No one is signed in any more. */
  #leave() {
    this.#session = null;
    this.#api.csrf = "";
    this.#dialog = null;
    this.#leaveScreen();
    this.#waiting.stop();
    this.#notifications.forget();
    this.#endAgain(false);
    this.#signIn = new SignInForm(this.#signInOwner());
    this.#focusDue = true;
    this.#router.replace(this.#address(""));
    this.#announce(this.#strings.signIn.out);
    void this.#askWho();
  }

  // Views

  /** @param {Route} route */
  #onRoute(route) {
    const before = this.#route;
    this.#route = route;
    this.#placesOpen = false;
    if (this.#session && route.view === "") {
      const [first] = placesOf(this.#session);
      if (first) return this.#router.replace(this.#address(first.name));
    }
    if (this.#shown?.key === this.#screenKey() && before.view === route.view) this.#shown.screen.routeChanged?.();
    if (before.view !== route.view || before.item !== route.item) {
      this.#dialog = null;
      this.#focusDue = true;
    }
    this.#changed();
  }

  /** Another key needs another screen. */
  #screenKey() {
    return `${this.#route.view} ${this.#session?.account.id ?? ""} ${this.#route.view === "link" ? this.#route.fragment : ""}`;
  }

  /** @returns {Screen} */
  #screen() {
    const key = this.#screenKey();
    if (this.#shown?.key !== key) {
      this.#leaveScreen();
      this.#shown = { key, screen: this.#newScreen() };
    }
    return /** @type {{ screen: Screen }} */ (this.#shown).screen;
  }

  #leaveScreen() {
    this.#shown?.screen.left?.();
    this.#shown = null;
  }

  /** @returns {Screen} */
  #newScreen() {
    const { view, item, fragment } = this.#route;
    const context = this.#context;
    if (view === "design") return new DesignScreen(context);
    if (view === "link") {
      const passwords = this.#session?.passwords ?? this.#ways?.password ?? true;
      return new LinkPage(this.#signInOwner(), fragment, this.#address(""), passwords);
    }
    if (view === "password") return new ChoosePasswordPage(context, () => this.#go(this.#address("")));
    if (view === "account") return new AccountScreen(context, (account) => this.#keep({ ...context.session, account }));
    if (view === "") return noPlacesScreen(context);
    const place = PLACES.find(({ name }) => name === view);
    if (!place || !context.may(place.permission) || (item && !place.hasItems)) return unknownScreen(context);
    return SCREENS[place.name]?.(context) ?? plannedScreen(context, place);
  }

  /** What screens get. It is only used while someone is signed in. @type {Context} */
  #context = (() => {
    const app = this;
    return {
      get api() {
        return app.#api;
      },
      get session() {
        return /** @type {Session} */ (app.#session);
      },
      get strings() {
        return app.#strings;
      },
      get locale() {
        return app.#strings.locale;
      },
      get route() {
        return app.#route;
      },
      get live() {
        return app.#live;
      },
      get waiting() {
        return app.#waiting.count;
      },
      may: (permission) => app.#session?.may.includes(permission) ?? false,
      changed: () => app.#changed(),
      announce: (text) => app.#announce(text),
      toast: (text, undo) => app.#toast(text, undo),
      address: (view, query) => app.#address(view, query),
      go: (address) => app.#go(address),
      open: (dialog) => app.#open(dialog),
      close: () => app.#open(null),
    };
  })();

  /** @param {string} view @param {Readonly<Record<string, string>>} [query] */
  #address(view, query) {
    return addressOf(this.#base, view, query);
  }

  /** @param {string} address */
  #go(address) {
    this.#router.go(address);
  }

  /** @param {Dialog | null} dialog */
  #open(dialog) {
    this.#dialog = dialog;
    this.#changed();
  }

  /** @returns {readonly import("./contract.js").Shortcut[]} */
  #shortcuts() {
    if (this.#session === null) return [];
    const { keyboard, places } = this.#strings;
    return [
      { keys: "?", label: keyboard.help, run: () => this.#showShortcuts() },
      ...(this.#shown?.screen.shortcuts?.() ?? []),
      ...(this.#context.may("assistant.pause")
        ? [{ keys: "!", label: keyboard.goTo(places.stop), run: () => this.#go(this.#address("stop")) }]
        : []),
      ...placesOf(this.#session).map(({ name, key }) => ({
        keys: `g ${key}`,
        label: keyboard.goTo(places[name]),
        run: () => this.#go(this.#address(name)),
      })),
    ];
  }

  #showShortcuts() {
    this.#open(new ShortcutsDialog(this.#context, this.#shortcuts()));
  }

  // Messages

  /** The live line was cut, or is whole again. */
  #onLine() {
    const { live } = this.#strings;
    if (this.#session) this.#announce(this.#live.cut ? live.cut : live.whole);
    this.#changed();
  }

  /** @param {string} text */
  #announce(text) {
    const place = this.#root.querySelector("[role=status]");
    const paragraph = document.createElement("p");
    paragraph.textContent = text;
    place?.replaceChildren(paragraph);
  }

  /** @param {string} text @param {(() => void) | undefined} [undo] @param {"ok" | "failed"} [icon] */
  #toast(text, undo, icon = "ok") {
    const id = ++this.#toastCount;
    this.#toasts = [...this.#toasts, { id, text, undo, icon }].slice(-3);
    this.#announce(text);
    this.#changed();
    const end = () => {
      const held = this.#root.querySelector(`[data-toast="${id}"]:is(:hover, :focus-within)`);
      if (held) setTimeout(end, TOAST_MS / 4);
      else this.#removeToast(id);
    };
    setTimeout(end, TOAST_MS);
  }

  /** @param {number} id */
  #removeToast(id) {
    const hadFocus = this.#root.querySelector(`[data-toast="${id}"]:focus-within`) !== null;
    this.#toasts = this.#toasts.filter((toast) => toast.id !== id);
    this.#focusDue ||= hadFocus;
    this.#changed();
  }

  // Drawing

  /** Draws at most once per animation frame, with the newest state. */
  #changed() {
    this.#frame ||= requestAnimationFrame(() => this.#render());
  }

  #render() {
    this.#frame = 0;
    applyAccent(this.#session?.accent ?? this.#ways?.accent ?? null);
    const { locale } = this.#strings;
    document.documentElement.lang = locale;
    render(
      html`${this.#page()}${toastList(this.#toasts, this.#strings, (id) => this.#removeToast(id))}
        <dialog class="dialog" id="dialog" aria-labelledby="dialog-title" @close=${() => this.#onClose()}>
          ${this.#dialog?.view() ?? nothing}
        </dialog>
        <dialog class="dialog" id="again" aria-labelledby="again-title" @cancel=${prevent} @close=${() => this.#changed()}>
          ${this.#again?.dialog.view() ?? nothing}
        </dialog>
        <div class="visually-hidden" role="status"></div>`,
      this.#root,
    );
    this.#afterRender();
  }

  #page() {
    const { view } = this.#route;
    if (view === "design") return this.#screen().view();
    if (view === "link" && (this.#session || this.#ways)) return plainPage(this.#company, this.#screen().view());
    if (this.#session === null) return plainPage(this.#company, this.#signInPage());
    if (view === "password") return plainPage(this.#company, this.#screen().view());
    return shell(this.#context, this.#shellActions, { content: this.#screen().view(), placesOpen: this.#placesOpen });
  }

  get #company() {
    return this.#session?.company ?? this.#ways?.company ?? "";
  }

  #signInPage() {
    const strings = this.#strings;
    if (this.#problem)
      return html`<h1 tabindex="-1">${strings.console}</h1>
        ${problemNotice(this.#problem, strings, () => void this.#askWho())}`;
    if (this.#ways === null) return loading(strings);
    const back = location.pathname + location.search;
    return html`<h1 tabindex="-1">${strings.signIn.title}</h1>
      ${signInNotice(this.#route.fragment, this.#elsewhere, strings)}
      ${this.#signIn.view(this.#ways, { back })}
      <div class="languages">
        ${button({
          text: this.#language === "en" ? strings.languages.de : strings.languages.en,
          look: "quiet",
          run: () => void this.#preferLanguage(this.#language === "en" ? "de" : "en"),
        })}
      </div>`;
  }

  /** @type {import("./parts/shell.js").ShellActions} */
  #shellActions = {
    showPlaces: (open) => {
      this.#placesOpen = open;
      this.#changed();
    },
    prefer: (name, value) => {
      prefer(name, value);
      if (name === "notifications" && value === "on") void this.#askToNotify();
      this.#changed();
    },
    chooseLanguage: (language) => void this.#chooseLanguage(language),
    showShortcuts: () => this.#showShortcuts(),
    signOut: () => void this.#signOut(),
  };

  async #askToNotify() {
    if (await mayNotify()) return;
    prefer("notifications", "off");
    this.#toast(this.#strings.notifications.denied, undefined, "failed");
    this.#changed();
  }

  /** For this browser. @param {string} language */
  async #preferLanguage(language) {
    prefer("locale", language);
    await loadStrings(languageOf(language));
    this.#changed();
  }

  /** For the account. @param {string} language */
  async #chooseLanguage(language) {
    try {
      await this.#api.patch("account", { language });
    } catch (problem) {
      if (!(problem instanceof ApiProblem)) throw problem;
      this.#changed();
      return this.#toast(this.#strings.problems[problem.kind], undefined, "failed");
    }
    const { session } = this.#context;
    await this.#preferLanguage(language);
    this.#keep({ ...session, account: { ...session.account, language } });
    this.#toast(this.#strings.account.languageSaved);
  }

  /** Does what a template cannot: dialogs, the title of the window, the focus. */
  #afterRender() {
    this.#showDialog("dialog", this.#dialog !== null);
    this.#showDialog("again", this.#again !== null);
    const heading = this.#root.querySelector("h1");
    const company = this.#company;
    const count = this.#waiting.count > 0 ? `(${this.#waiting.count}) ` : "";
    document.title = count + [heading?.textContent, company, this.#strings.console].filter(Boolean).join(" · ");
    if (!this.#focusDue || !heading) return;
    this.#focusDue = false;
    heading.focus();
    document.getElementById("main")?.scrollTo(0, 0);
  }

  /** @param {string} id @param {boolean} open */
  #showDialog(id, open) {
    const dialog = /** @type {HTMLDialogElement} */ (this.#root.querySelector(`#${id}`));
    if (open === dialog.open) return;
    if (open) {
      this.#openedFrom = document.activeElement?.closest("tr, main") ?? null;
      dialog.showModal();
      return;
    }
    dialog.close();
    // The browser gives the focus back to the button that opened the dialog, unless that is gone.
    if (document.activeElement !== document.body) return;
    const near = this.#openedFrom?.isConnected ? this.#openedFrom.querySelector("button") : null;
    if (near instanceof HTMLElement) near.focus();
    else this.#root.querySelector("h1")?.focus();
  }

  /** The dialog was closed by the browser, for the Escape key. */
  #onClose() {
    const dialog = this.#root.querySelector("#dialog");
    if (dialog instanceof HTMLDialogElement && !dialog.open) this.#open(null);
  }
}

/** @param {Event} event */
function prevent(event) {
  event.preventDefault();
}
