/** The conversation: who said what, what is being looked up, what is asked. */
export const messagesStyle = `
.scroller { flex: 1; min-height: 0; overflow-y: auto; overscroll-behavior: contain; padding: 18px 18px 14px; display: flex; flex-direction: column; gap: 12px; }
.scroller:focus-visible { outline-offset: -3px; }
.intro { display: flex; flex-direction: column; gap: 10px; }
.disclosure { align-self: center; color: var(--soft); font-size: 13px; text-align: center; }
.greeting, .message .says { width: fit-content; max-width: 86%; padding: 10px 14px; border-radius: 16px; white-space: pre-wrap; overflow-wrap: anywhere; }
.greeting, .assistant .says { background: var(--wash); border-end-start-radius: 5px; }
.starters { display: flex; flex-direction: column; align-items: flex-end; gap: 8px; margin-block-start: 4px; }
.starter {
  min-height: 40px; padding: 7px 14px; border: 1px solid color-mix(in srgb, var(--accent) 55%, var(--line)); border-radius: 20px; background: transparent;
  color: var(--accent); font-size: 15px; line-height: 1.35; text-align: start; transition: background .12s;
}
.starter:hover { background: color-mix(in srgb, var(--accent) 9%, transparent); }
.list { display: flex; flex-direction: column; gap: 10px; }
.list:empty { display: none; }
.message { display: flex; flex-direction: column; }
.customer { align-items: flex-end; }
.customer .says { background: var(--deep); color: var(--on-deep); border-end-end-radius: 5px; }
.customer[data-delivery="waiting"] .says { opacity: .72; }
.customer[data-delivery="refused"] .says { background: transparent; color: inherit; border: 1px dashed var(--wrong); }
.assistant .says { transition: background .25s, padding .25s; }
.assistant:is([data-says="acknowledgement"], [data-says="status"]) .says { background: transparent; color: var(--soft); padding: 2px 0; max-width: 100%; border-radius: 0; }
.tail { display: flex; flex-wrap: wrap; align-items: center; gap: 4px 10px; color: var(--soft); font-size: 13px; }
.customer .tail { justify-content: flex-end; }
.tail:not(:empty) { margin-block-start: 3px; }
.wrong { color: var(--wrong); }
.again { min-height: 28px; padding: 2px 10px; border: 1px solid var(--line); border-radius: 14px; background: transparent; font-weight: 600; }
.tools { display: flex; flex-direction: column; align-items: flex-start; gap: 6px; list-style: none; }
.chip {
  display: flex; align-items: center; max-width: 100%; min-height: 32px; padding: 4px 12px 4px 8px; border: 1px solid var(--line); border-radius: 16px;
  color: var(--soft); font-size: 14px; line-height: 1.35; overflow-wrap: anywhere;
}
.chip .icon { width: 18px; height: 18px; margin-inline-end: 7px; stroke-width: 2.4; }
.chip .icon-spinner { color: var(--accent); animation: turn .9s linear infinite; }
.chip .icon-ok { color: var(--right); }
.chip:is([data-outcome="failed"], [data-outcome="timed_out"], [data-outcome="denied"], [data-outcome="cancelled"]) .icon { color: var(--wrong); }
.chip:is([data-outcome="failed"], [data-outcome="timed_out"], [data-outcome="denied"]) .ending { color: var(--wrong); }
.ending { white-space: pre-wrap; }
@keyframes turn { to { transform: rotate(1turn); } }
.notice { align-self: center; max-width: 92%; padding: 8px 14px; border: 1px solid transparent; border-radius: 12px; color: var(--soft); font-size: 14px; text-align: center; overflow-wrap: anywhere; }
.notice.wrong { border-color: color-mix(in srgb, var(--wrong) 45%, var(--line)); color: var(--wrong); }
.thinking { display: flex; gap: 5px; align-items: center; width: fit-content; padding: 13px 14px; border-radius: 16px; border-end-start-radius: 5px; background: var(--wash); }
.thinking i { width: 7px; height: 7px; border-radius: 50%; background: var(--soft); animation: breathe 1.2s ease-in-out infinite; }
.thinking i:nth-child(2) { animation-delay: .15s; }
.thinking i:nth-child(3) { animation-delay: .3s; }
@keyframes breathe { 0%, 60%, 100% { opacity: .35; } 30% { opacity: 1; } }
.question { display: flex; flex-wrap: wrap; gap: 8px; }
.asked { flex-basis: 100%; }
.question button { min-width: 84px; min-height: 42px; padding: 6px 20px; border: 1.5px solid var(--accent); border-radius: 21px; font-weight: 600; }
.yes { background: var(--accent); color: var(--on-accent); }
.no { background: transparent; color: var(--accent); }
`;
