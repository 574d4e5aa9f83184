import assert from "node:assert/strict";
import { test } from "node:test";
import { newItem } from "../src/client/items.js";
import { revealSpoken } from "../src/client/spoken-reveal.js";

/** @type {[text: string, heard: number | null, kind: "response" | null, visible: number | undefined, shown: string, shownKind: "response" | null][]} */
const CASES = [
  ["We are open.", null, "response", undefined, "We are open.", "response"],
  ["We are open.", 12, "response", undefined, "We are open.", "response"],
  ["We are open.", 6, "response", undefined, "We are…", "response"],
  ["We are open.", 0, "response", undefined, "", "response"],
  ["At two: bring it.", 7, "response", undefined, "At two…", "response"],
  ["At two. Bring it.", 8, "response", undefined, "At two…", "response"],
  ["We are open.", 7, "response", undefined, "We are…", "response"],
  ["We are", 2, null, undefined, "We", null],
  ["We are open.", 2, "response", 6, "We are", null],
  ["We are open.", null, "response", 0, "", null],
  ["We are open.", 3, "response", 40, "We are open.", "response"],
  ["👋🏽 Hello", 4, "response", undefined, "👋🏽 H…", "response"],
  ["👋👋", 2, "response", undefined, "👋👋", "response"],
];

test("a spoken message is shown only as far as it was heard", () => {
  for (const [text, heard, messageKind, visible, shown, shownKind] of CASES) {
    const items = [newItem("assistant", { id: "m1", text, heard, messageKind })];
    const [once, again] = [1, 2].map(() => revealSpoken(items, () => visible));

    const { text: shownText, messageKind: kind } = /** @type {any} */ (once[0]);
    assert.deepEqual([shownText, kind], [shown, shownKind], `${text} heard ${heard} visible ${visible}`);
    assert.equal(once[0], again[0], "an unchanged item is a new object");
  }
});
