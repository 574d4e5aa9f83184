/** The launcher, and the panel as a whole: a card on a desktop, the whole screen on a phone. */
export const panelStyle = `
.launcher {
  position: fixed;
  inset-block-end: 24px;
  inset-inline-end: 24px;
  z-index: 2147483000;
  display: grid;
  place-items: center;
  width: 60px;
  height: 60px;
  padding: 0;
  border: 2px solid transparent;
  border-radius: 50%;
  background: var(--accent);
  color: var(--on-accent);
  box-shadow: var(--shadow);
  transition: transform 0.16s ease;
}
.launcher:hover {
  transform: translateY(-2px);
}
.launcher .icon {
  grid-area: 1 / 1;
  width: 28px;
  height: 28px;
  transition:
    opacity 0.16s,
    transform 0.16s;
}
.launcher[aria-expanded="false"] .icon-down,
.launcher[aria-expanded="true"] .icon-chat {
  opacity: 0;
  transform: scale(0.6);
}
.unread {
  position: absolute;
  inset-block-start: -4px;
  inset-inline-end: -4px;
  min-width: 24px;
  height: 24px;
  padding: 0 6px;
  border-radius: 12px;
  background: #a32a1e;
  color: #fff;
  font-size: 13px;
  font-weight: 700;
  line-height: 24px;
  text-align: center;
}
.panel {
  position: fixed;
  inset: auto 24px 100px auto;
  z-index: 2147483000;
  margin: 0;
  padding: 0;
  border: 1px solid var(--line);
  border-radius: var(--radius);
  width: min(400px, calc(100vw - 48px));
  height: min(680px, calc(100dvh - 124px));
  max-width: none;
  max-height: none;
  overflow: hidden;
  background: var(--paper);
  color: inherit;
  box-shadow: var(--shadow);
}
.panel:dir(rtl) {
  inset: auto auto 100px 24px;
}
.panel[open] {
  display: flex;
  flex-direction: column;
  animation: rise 0.2s cubic-bezier(0.2, 0.8, 0.3, 1);
}
.panel::backdrop {
  background: none;
}
@keyframes rise {
  from {
    opacity: 0;
    transform: translateY(12px);
  }
}
.head {
  display: flex;
  align-items: center;
  gap: 12px;
  padding: 12px 12px 12px 18px;
  background: var(--deep);
  color: var(--on-deep);
}
.mark {
  display: grid;
  place-items: center;
  width: 36px;
  height: 36px;
  border-radius: 50%;
  background: color-mix(in srgb, var(--on-deep) 16%, transparent);
}
.mark .icon {
  width: 20px;
  height: 20px;
}
.title {
  flex: 1;
  min-width: 0;
  font-size: 16px;
  font-weight: 600;
  line-height: 1.3;
  letter-spacing: 0.005em;
  overflow-wrap: anywhere;
}
.close {
  display: grid;
  place-items: center;
  width: 40px;
  height: 40px;
  padding: 0;
  border: 0;
  border-radius: 50%;
  background: transparent;
}
.close:hover {
  background: color-mix(in srgb, var(--on-deep) 14%, transparent);
}
.head :focus-visible {
  outline-color: var(--on-deep);
  outline-offset: -3px;
}
@media (max-width: 480px), (max-height: 440px) {
  .panel,
  .panel:dir(rtl) {
    inset: 0;
    width: 100%;
    height: 100dvh;
    border: 0;
    border-radius: 0;
  }
  .launcher {
    inset-block-end: 16px;
    inset-inline-end: 16px;
  }
  .head {
    padding-block-start: max(12px, env(safe-area-inset-top));
  }
}
@media (forced-colors: active) {
  .head {
    border-bottom: 1px solid;
  }
}
`;
