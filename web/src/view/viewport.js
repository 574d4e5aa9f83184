/** Fits the panel into what can be seen: a card on a desktop, on a phone all that the screen keyboard leaves. */

/** Here the panel fills the screen, and what is behind it cannot be reached. */
const PHONE = "(max-width: 480px), (max-height: 440px)";

/** @type {WeakSet<ShadowRoot>} */
const watched = new WeakSet();

/** @returns {boolean} */
export function isPhone() {
  return matchMedia(PHONE).matches;
}

/**
 * Calls `onResize` whenever what can be seen has changed, for as long as the widget is on the page.
 *
 * @param {ShadowRoot} root
 * @param {() => void} onResize
 */
export function watchViewport(root, onResize) {
  const viewport = window.visualViewport;
  if (watched.has(root) || viewport === null) return;
  watched.add(root);
  const measure = ruler(root, viewport);
  const resized = () => {
    if (root.host.isConnected) {
      measure();
      onResize();
      return;
    }
    watched.delete(root);
    for (const type of ["resize", "scroll"]) viewport.removeEventListener(type, resized);
  };
  for (const type of ["resize", "scroll"]) viewport.addEventListener(type, resized);
  measure();
}

/**
 * @param {ShadowRoot} root
 * @param {VisualViewport} viewport
 * @returns {() => void} writes into a style sheet of this widget's own, which any content security policy allows
 */
function ruler(root, viewport) {
  const sheet = new CSSStyleSheet();
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
  return () => {
    // Who has zoomed in wants to see less of the panel, not a smaller one.
    const { height, offsetTop, scale } = viewport;
    const fits = scale === 1 ? `.root { --visible-height: ${height}px; --visible-top: ${offsetTop}px }` : "";
    sheet.replaceSync(fits);
  };
}
