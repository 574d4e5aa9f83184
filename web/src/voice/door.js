/** Fetches what speaking takes when the microphone is first asked for; until then there is nothing of it but a button. */

import { wordsFor } from "../words/words.js";

/** @typedef {import("./voice.js").Voice} Voice */
/**
 * @typedef {object} VoiceOwner
 * @property {(frame: import("../conversation/frames.js").ClientFrame | ArrayBuffer) => boolean} pass sends it now or never
 * @property {() => void} onChange of what there is to show
 * @property {(text: string, urgent: boolean) => void} tell a screen reader
 * @property {(problem: string) => void} refuse tells the site's developers
 * @property {() => string} locale
 * @property {ShadowRoot} root
 * @property {import("./kit.js").Kit} kit
 */

export class VoiceDoor {
  #owner;
  #fetching = false;
  #tries = 0;
  /** @type {Voice | null} */
  voice = null;
  /** It cannot be had here, or just now. */
  failed = false;

  /** @param {VoiceOwner} owner */
  constructor(owner) {
    this.#owner = owner;
  }

  /** Whether it is switched on, or about to be. */
  get on() {
    return this.#fetching || (this.voice?.on ?? false);
  }

  /** The button was pressed. @param {import("../conversation/frames.js").Voice | null | undefined} offer of the server */
  async press(offer) {
    this.failed = false;
    if (!offer?.ready) return this.#fail(offer?.problem ?? "the server is not ready to hear anybody");
    if (this.voice) return this.voice.toggle();
    if (!this.#fetching) await this.#fetch();
  }

  stop() {
    this.voice?.stop();
  }

  async #fetch() {
    this.#fetching = true;
    this.#owner.onChange();
    try {
      const { Voice } = await fetched(this.#tries++);
      this.voice = new Voice(this.#owner);
      this.voice.toggle();
    } catch {
      this.#fail("voice.js could not be fetched, or is not the one that this chat was built with");
    } finally {
      this.#fetching = false;
    }
  }

  /** @param {string} problem */
  #fail(problem) {
    this.failed = true;
    this.#owner.tell(wordsFor(this.#owner.locale()).noVoice, true);
    console.warn(`<meanwhile-chat> cannot speak: ${problem}`);
    this.#owner.refuse(problem);
    this.#owner.onChange();
  }
}

/** @param {number} tries a browser does not ask again for what it could not have @returns {Promise<typeof import("./voice.js")>} */
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
