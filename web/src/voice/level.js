/** Draws how loud the customer is, as five bars: in the attributes of a drawing, for a strict policy forbids styles. */

const MIDDLE = 12;
const LEAST = 1.5;
const MOST = 9;

/** How far each bar swings, and where it stands. */
const BARS = [
  [3, 0.45],
  [8.5, 0.8],
  [14, 1],
  [19.5, 0.7],
  [25, 0.4],
];

/** Quieter than this, in dB of the loudest, nothing moves. */
const FLOOR_DB = -50;

export class Level {
  #root;
  #shown = 0;

  /** @param {ParentNode} root */
  constructor(root) {
    this.#root = root;
  }

  /** @param {ArrayBuffer} frame that was just heard */
  show(frame) {
    // Rises at once, and falls slowly enough to be seen.
    this.#shown = Math.max(loudness(new Int16Array(frame)), this.#shown * 0.8);
    this.#root.querySelector(".level path")?.setAttribute("d", bars(this.#shown));
  }
}

/** @param {Int16Array} sound @returns {number} from 0 to 1 */
function loudness(sound) {
  const power = sound.reduce((sum, sample) => sum + sample * sample, 0) / sound.length;
  const db = 10 * Math.log10(power / 0x7fff ** 2 || 1e-10);
  return Math.min(1, Math.max(0, 1 - db / FLOOR_DB) * 1.4);
}

/** @param {number} level from 0 to 1 @returns {string} a path */
export function bars(level) {
  return BARS.map(([x, swing]) => {
    const half = LEAST + level * swing * (MOST - LEAST);
    return `M${x} ${(MIDDLE - half).toFixed(1)}v${(2 * half).toFixed(1)}`;
  }).join("");
}
