// Runs the reducer of web/src/client: one line with lists of frames in, one line with the last state of each out.

import { createInterface } from "node:readline";
import { applyAction, reduce } from "../../web/src/client/reduce.js";
import { emptyState } from "../../web/src/client/state.js";

// Freezing every state on the way shows that none is changed in place.
const frozen = (value) => {
  if (typeof value === "object" && value !== null) Object.values(Object.freeze(value)).forEach(frozen);
  return value;
};
const step = (state, frame) => frozen(frame.action ? applyAction(state, frame) : reduce(state, frame));
const start = frozen({ ...emptyState, maxText: 4000 });

for await (const line of createInterface({ input: process.stdin })) {
  const states = JSON.parse(line).map((frames) => frames.map(frozen).reduce(step, start));
  console.log(JSON.stringify(states, (_, value) => (value === undefined ? null : value)));
}
