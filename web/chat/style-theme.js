/** Colours, measures and manners that everything in the widget shares. */
export const themeStyle = `
:host {
  color-scheme: light dark;
  --deep: var(--meanwhile-accent, #1f4d45);
  --on-deep: var(--meanwhile-on-accent, #ffffff);
  --accent: var(--meanwhile-accent, #1f4d45);
  --on-accent: var(--meanwhile-on-accent, #ffffff);
  --paper: #ffffff;
  --wash: #f4f2ed;
  --ink: #1b2625;
  --soft: #56625f;
  --line: #dcd8cf;
  --wrong: #a32a1e;
  --right: #1c6a4b;
  --shadow: 0 1px 2px rgb(20 30 28 / 0.1), 0 18px 50px -12px rgb(20 30 28 / 0.35);
  --radius: 18px;
  font: 16px/1.5 var(--meanwhile-font, "Avenir Next", "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif);
  color: var(--ink);
}
@media (prefers-color-scheme: dark) {
  :host {
    --accent: var(--meanwhile-accent-dark, #8ccdb9);
    --on-accent: var(--meanwhile-on-accent-dark, #0c201b);
    --paper: #17201f;
    --wash: #222d2b;
    --ink: #e9eeec;
    --soft: #a5b2ae;
    --line: #34423f;
    --wrong: #ff9d8f;
    --right: #86d6ae;
    --shadow: 0 1px 2px rgb(0 0 0 / 0.4), 0 18px 50px -12px rgb(0 0 0 / 0.8);
  }
}
*,
*::before,
*::after {
  box-sizing: border-box;
}
[hidden] {
  display: none !important;
}
button,
textarea {
  font: inherit;
  color: inherit;
}
button {
  cursor: pointer;
  touch-action: manipulation;
}
p,
h2,
ul {
  margin: 0;
  padding: 0;
}
:focus-visible {
  outline: 3px solid var(--accent);
  outline-offset: 2px;
}
.icon {
  width: 24px;
  height: 24px;
  fill: none;
  stroke: currentColor;
  stroke-width: 2;
  stroke-linecap: round;
  stroke-linejoin: round;
  flex: none;
}
.aside {
  position: absolute;
  width: 1px;
  height: 1px;
  overflow: hidden;
  clip-path: inset(50%);
  white-space: pre;
}
@media (prefers-reduced-motion: reduce) {
  *,
  *::before,
  *::after {
    animation: none !important;
    transition: none !important;
    scroll-behavior: auto !important;
  }
}
`;
