/** The widget's icons, drawn with lines in the colour of the surrounding text. */

import { html } from "lit";

const lines = {
  chat: "M4.5 6.5a2 2 0 0 1 2-2h11a2 2 0 0 1 2 2V14a2 2 0 0 1-2 2h-6L7 19.8V16a2 2 0 0 1-2.5-2zM8.5 8.8h7M8.5 12H13",
  clip: "M19.5 11.5l-7.6 7.6a4.6 4.6 0 0 1-6.5-6.5l8-8a3.1 3.1 0 0 1 4.4 4.4l-8 8a1.5 1.5 0 0 1-2.2-2.2l7.2-7.2",
  close: "M6 6l12 12M18 6L6 18",
  down: "M6 9.5l6 6 6-6",
  save: "M12 4.5v10M7.5 10.5l4.5 4.5 4.5-4.5M5 19.5h14",
  send: "M12 19V5.5M6 11.2l6-6 6 6",
  stop: "M7.5 7.5h9v9h-9z",
  up: "M8 20H6a1.5 1.5 0 0 1-1.5-1.5V12A1.5 1.5 0 0 1 6 10.5h2zV10.5l3.6-6.5a2 2 0 0 1 2 2.2L13 9.5h4.8a1.8 1.8 0 0 1 1.7 2.2L18 18.2a2 2 0 0 1-2 1.8z",
  clock: "M12 4.5a7.5 7.5 0 1 0 0 15 7.5 7.5 0 0 0 0-15zM12 8v4.2l2.8 1.6",
  warning: "M12 4.5l8.5 15h-17zM12 10v4.5M12 16.9v.2",
  mic: "M12 4a3 3 0 0 0-3 3v4.5a3 3 0 0 0 6 0V7a3 3 0 0 0-3-3zM5.8 11.5a6.2 6.2 0 0 0 12.4 0M12 17.7V20.5",
  mute: "M9 8.5v3a3 3 0 0 0 4.6 2.5M15 10.5V7a3 3 0 0 0-5.7-1.3M5.8 11.5a6.2 6.2 0 0 0 9.8 5M18.2 11.5c0 .8-.2 1.6-.5 2.3M12 17.7V20.5M4.5 4.5l15 15",
  ok: "M5.5 12.8l4.2 4.2 8.8-9.6",
  failed: "M7 7l10 10M17 7L7 17",
  unsure: "M9 9.2a3 3 0 1 1 4.6 2.6c-1 .6-1.6 1.2-1.6 2.4M12 17.6v.2",
  spinner: "M12 4.5a7.5 7.5 0 1 1-7.5 7.5",
};

/**
 * @param {keyof typeof lines} name
 * @returns {import("lit").TemplateResult} hidden from screen readers, because each icon has a text or a label
 */
export function icon(name) {
  return html`<svg class="icon icon-${name}" viewBox="0 0 24 24" aria-hidden="true"><path d=${lines[name]} /></svg>`;
}
