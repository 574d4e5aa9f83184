/** Speaking instead of writing: from the press on the microphone's button until the next one. */

import { voiceWordsFor } from "../strings/index.js";
import sheet from "../styles/voice.css";
import { Gate, Microphone, Talk } from "./microphone.js";
import { Aloud } from "./playback.js";
import { choose, chosen } from "./preferences.js";
import { Level, bar, draft } from "./view.js";

/** @typedef {import("../client/frames.js").ServerFrame} Frame */
/** @typedef {import("../client/state.js").AssistantItem} AssistantItem */
/** @typedef {import("../view/contract.js").Scene} Scene */
/** @typedef {import("./microphone.js").Problem} Problem */
/** @typedef {import("../lazy-module.js").VoiceOwner} Owner */

const CAPTURE = new URL(`capture.js?${CAPTURE_HASH}`, import.meta.url).href;

export class Voice {
  #owner;
  #level;
  #gate = new Gate(
    (frame) => this.#owner.pass(frame),
    () => this.#owner.pass({ type: "audio.end" }),
  );
  #talk = new Talk(this.#gate);
  /** @type {AudioContext | null} */
  #context = null;
  /** @type {Aloud | null} */
  #aloud = null;
  /** @type {Microphone | null} */
  #microphone = null;
  /** @type {string | null} which one it was switched on for: nobody else is to be heard with it */
  #conversation = null;
  /** @type {"off" | "asking" | "starting" | "on"} asking for the microphone, then the server */
  phase = "off";
  /** @type {Problem | null} why it is off */
  problem = null;
  /** @type {import("../client/frames.js").AudioActivity["activity"]} */
  activity = "listening";
  /** What the customer is understood to say. */
  caption = "";
  /** What became of something they said, where it became no message: in the server's words. */
  notice = "";
  muted = false;

  /** @param {Owner} owner */
  constructor(owner) {
    this.#owner = owner;
    this.#level = new Level(owner.root);
    const style = new CSSStyleSheet();
    style.replaceSync(sheet);
    owner.root.adoptedStyleSheets.push(style);
  }

  get on() {
    return this.phase !== "off";
  }

  /** @returns {import("./preferences.js").Chosen} */
  get chosen() {
    return chosen();
  }

  get talking() {
    return this.#talk.now;
  }

  /** @param {string | null} conversation the one there is; null: none yet */
  toggle(conversation) {
    if (this.on) return this.stop();
    this.#conversation = conversation;
    void this.#start();
  }

  /** Goes on in writing. @param {Problem | null} problem that is the reason */
  stop(problem = null) {
    if (!this.on) return;
    this.#aloud?.clear();
    if (this.phase !== "asking") this.#owner.pass({ type: "audio.stop" });
    this.#microphone?.close();
    void this.#context?.close();
    this.#microphone = this.#context = this.#aloud = null;
    this.#become({ phase: "off", problem, caption: "", notice: "" });
    const words = this.#words;
    this.#owner.tell(problem ? words.problems[problem] : words.off, problem !== null);
  }

  /** @param {Frame} frame of the conversation */
  hear(frame) {
    if (this.phase === "off" || this.phase === "asking") return;
    this.#aloud?.hear(frame);
    switch (frame.type) {
      case "welcome":
        return this.#returned(frame.conversation_id);
      case "audio.ready":
        return this.#ready();
      case "error":
        return this.#trouble(frame);
      case "accepted":
        return this.#become({ caption: "", notice: "" });
      case "audio.caption":
        return this.#become({ caption: frame.text, notice: "" });
      case "audio.activity":
        return this.#become({ activity: frame.activity });
    }
  }

  /** @param {ArrayBuffer} sound of a clip */
  take(sound) {
    this.#aloud?.take(sound);
  }

  /** Falls silent before the server has said so. */
  hush() {
    this.problem = null;
    this.#aloud?.hush();
  }

  /** @param {AssistantItem} item @returns {number | undefined} how many characters of it may be shown while it is spoken; undefined: that does not hang on speaking */
  reach(item) {
    return this.phase === "on" ? this.#aloud?.reach(item, this.activity === "listening") : undefined;
  }

  /** @param {Partial<import("./preferences.js").Chosen>} choice */
  choose(choice) {
    choose(choice);
    this.mute(false);
    this.#greet();
  }

  /** @param {boolean} muted */
  mute(muted) {
    if (this.#microphone) this.#microphone.muted = muted;
    this.#gate.muted = muted;
    this.#become({ muted });
  }

  /** The button to talk is pressed. @param {Event} event */
  press({ timeStamp }) {
    this.#talk.press(timeStamp);
    this.#owner.onChange();
  }

  /** It is let go. @param {Event} event */
  letGo({ timeStamp }) {
    this.#talk.letGo(timeStamp);
    this.#owner.onChange();
  }

  /** @param {Scene} scene */
  bar(scene) {
    return bar(this, scene, this.#words, this.#owner.kit);
  }

  /** @param {Scene} scene */
  draft(scene) {
    return draft(this, scene, this.#owner.kit);
  }

  async #start() {
    this.#become({ phase: "asking", problem: null, muted: false, activity: "listening" });
    // Made while the customer presses the button: what is made later, may have to be silent.
    const context = (this.#context = new AudioContext({ latencyHint: "interactive" }));
    try {
      await this.#open(context);
    } catch (problem) {
      const known = typeof problem === "string" ? /** @type {Problem} */ (problem) : "unavailable";
      // Whoever has switched it off meanwhile, is not told about it.
      if (context === this.#context) this.stop(known);
    }
  }

  /** @param {AudioContext} context */
  async #open(context) {
    const microphone = await Microphone.ask();
    if (context !== this.#context) return microphone.close();
    this.#microphone = microphone;
    await microphone.listen(context, CAPTURE, {
      onFrame: (frame) => this.#listen(frame),
      onLost: () => this.stop("lost"),
    });
    if (context !== this.#context) return;
    this.#aloud = new Aloud(context, this.#owner);
    this.#become({ phase: "starting" });
    this.#greet();
  }

  /** Tells the server how the customer wants to speak; without a line, once there is one. */
  #greet() {
    const { mode, tempo } = chosen();
    this.#owner.pass({ type: "audio.start", mode, speak: true, tempo });
  }

  /** @param {ArrayBuffer} frame that the microphone has heard */
  #listen(frame) {
    if (this.phase === "on") this.#gate.take(frame);
    this.#level.show(frame);
  }

  #ready() {
    const first = this.phase !== "on";
    this.#gate.open(chosen().mode);
    this.#talk = new Talk(this.#gate);
    this.#become({ phase: "on" });
    if (first) this.#owner.tell(this.#words.on, false);
  }

  /** @param {string} conversation that there is a new line to */
  #returned(conversation) {
    this.#aloud?.forget();
    this.#conversation ??= conversation;
    if (conversation !== this.#conversation) return this.stop();
    this.#become({ phase: "starting", caption: "", activity: "listening" });
    this.#greet();
  }

  /** @param {import("../client/frames.js").Error} error */
  #trouble({ code, message }) {
    if (code === "not_heard") this.#become({ notice: message });
    if (code === "not_supported") this.stop(this.phase === "on" ? "elsewhere" : "unavailable");
  }

  get #words() {
    return voiceWordsFor(this.#owner.locale());
  }

  /** @param {Partial<Pick<Voice, "phase" | "problem" | "activity" | "caption" | "notice" | "muted">>} changes */
  #become(changes) {
    Object.assign(this, changes);
    this.#owner.onChange();
  }
}
