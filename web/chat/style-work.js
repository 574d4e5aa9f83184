/** What is under way: calls, thinking, and a question that waits for its answer. */
export const workStyle = `
.tools {
  display: flex;
  flex-direction: column;
  align-items: flex-start;
  gap: 6px;
  list-style: none;
}
.chip {
  display: flex;
  align-items: center;
  max-width: 100%;
  min-height: 32px;
  padding: 4px 12px 4px 8px;
  border: 1px solid var(--line);
  border-radius: 16px;
  color: var(--soft);
  font-size: 14px;
  line-height: 1.35;
  overflow-wrap: anywhere;
}
.chip .icon {
  width: 18px;
  height: 18px;
  margin-inline-end: 7px;
  stroke-width: 2.4;
}
.chip .icon-spinner {
  color: var(--accent);
  animation: turn 0.9s linear infinite;
}
.chip .icon-ok {
  color: var(--right);
}
.chip:is(
    [data-outcome="failed"],
    [data-outcome="timed_out"],
    [data-outcome="denied"],
    [data-outcome="cancelled"]
  )
  .icon {
  color: var(--wrong);
}
.chip:is([data-outcome="failed"], [data-outcome="timed_out"], [data-outcome="denied"]) .ending {
  color: var(--wrong);
}
.ending {
  white-space: pre-wrap;
}
@keyframes turn {
  to {
    transform: rotate(1turn);
  }
}
.thinking {
  display: flex;
  gap: 5px;
  align-items: center;
  width: fit-content;
  padding: 13px 14px;
  border-radius: 16px;
  border-end-start-radius: 5px;
  background: var(--wash);
}
.thinking i {
  width: 7px;
  height: 7px;
  border-radius: 50%;
  background: var(--soft);
  animation: breathe 1.2s ease-in-out infinite;
}
.thinking i:nth-child(2) {
  animation-delay: 0.15s;
}
.thinking i:nth-child(3) {
  animation-delay: 0.3s;
}
@keyframes breathe {
  0%,
  60%,
  100% {
    opacity: 0.35;
  }
  30% {
    opacity: 1;
  }
}
.question {
  display: flex;
  flex-wrap: wrap;
  gap: 8px;
}
.asked {
  flex-basis: 100%;
}
.question button {
  min-width: 84px;
  min-height: 42px;
  padding: 6px 20px;
  border: 1.5px solid var(--accent);
  border-radius: 21px;
  font-weight: 600;
}
.yes {
  background: var(--accent);
  color: var(--on-accent);
}
.no {
  background: transparent;
  color: var(--accent);
}
`;
