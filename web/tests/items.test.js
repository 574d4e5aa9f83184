import assert from "node:assert/strict";
import { test } from "node:test";
import { countUnread, newItem, newestMessageId, upsertItem } from "../src/client/items.js";

test("a new item starts with the fields of its kind", () => {
  const item = newItem("customer", { id: "c1", text: "Hello" });

  assert.deepEqual(item, {
    kind: "customer",
    id: "c1",
    text: "Hello",
    files: [],
    at: null,
    delivery: "logged",
    refusal: null,
  });
});

test("an item of an unknown kind is an error, and is not left out of the count", () => {
  const unknown = /** @type {any} */ ({ kind: "card", id: "x1" });

  assert.throws(() => newItem(unknown.kind, { id: "x1" }), TypeError);
  assert.throws(() => countUnread([unknown], undefined), TypeError);
  assert.throws(() => newestMessageId([unknown]), TypeError);
});

test("messages that wait to be sent stay at the end", () => {
  const waiting = newItem("customer", { id: "c1", text: "Hello", delivery: "waiting" });
  const answer = newItem("assistant", { id: "m1", text: "Hi." });
  const items = upsertItem(upsertItem([], waiting), answer);

  assert.deepEqual(items.map(({ id }) => id), ["m1", "c1"]);
  const sent = upsertItem(items, { ...waiting, delivery: "logged" });
  assert.deepEqual(sent.map(({ id }) => id), ["m1", "c1"]);
  assert.equal(upsertItem(sent, newItem("assistant", { id: "m2" })).at(-1)?.id, "m2");
});

test("complete messages from the company count as unread after the newest that was seen", () => {
  const items = [
    newItem("assistant", { id: "m1", messageKind: "response" }),
    newItem("customer", { id: "c1" }),
    newItem("tools", { id: "t1", calls: [] }),
    newItem("person", { id: "p1", name: "Sam", text: "Hi", at: 0 }),
    newItem("assistant", { id: "m2" }),
  ];

  assert.equal(countUnread(items, undefined), 2);
  assert.equal(countUnread(items, "m1"), 1);
  assert.equal(countUnread(items, "p1"), 0);
  assert.equal(newestMessageId(items), "p1");
});
