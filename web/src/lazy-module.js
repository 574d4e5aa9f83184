/** Fetches what speaking takes when the microphone is first asked for; until then there is nothing of it but a button. */

import { wordsFor } from "./strings/index.js";

/** @typedef {import("./voice/voice.js").Voice} Voice */
/**
 * @typedef {object} VoiceOwner
 * @property {(frame: import("./client/frames.js").ClientFrame | ArrayBuffer) => boolean} pass sends it now or never
 * @property {() => void} onChange of what there is to show
 * @property {(text: string, urgent: boolean) => void} tell a screen reader
 * @property {(problem: string) => void} refuse tells the site's developers
 * @property {() => string} locale
 * @property {ShadowRoot} root
 * @property {import("./view/contract.js").Kit} kit
 */

export class VoiceDoor {
  #owner;
  #fetching = false;
  #failed = false;
  #tries = 0;
  /** @type {Voice | null} */
  voice = null;

  /** @param {VoiceOwner} owner */
  constructor(owner) {
    this.#owner = owner;
  }

  /** @returns {import("./view/contract.js").MicrophoneState} */
  get state() {
    const { voice } = this;
    const on = this.#fetching || (voice?.on ?? false);
    const aloud = voice?.phase === "on";
    return { on, failed: this.#failed, aloud, sounds: aloud && voice.activity === "speaking", voice };
  }

  /** The button was pressed. @param {import("./client/state.js").State} state */
  async press({ voice: offer, conversation }) {
    this.#failed = false;
    if (!offer?.ready) return this.#fail(offer?.problem ?? "the server is not ready to hear anybody");
    if (!this.voice && !(await this.#fetch())) return;
    this.voice?.toggle(conversation);
  }

  stop() {
    this.voice?.stop();
  }

  /** The customer has written something, or stopped the assistant: nothing is said any more, also about the microphone. */
  hush() {
    this.#failed = false;
    this.voice?.hush();
  }

  /** @returns {Promise<boolean>} whether it is there now, and was not before */
  async #fetch() {
    if (this.#fetching) return false;
    this.#fetching = true;
    this.#owner.onChange();
    try {
      const { Voice } = await fetched(this.#tries++);
      this.voice = new Voice(this.#owner);
      return true;
    } catch {
      this.#fail("voice.js could not be fetched, or is not the one that this chat was built with");
      return false;
    } finally {
      this.#fetching = false;
    }
  }

  /** @param {string} problem */
  #fail(problem) {
    this.#failed = true;
    this.#owner.tell(wordsFor(this.#owner.locale()).noVoice, true);
    console.warn(`<meanwhile-chat> cannot speak: ${problem}`);
    this.#owner.refuse(problem);
    this.#owner.onChange();
  }
}

/** @param {number} tries a browser does not ask again for what it could not have @returns {Promise<typeof import("./voice/voice.js")>} */
async function fetched(tries) {
  const url = new URL(`voice.js?${VOICE_INTEGRITY.slice(-8)}${tries || ""}`, import.meta.url).href;
  const link = document.createElement("link");
  // `import()` has no place for the integrity, but takes what is there.
  if (link.relList.supports("modulepreload"))
    await new Promise((resolve, reject) => {
      Object.assign(link, { onload: resolve, onerror: reject, rel: "modulepreload", crossOrigin: "" });
      Object.assign(link, { integrity: VOICE_INTEGRITY, href: url });
      document.head.append(link);
    });
  return import(url);
}
