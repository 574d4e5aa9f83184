/** The conversation: who said what. */
export const messagesStyle = `
.scroller {
  flex: 1;
  min-height: 0;
  overflow-y: auto;
  overscroll-behavior: contain;
  padding: 18px 18px 14px;
  display: flex;
  flex-direction: column;
  gap: 12px;
}
.scroller:focus-visible {
  outline-offset: -3px;
}
.intro {
  display: flex;
  flex-direction: column;
  gap: 10px;
}
.disclosure {
  align-self: center;
  color: var(--soft);
  font-size: 13px;
  text-align: center;
}
.greeting,
.message .says {
  width: fit-content;
  max-width: 86%;
  padding: 10px 14px;
  border-radius: 16px;
  white-space: pre-wrap;
  overflow-wrap: anywhere;
}
.greeting,
.assistant .says {
  background: var(--wash);
  border-end-start-radius: 5px;
}
.starters {
  display: flex;
  flex-direction: column;
  align-items: flex-end;
  gap: 8px;
  margin-block-start: 4px;
}
.starter {
  min-height: 40px;
  padding: 7px 14px;
  border: 1px solid color-mix(in srgb, var(--accent) 55%, var(--line));
  border-radius: 20px;
  background: transparent;
  color: var(--accent);
  font-size: 15px;
  line-height: 1.35;
  text-align: start;
  transition: background 0.12s;
}
.starter:hover {
  background: color-mix(in srgb, var(--accent) 9%, transparent);
}
.list {
  display: flex;
  flex-direction: column;
  gap: 10px;
}
.list:empty {
  display: none;
}
.message {
  display: flex;
  flex-direction: column;
}
.customer {
  align-items: flex-end;
}
.customer .says {
  background: var(--deep);
  color: var(--on-deep);
  border-end-end-radius: 5px;
}
.customer[data-delivery="waiting"] .says {
  opacity: 0.72;
}
.customer[data-delivery="refused"] .says {
  background: transparent;
  color: inherit;
  border: 1px dashed var(--wrong);
}
.assistant .says {
  transition:
    background 0.25s,
    padding 0.25s;
}
.assistant:is([data-says="acknowledgement"], [data-says="status"]) .says {
  background: transparent;
  color: var(--soft);
  padding: 2px 0;
  max-width: 100%;
  border-radius: 0;
}
.tail {
  display: flex;
  flex-wrap: wrap;
  align-items: center;
  gap: 4px 10px;
  color: var(--soft);
  font-size: 13px;
}
.customer .tail {
  justify-content: flex-end;
}
.tail:not(:empty) {
  margin-block-start: 3px;
}
.wrong {
  color: var(--wrong);
}
.again {
  min-height: 28px;
  padding: 2px 10px;
  border: 1px solid var(--line);
  border-radius: 14px;
  background: transparent;
  font-weight: 600;
}
.notice {
  align-self: center;
  max-width: 92%;
  padding: 8px 14px;
  border: 1px solid transparent;
  border-radius: 12px;
  color: var(--soft);
  font-size: 14px;
  text-align: center;
  overflow-wrap: anywhere;
}
.notice.wrong {
  border-color: color-mix(in srgb, var(--wrong) 45%, var(--line));
  color: var(--wrong);
}
`;
