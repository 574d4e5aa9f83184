/** Draws buttons, fields and choices. Every one has a text that says what it does. */

import { html, nothing } from "lit";
import { live } from "lit/directives/live.js";
import { icon } from "./icons.js";

/** @typedef {import("./icons.js").IconName} IconName */

/**
 * @typedef {object} ButtonOptions
 * @property {string} text
 * @property {() => void} [run] nothing for the button that sends a form
 * @property {"primary" | "danger" | "quiet" | "plain"} [look]
 * @property {IconName} [icon]
 * @property {string} [label] its name for a screen reader where the text alone is ambiguous; it begins with the text
 * @property {boolean} [pending] its request is under way
 * @property {boolean} [wide]
 * @property {boolean} [onlyIcon] the text is only for screen readers and the tooltip
 */

/** @param {ButtonOptions} options */
export function button({ text, run, look = "plain", icon: name, label, pending = false, wide = false, onlyIcon = false }) {
  const press = () => pending || run?.();
  const shown = pending ? "spinner" : name;
  return html`<button
    class="button ${look}${wide ? " wide" : ""}${onlyIcon ? " only-icon" : ""}"
    type=${run ? "button" : "submit"}
    aria-label=${label ?? (onlyIcon ? text : nothing)}
    title=${onlyIcon ? text : nothing}
    aria-disabled=${pending ? "true" : nothing}
    @click=${press}
  >${shown ? icon(shown) : nothing}${onlyIcon ? nothing : text}</button>`;
}

/**
 * @typedef {object} FieldOptions
 * @property {string} name of the value, and of the element's id
 * @property {string} label
 * @property {string} [value] what it holds at first
 * @property {string} [hint]
 * @property {string} [problem] what is wrong with the value
 * @property {string} [type]
 * @property {string} [autocomplete]
 * @property {boolean} [readonly]
 * @property {boolean} [first] gets the focus when its dialog is opened
 * @property {unknown} [after] a button beside it
 */

/** A line of text with its label. It keeps what was typed when it is drawn again. @param {FieldOptions} options */
export function field({ name, label, value = "", hint, problem, type = "text", autocomplete = "off", readonly = false, first = false, after }) {
  const described = [hint && `${name}-hint`, problem && `${name}-problem`].filter(Boolean).join(" ");
  const plain = type === "password" || autocomplete === "username";
  const input = html`<input
    class="input"
    id=${name}
    name=${name}
    type=${type}
    value=${value}
    autocomplete=${/** @type {any} */ (autocomplete)}
    autocapitalize=${plain ? "none" : nothing}
    spellcheck=${plain ? "false" : nothing}
    ?readonly=${readonly}
    ?autofocus=${first}
    aria-invalid=${problem ? "true" : nothing}
    aria-describedby=${described || nothing}
  />`;
  return html`<div class="field">
    <label for=${name}>${label}</label>
    ${after ? html`<div class="with-button">${input}${after}</div>` : input}
    ${hint ? html`<p class="hint" id="${name}-hint">${hint}</p>` : nothing}${fieldProblem(name, problem)}
  </div>`;
}

/** @param {string} name @param {string | undefined} problem */
export function fieldProblem(name, problem) {
  return problem ? html`<p class="problem" id="${name}-problem">${icon("failed")}<span>${problem}</span></p>` : nothing;
}

/**
 * @typedef {object} SelectOptions
 * @property {string} name
 * @property {string} label
 * @property {string} value
 * @property {readonly (readonly [string, string])[]} options value and text of each
 * @property {(value: string) => void} choose
 */

/** @param {SelectOptions} options */
export function select({ name, label, value, options, choose }) {
  const changed = (/** @type {Event} */ { target }) => choose(/** @type {HTMLSelectElement} */ (target).value);
  return html`<div class="field">
    <label for=${name}>${label}</label>
    <select class="select" id=${name} name=${name} @change=${changed}>
      ${options.map(([one, text]) => html`<option value=${one} .selected=${live(one === value)}>${text}</option>`)}
    </select>
  </div>`;
}

/**
 * A few exclusive choices side by side.
 *
 * @param {SelectOptions} options
 */
export function segments({ name, label, value, options, choose }) {
  return html`<div class="setting" role="radiogroup" aria-labelledby="${name}-label">
    <span class="label" id="${name}-label">${label}</span>
    <div class="segments">
      ${options.map(
        ([one, text]) => html`<label
          ><input type="radio" name=${name} value=${one} .checked=${live(one === value)} @change=${() => choose(one)} />${text}</label
        >`,
      )}
    </div>
  </div>`;
}

/**
 * A checkbox with a text and a sentence below it.
 *
 * @param {{ name: string, value: string, text: string, hint?: string, checked: boolean }} options
 */
export function choice({ name, value, text, hint, checked }) {
  const id = `${name}-${value}`;
  return html`<label class="choice">
    <input type="checkbox" name=${name} value=${value} ?checked=${checked} aria-labelledby="${id}-text" aria-describedby=${hint ? `${id}-hint` : nothing} />
    <span id="${id}-text">${text}</span>
    ${hint ? html`<span class="hint" id="${id}-hint">${hint}</span>` : nothing}
  </label>`;
}

/**
 * @param {(values: FormData) => void} send
 * @returns {(event: SubmitEvent) => void}
 */
export function onSubmit(send) {
  return (event) => {
    event.preventDefault();
    send(new FormData(/** @type {HTMLFormElement} */ (event.currentTarget)));
  };
}

/** Puts the focus into the first field that has a problem, after it was drawn. @param {string} form its selector */
export function focusProblem(form) {
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      const wrong = document.querySelector(`${form} [aria-invalid=true]`);
      if (wrong instanceof HTMLElement) wrong.focus();
    }),
  );
}
