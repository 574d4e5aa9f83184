/** Makes an element. Text is always text: nothing here parses markup. */

/**
 * @param {string} tag
 * @param {Record<string, string | boolean | null>} [attributes] true sets an empty one; false and null set none
 * @param {...(Node | string)} children
 * @returns {HTMLElement}
 */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}
