/** Loads the voice module when the customer first uses the microphone. Until then there is only its button. */

import { stringsFor } from "./strings/index.js";

/** @typedef {import("./voice/voice.js").Voice} Voice */

/**
 * @typedef {object} VoiceOwner
 * @property {(frame: import("./client/frames.js").ClientFrame | ArrayBuffer) => boolean} sendNow sends it now or never
 * @property {() => void} onChange the state of voice has changed
 * @property {(text: string, urgent: boolean) => void} announce a text for a screen reader
 * @property {(problem: string) => void} reportError tells the site's developers
 * @property {() => string} locale
 * @property {() => import("./strings/index.js").Texts | undefined} voiceTexts in the language of the locale; undefined: English
 * @property {ShadowRoot} root
 * @property {import("./view/contract.js").RenderKit} kit
 */

export class LazyVoice {
  #owner;
  #loading = false;
  #failed = false;
  #tries = 0;
  /** @type {Voice | null} */
  loaded = null;

  /** @param {VoiceOwner} owner */
  constructor(owner) {
    this.#owner = owner;
  }

  /** @returns {import("./view/contract.js").MicrophoneState} */
  get state() {
    const { loaded: voice } = this;
    const on = this.#loading || (voice?.on ?? false);
    const speaksAnswers = voice?.phase === "on";
    return { on, failed: this.#failed, speaksAnswers, sounds: speaksAnswers && voice.activity === "speaking", voice };
  }

  /** The button was pressed. @param {import("./client/state.js").State} state */
  async toggle({ voice: offer, conversation }) {
    this.#failed = false;
    if (!offer?.ready) return this.#fail(offer?.problem ?? "the server's voice is not ready");
    if (!this.loaded && !(await this.#load())) return;
    this.loaded?.toggle(conversation);
  }

  stop() {
    this.loaded?.stop();
  }

  /** The customer wrote something or stopped the assistant: stops the speech and hides the error. */
  mutePlayback() {
    this.#failed = false;
    this.loaded?.mutePlayback();
  }

  /** @returns {Promise<boolean>} whether it was loaded by this call */
  async #load() {
    if (this.#loading) return false;
    this.#loading = true;
    this.#owner.onChange();
    try {
      const { Voice } = await importVoice(this.#tries++);
      this.loaded = new Voice(this.#owner);
      return true;
    } catch {
      this.#fail("voice.js could not be fetched, or is not the one that this chat was built with");
      return false;
    } finally {
      this.#loading = false;
    }
  }

  /** @param {string} problem */
  #fail(problem) {
    this.#failed = true;
    this.#owner.announce(stringsFor(this.#owner.locale()).noVoice, true);
    console.warn(`<meanwhile-chat> cannot speak: ${problem}`);
    this.#owner.reportError(problem);
    this.#owner.onChange();
  }
}

/**
 * @param {number} tries part of the URL: a browser does not fetch a failed module again
 * @returns {Promise<typeof import("./voice/voice.js")>}
 */
async function importVoice(tries) {
  const url = new URL(`voice.js?${VOICE_INTEGRITY.slice(-8)}${tries || ""}`, import.meta.url).href;
  const link = document.createElement("link");
  // `import()` takes no integrity, but uses what a preload with integrity has fetched.
  if (link.relList.supports("modulepreload"))
    await new Promise((resolve, reject) => {
      Object.assign(link, { onload: resolve, onerror: reject, rel: "modulepreload", crossOrigin: "" });
      Object.assign(link, { integrity: VOICE_INTEGRITY, href: url });
      document.head.append(link);
    });
  return import(url);
}
