/**
 * Tells an agent who looks at something else that a customer waits, or has written to them: with a notification of the
 * browser, and with a sound. Both are off until the person turns them on, for this browser.
 */

import { preference } from "./preferences.js";

/** @typedef {import("./contract.js").InboxRow} InboxRow */

const SOUND_S = 0.15;
const SOUND_HZ = 660;

/**
 * @typedef {object} NotificationsOwner
 * @property {() => import("./strings/index.js").Strings} strings
 * @property {() => string} account the id of the person who is signed in
 * @property {(id: string) => void} show opens a conversation
 */

export class Notifications {
  #owner;
  /** @type {Map<string, InboxRow>} by id, as they were before */
  #known = new Map();
  /** @type {AudioContext | null} */
  #audio = null;

  /** @param {NotificationsOwner} owner */
  constructor(owner) {
    this.#owner = owner;
  }

  /** @param {InboxRow} row as it is now */
  heard(row) {
    const before = this.#known.get(row.id);
    this.#known.set(row.id, row);
    if (document.hasFocus() && !document.hidden) return;
    const text = this.#news(row, before);
    if (text !== null) this.#tell(row, text);
  }

  /** Someone else may sign in. */
  forget() {
    this.#known.clear();
  }

  /** @param {InboxRow} row @param {InboxRow | undefined} before @returns {string | null} */
  #news(row, before) {
    const { notifications } = this.#owner.strings();
    if (row.state === "waiting" && before?.state !== "waiting") return notifications.waits;
    const isMine = row.state === "taken" && row.assigned?.id === this.#owner.account();
    // Its text is not shown: others may see the screen.
    if (isMine && row.unanswered_since !== null && row.last_at !== before?.last_at) return notifications.wrote;
    return null;
  }

  /** @param {InboxRow} row @param {string} text */
  #tell({ id, customer }, text) {
    if (preference("sound") === "on") this.#play();
    if (preference("notifications") !== "on" || !("Notification" in window) || Notification.permission !== "granted") return;
    const name = customer.name ?? this.#owner.strings().inbox.visitor(customer.id.slice(0, 4));
    // The tag replaces an older notification about the same conversation.
    const shown = new Notification(name, { body: text, tag: id });
    shown.onclick = () => {
      window.focus();
      shown.close();
      this.#owner.show(id);
    };
  }

  #play() {
    this.#audio ??= new AudioContext();
    const { currentTime: now, destination } = this.#audio;
    const tone = new OscillatorNode(this.#audio, { frequency: SOUND_HZ });
    const volume = new GainNode(this.#audio, { gain: 0.1 });
    volume.gain.setTargetAtTime(0, now + SOUND_S / 2, SOUND_S / 6);
    tone.connect(volume).connect(destination);
    tone.start(now);
    tone.stop(now + SOUND_S);
  }
}

/** @returns {Promise<boolean>} whether the browser shows notifications of this page */
export async function mayNotify() {
  return "Notification" in window && (await Notification.requestPermission()) === "granted";
}
