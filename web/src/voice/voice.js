/** A voice conversation: from switching the microphone on until it is switched off. */

import { voiceStringsOf } from "../strings/voice.js";
import sheet from "../styles/voice.css";
import { MicrophoneGate, Microphone, PushToTalk } from "./microphone.js";
import { Playback } from "./playback.js";
import { readPreferences, savePreferences } from "./preferences.js";
import { LevelMeter, voiceBar, draftMessage } from "./view.js";

/** @typedef {import("../client/items.js").AssistantItem} AssistantItem */
/** @typedef {import("../client/frames.js").ServerFrame} Frame */
/** @typedef {import("../lazy-module.js").VoiceOwner} Owner */
/** @typedef {import("./microphone.js").Problem} Problem */
/** @typedef {import("../view/contract.js").ViewContext} ViewContext */

const CAPTURE = new URL(`capture.js?${CAPTURE_HASH}`, import.meta.url).href;

export class Voice {
  #owner;
  #level;
  #gate = new MicrophoneGate(
    (frame) => this.#owner.sendNow(frame),
    () => this.#owner.sendNow({ type: "audio.end" }),
  );
  #pushToTalk = new PushToTalk(this.#gate);
  /** @type {AudioContext | null} */
  #context = null;
  /** @type {Playback | null} */
  #playback = null;
  /** @type {Microphone | null} */
  #microphone = null;
  /** @type {string | null} the conversation it was switched on for; it stops in any other */
  #conversation = null;
  /** @type {"off" | "asking" | "starting" | "on"} first the microphone is asked for, then the server */
  phase = "off";
  /** @type {Problem | null} why it is off */
  problem = null;
  /** @type {import("../client/frames.js").AudioActivity["activity"]} */
  activity = "listening";
  /** What the customer is understood to say. */
  caption = "";
  /** Why an utterance did not become a message, in the server's words. */
  notice = "";
  muted = false;

  /** @param {Owner} owner */
  constructor(owner) {
    this.#owner = owner;
    this.#level = new LevelMeter(owner.root);
    const style = new CSSStyleSheet();
    style.replaceSync(sheet);
    owner.root.adoptedStyleSheets.push(style);
  }

  get on() {
    return this.phase !== "off";
  }

  /** @returns {import("./preferences.js").Preferences} */
  get preferences() {
    return readPreferences();
  }

  get talking() {
    return this.#pushToTalk.state;
  }

  /** @param {string | null} conversation null if there is none yet */
  toggle(conversation) {
    if (this.on) return this.stop();
    this.#conversation = conversation;
    void this.#start();
  }

  /** Stops voice. @param {Problem | null} problem the reason, if there is one */
  stop(problem = null) {
    if (!this.on) return;
    this.#playback?.clear();
    if (this.phase !== "asking") this.#owner.sendNow({ type: "audio.stop" });
    this.#microphone?.close();
    void this.#context?.close();
    this.#microphone = this.#context = this.#playback = null;
    this.#update({ phase: "off", problem, caption: "", notice: "" });
    const strings = this.#strings;
    this.#owner.announce(problem ? strings.problems[problem] : strings.off, problem !== null);
  }

  /** @param {Frame} frame of the conversation */
  handleFrame(frame) {
    if (this.phase === "off" || this.phase === "asking") return;
    this.#playback?.handleFrame(frame);
    switch (frame.type) {
      case "welcome":
        return this.#handleReconnect(frame.conversation_id);
      case "audio.ready":
        return this.#handleReady();
      case "error":
        return this.#handleError(frame);
      case "accepted":
        return this.#update({ caption: "", notice: "" });
      case "audio.caption":
        return this.#update({ caption: frame.text, notice: "" });
      case "audio.activity":
        return this.#update({ activity: frame.activity });
    }
  }

  /** @param {ArrayBuffer} sound of a clip */
  playSound(sound) {
    this.#playback?.addSound(sound);
  }

  /** Stops the speech before the server confirms it. */
  mutePlayback() {
    this.problem = null;
    this.#playback?.mute();
  }

  /**
   * @param {AssistantItem} item
   * @returns {number | undefined} how many of its characters may be shown while it is spoken; undefined: all
   */
  visibleLength(item) {
    return this.phase === "on" ? this.#playback?.visibleLength(item, this.activity === "listening") : undefined;
  }

  /** @param {Partial<import("./preferences.js").Preferences>} preferences */
  setPreferences(preferences) {
    savePreferences(preferences);
    this.muteMicrophone(false);
    this.#sendStart();
  }

  /** @param {boolean} muted */
  muteMicrophone(muted) {
    if (this.#microphone) this.#microphone.muted = muted;
    this.#gate.muted = muted;
    this.#update({ muted });
  }

  /** The push-to-talk button is pressed. @param {Event} event */
  press({ timeStamp }) {
    this.#pushToTalk.press(timeStamp);
    this.#owner.onChange();
  }

  /** The push-to-talk button is released. @param {Event} event */
  release({ timeStamp }) {
    this.#pushToTalk.release(timeStamp);
    this.#owner.onChange();
  }

  /** @param {ViewContext} context */
  bar(context) {
    return voiceBar(this, context, this.#strings, this.#owner.kit);
  }

  /** @param {ViewContext} context */
  draftMessage(context) {
    return draftMessage(this, context, this.#owner.kit);
  }

  async #start() {
    this.#update({ phase: "asking", problem: null, muted: false, activity: "listening" });
    // Created while the customer presses the button: browsers may mute a context that is created later.
    const context = (this.#context = new AudioContext({ latencyHint: "interactive" }));
    try {
      await this.#open(context);
    } catch (problem) {
      const known = typeof problem === "string" ? /** @type {Problem} */ (problem) : "unavailable";
      // No report if the customer has switched it off meanwhile.
      if (context === this.#context) this.stop(known);
    }
  }

  /** @param {AudioContext} context */
  async #open(context) {
    const microphone = await Microphone.ask();
    if (context !== this.#context) return microphone.close();
    this.#microphone = microphone;
    await microphone.listen(context, CAPTURE, {
      onFrame: (frame) => this.#handleMicrophoneFrame(frame),
      onLost: () => this.stop("lost"),
    });
    if (context !== this.#context) return;
    this.#playback = new Playback(context, this.#owner);
    this.#update({ phase: "starting" });
    this.#sendStart();
  }

  /** Tells the server to start voice, with the customer's preferences. */
  #sendStart() {
    const { mode, tempo } = readPreferences();
    this.#owner.sendNow({ type: "audio.start", mode, speak: true, tempo });
  }

  /** @param {ArrayBuffer} frame from the microphone */
  #handleMicrophoneFrame(frame) {
    if (this.phase === "on") this.#gate.handleFrame(frame);
    this.#level.show(frame);
  }

  #handleReady() {
    const first = this.phase !== "on";
    this.#gate.reset(readPreferences().mode);
    this.#pushToTalk = new PushToTalk(this.#gate);
    this.#update({ phase: "on" });
    if (first) this.#owner.announce(this.#strings.on, false);
  }

  /** @param {string} conversation of the new connection */
  #handleReconnect(conversation) {
    this.#playback?.forget();
    this.#conversation ??= conversation;
    if (conversation !== this.#conversation) return this.stop();
    this.#update({ phase: "starting", caption: "", activity: "listening" });
    this.#sendStart();
  }

  /** @param {import("../client/frames.js").Error} error */
  #handleError({ code, message }) {
    if (code === "not_heard") this.#update({ notice: message });
    if (code === "not_supported") this.stop(this.phase === "on" ? "elsewhere" : "unavailable");
  }

  get #strings() {
    return voiceStringsOf(this.#owner.voiceTexts());
  }

  /** @param {Partial<Pick<Voice, "phase" | "problem" | "activity" | "caption" | "notice" | "muted">>} changes */
  #update(changes) {
    Object.assign(this, changes);
    this.#owner.onChange();
  }
}
