/** The widget's few pictures, drawn with lines in the colour of the text around them. */

const SVG = "http://www.w3.org/2000/svg";

const lines = {
  chat: [
    "M4.5 6.5a2 2 0 0 1 2-2h11a2 2 0 0 1 2 2v7.5a2 2 0 0 1-2 2h-6l-4.5 3.8V16h-.5a2 2 0 0 1-2-2z",
    "M8.5 8.8h7",
    "M8.5 12h4.5",
  ],
  close: ["M6 6l12 12", "M18 6L6 18"],
  down: ["M6 9.5l6 6 6-6"],
  send: ["M12 19V5.5", "M6 11.2l6-6 6 6"],
  stop: ["M7.5 7.5h9v9h-9z"],
  ok: ["M5.5 12.8l4.2 4.2 8.8-9.6"],
  failed: ["M7 7l10 10", "M17 7L7 17"],
  unsure: ["M9 9.2a3 3 0 1 1 4.6 2.6c-1 .6-1.6 1.2-1.6 2.4", "M12 17.6v.2"],
  spinner: ["M12 4.5a7.5 7.5 0 1 1-7.5 7.5"],
};

/**
 * @param {keyof typeof lines} name
 * @returns {SVGElement} hidden from screen readers: words stand beside it
 */
export function icon(name) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("class", `icon icon-${name}`);
  svg.setAttribute("aria-hidden", "true");
  for (const line of lines[name]) {
    const path = document.createElementNS(SVG, "path");
    path.setAttribute("d", line);
    svg.append(path);
  }
  return svg;
}
