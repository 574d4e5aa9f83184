/** The address of the browser names the view, so that it can be shared, reloaded and gone back to. */

/** @typedef {import("./contract.js").Route} Route */

/**
 * @param {URL} url
 * @param {URL} base the console's own address, which ends in a slash
 * @returns {Route | null} null: the address is not the console's
 */
export function routeOf(url, base) {
  const home = base.pathname.slice(0, -1);
  if (url.origin !== base.origin || !`${url.pathname}/`.startsWith(`${home}/`)) return null;
  const [view = "", ...item] = url.pathname.slice(home.length).replace(/^\/|\/$/g, "").split("/");
  return { view, item: item.join("/"), query: url.searchParams, fragment: url.hash.slice(1) };
}

/**
 * @param {URL} base
 * @param {string} view
 * @param {Readonly<Record<string, string>>} query an empty value is left out
 * @returns {string}
 */
export function addressOf(base, view, query = {}) {
  const given = Object.entries(query).filter(([, value]) => value !== "");
  const asked = new URLSearchParams(given).toString();
  return `${base.pathname}${view}${asked && `?${asked}`}`;
}

/** Follows links within the page, and the browser's back and forward buttons. */
export class Router {
  #base;
  #onRoute;

  /** @param {URL} base @param {(route: Route) => void} onRoute the address has changed */
  constructor(base, onRoute) {
    this.#base = base;
    this.#onRoute = onRoute;
  }

  /** @returns {Route} */
  get route() {
    return routeOf(new URL(location.href), this.#base) ?? { view: "", item: "", query: new URLSearchParams(), fragment: "" };
  }

  start() {
    addEventListener("popstate", () => this.#onRoute(this.route));
    document.addEventListener("click", (event) => this.#onClick(event));
  }

  /** @param {string} address */
  go(address) {
    if (address === location.pathname + location.search) return;
    history.pushState(null, "", address);
    this.#onRoute(this.route);
  }

  /** Changes the address without a step for the back button. @param {string} address */
  replace(address) {
    history.replaceState(null, "", address);
    this.#onRoute(this.route);
  }

  /** @param {MouseEvent} event */
  #onClick(event) {
    const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
    const changed = event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;
    if (!(link instanceof HTMLAnchorElement) || event.button !== 0 || changed || event.defaultPrevented) return;
    if (link.target || link.dataset.leaves !== undefined) return;
    const url = new URL(link.href);
    if (routeOf(url, this.#base) === null || url.hash) return;
    event.preventDefault();
    this.go(url.pathname + url.search);
  }
}
