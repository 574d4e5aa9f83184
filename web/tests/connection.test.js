import assert from "node:assert/strict";
import { test } from "node:test";
import { retryDelay } from "../src/client/connection.js";

test("the delays grow with each attempt, and are spread", () => {
  const delays = [0, 1, 2, 9].map((attempt) => [0, 0.5, 1].map((chance) => retryDelay(1006, attempt, chance)));

  assert.deepEqual(delays, [
    [200, 300, 400],
    [400, 600, 800],
    [800, 1200, 1600],
    [10_000, 15_000, 20_000],
  ]);
});
