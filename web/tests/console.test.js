import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Api, ApiProblem, Task } from "../src/console/api.js";
import { PLACES } from "../src/console/places.js";
import { addressOf, routeOf } from "../src/console/router.js";
import { en } from "../src/console/strings/en.js";
import { ago, duration, shortTime } from "../src/console/strings/format.js";
import { languageOf } from "../src/console/strings/index.js";
import { withTexts } from "../src/strings/index.js";
import { paths, said, shape } from "./texts.js";

const german = JSON.parse(readFileSync(new URL("../src/console/strings/de.json", import.meta.url), "utf8"));
const BASE = new URL("https://shop.example/t/acme/console/");

test("every text is there in German, and none is left in English", () => {
  const de = withTexts(en, german, "de");
  // Names, and words that are the same in both languages.
  const same = new Set(["English", "Deutsch", "Name", "System", "Admin", "Prompts", "Person", "Ticket", "Chat", "Version", "Text", "Team", "Teams", "Normal", "offline"]);

  assert.deepEqual(shape(de), shape(en));
  assert.deepEqual([...new Set(paths(german).map((path) => path.replace(/\.(one|other)$/, "")))].sort(), paths(en).sort());
  // What a person may write into a canned reply is told as it is written.
  const filled = said(de).map((text) => text.replaceAll(/\{(name|agent)\}/g, ""));
  assert.deepEqual(filled.filter((text) => /[{}]|undefined|\[object/.test(text)), []);
  const english = new Set(said(en));
  assert.deepEqual(said(de).filter((text) => english.has(text) && !same.has(text) && /\p{L}{2}/u.test(text)), []);
});

test("each place has a key of its own, and a sentence until it is built", () => {
  const keys = PLACES.map(({ key }) => key);

  assert.equal(new Set(keys).size, keys.length);
  const built = ["inbox", "approvals", "conversations", "replies", "people", "audit", "stop"];
  const planned = PLACES.map(({ name }) => name).filter((name) => !built.includes(name));
  assert.deepEqual(Object.keys(en.planned).filter((name) => name !== "title"), planned);
});

test("an address names the view and its query", () => {
  const route = (/** @type {string} */ address) => {
    const found = routeOf(new URL(address, BASE), BASE);
    return found && [found.view, String(found.query), found.fragment];
  };

  assert.deepEqual(route("/t/acme/console"), ["", "", ""]);
  assert.deepEqual(route("/t/acme/console/audit/?action=people.add"), ["audit", "action=people.add", ""]);
  assert.deepEqual(route("/t/acme/console/link#token"), ["link", "", "token"]);
  assert.equal(route("/t/acme/consoles"), null);
  assert.equal(route("https://evil.example/t/acme/console/people"), null);
  assert.equal(addressOf(BASE, "audit", { account: "a 1", action: "" }), "/t/acme/console/audit?account=a+1");
  assert.equal(addressOf(BASE, ""), "/t/acme/console/");
});

test("the language is one of the console's", () => {
  assert.deepEqual(["de-AT", "DE", "en_GB", "fr", ""].map(languageOf), ["de", "de", "en", "en", "en"]);
});

test("durations are told in the manner of the language", () => {
  assert.deepEqual([42_000, 725_999, 3_725_000, -5].map(duration), ["0:42", "12:05", "1:02:05", "0:00"]);
  assert.deepEqual([8, 610, 1420].map((ms) => shortTime(ms, "en")), ["8ms", "610ms", "1.42s"]);
});

test("a time is told as it passed", () => {
  const now = Date.UTC(2026, 10, 27, 12);
  const passed = (/** @type {number} */ seconds) => ago(now - seconds * 1000, "en", now);

  assert.deepEqual([5, 70, 7200, 90_000, 40 * 86_400, -3].map(passed), [
    "now",
    "1 minute ago",
    "2 hours ago",
    "yesterday",
    "last month",
    "now",
  ]);
});

/** @param {(string | [number, object?, Record<string, string>?])[]} answers */
function api(...answers) {
  /** @type {string[]} */
  const asked = [];
  const sent = async (/** @type {URL} */ url, /** @type {RequestInit} */ { method, headers }) => {
    asked.push(`${method} ${url.pathname} ${/** @type {any} */ (headers)["X-Console-Token"] ?? "-"}`);
    const answer = answers.shift() ?? "no answer";
    if (typeof answer === "string") throw new TypeError(answer);
    const [status, body, more] = answer;
    return new Response(body ? JSON.stringify(body) : "<html>", { status, headers: more });
  };
  const made = new Api(
    new URL("api/", BASE),
    {
      signInAgain: async () => ((made.csrf = "second"), true),
      askSession: async () => ((made.csrf = "third"), true),
    },
    /** @type {any} */ (sent),
  );
  made.csrf = "first";
  return { made, asked };
}

test("a change that finds no session is sent again after signing in", async () => {
  const { made, asked } = api([401, { error: { code: "signed_out" } }], [200, { done: true }]);

  assert.deepEqual(await made.post("people", {}), { done: true });
  assert.deepEqual(asked, ["POST /t/acme/console/api/people first", "POST /t/acme/console/api/people second"]);
});

test("a change of an earlier session is sent again with the new one", async () => {
  const { made, asked } = api([403, { error: { code: "csrf" } }], [200, {}]);
  await made.patch("account", {});

  assert.deepEqual(asked.at(-1), "PATCH /t/acme/console/api/account third");
});

test("each failure has its kind, and says whether something may have changed", async () => {
  /** @type {[any, string, string, boolean][]} */
  const cases = [
    ["no network", "GET", "offline", false],
    ["no network", "POST", "offline", true],
    [[500], "GET", "server", false],
    [[502], "POST", "server", true],
    [[429, {}, { "Retry-After": "30" }], "POST", "busy", false],
    [[403, { error: { code: "not_allowed" } }], "POST", "refused", false],
    [[404], "POST", "missing", false],
    [[422, { error: { code: "password_weak", message: "too short" } }], "POST", "invalid", false],
  ];
  for (const [answer, method, kind, uncertain] of cases) {
    const { made } = api(answer);
    const asked = method === "GET" ? made.get("people") : made.post("people", {});
    await assert.rejects(asked, (problem) => {
      assert(problem instanceof ApiProblem);
      assert.deepEqual([problem.kind, problem.uncertain], [kind, uncertain]);
      assert.equal(problem.waitS, kind === "busy" ? 30 : 0);
      if (kind === "invalid") assert.deepEqual([problem.code, problem.message], ["password_weak", "too short"]);
      return true;
    });
  }
});

test("a later request of a task replaces the one before", async () => {
  let changes = 0;
  const task = new Task(() => changes++);
  /** @type {(value: number) => void} */
  let answerFirst = () => {};
  const first = task.run(() => new Promise((resolve) => (answerFirst = resolve)));
  assert.equal(await task.run(async () => 2), true);
  answerFirst(1);

  assert.equal(await first, false);
  assert.deepEqual([task.value, task.pending, task.problem], [2, false, null]);
  assert.equal(await task.run(() => Promise.reject(new ApiProblem("server"))), false);
  assert.deepEqual([task.value, task.problem?.kind], [2, "server"]);
  assert(changes >= 4);
});
