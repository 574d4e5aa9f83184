/** The foot of the panel: the state of things, the field to write in, the small print. */
export const composerStyle = `
.activity {
  position: relative;
  display: flex;
  align-items: center;
  justify-content: center;
  gap: 12px;
  padding: 0 18px;
}
.activity > :not([hidden]) {
  margin-block: 4px 6px;
}
.link {
  color: var(--soft);
  font-size: 14px;
}
.link::before {
  content: "";
  display: inline-block;
  width: 8px;
  height: 8px;
  margin-inline-end: 8px;
  border-radius: 50%;
  background: #b8860b;
}
.stop {
  display: flex;
  align-items: center;
  gap: 4px;
  min-height: 34px;
  padding: 3px 16px 3px 10px;
  border: 1px solid var(--line);
  border-radius: 17px;
  background: var(--paper);
  font-size: 14px;
  font-weight: 600;
}
.stop .icon {
  width: 20px;
  height: 20px;
  fill: currentColor;
  stroke-width: 1;
}
.stop:hover,
.latest:hover {
  background: var(--wash);
}
.latest {
  align-self: center;
  display: grid;
  place-items: center;
  width: 36px;
  height: 36px;
  margin-block: -42px 6px;
  padding: 0;
  border: 1px solid var(--line);
  border-radius: 50%;
  background: var(--paper);
  z-index: 1;
  box-shadow: 0 2px 8px rgb(0 0 0 / 0.16);
}
.latest .icon {
  width: 20px;
  height: 20px;
}
.composer {
  display: flex;
  align-items: flex-end;
  gap: 8px;
  margin: 4px 14px 0;
  padding: 5px 5px 5px 8px;
  border: 1.5px solid color-mix(in srgb, var(--soft) 75%, var(--line));
  border-radius: 24px;
  background: var(--paper);
}
.composer:focus-within {
  border-color: var(--accent);
  outline: 1px solid var(--accent);
  outline-offset: 0;
}
.text {
  flex: 1;
  min-width: 0;
  min-height: 40px;
  max-height: 132px;
  padding: 8px 6px;
  border: 0;
  outline: none;
  background: transparent;
  line-height: 24px;
  resize: none;
  field-sizing: content;
}
.text::placeholder {
  color: var(--soft);
  opacity: 1;
}
.send {
  display: grid;
  place-items: center;
  width: 40px;
  height: 40px;
  padding: 0;
  border: 2px solid transparent;
  border-radius: 50%;
  background: var(--accent);
  color: var(--on-accent);
  flex: none;
}
.send .icon {
  width: 22px;
  height: 22px;
}
.note {
  padding: 6px 18px 0;
  color: var(--soft);
  font-size: 12.5px;
  text-align: center;
}
.panel::after {
  content: "";
  flex: none;
  height: max(12px, env(safe-area-inset-bottom));
}
`;
