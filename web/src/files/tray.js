/**
 * The files that are to go with the next message: on their way to the server, there, or refused.
 *
 * What is there survives a reload of the tab; what was still on its way is gone with the page, here and there.
 */

import { newId } from "../conversation/new-id.js";
import { check } from "./check.js";
import { takeBack, upload } from "./upload.js";

/** @typedef {import("../conversation/frames.js").SentFile} SentFile */
/** @typedef {import("./upload.js").Problem} Problem */
/** @typedef {{id: string, name: string, bytes: number, ref: string | null, percent: number, problem: Problem | null}} TrayFile `ref` once it is there; until then `percent` of it, and at 100 it is being read */
/**
 * @typedef {object} Owner
 * @property {() => void} onChange
 * @property {(file: TrayFile) => void} onSettled it is there, or was refused
 * @property {() => import("../conversation/frames.js").Uploads | null} terms null: no files are taken
 * @property {() => string | undefined} token
 */

export class Tray {
  #server;
  #keep;
  #owner;
  /** @type {readonly TrayFile[]} */
  #files;
  /** @type {Map<string, AbortController>} what is on its way */
  #coming = new Map();

  /**
   * @param {string} server
   * @param {import("../conversation/keep.js").Keep<{files: TrayFile[]}>} keep
   * @param {Owner} owner
   */
  constructor(server, keep, owner) {
    this.#server = server;
    this.#keep = keep;
    this.#owner = owner;
    this.#files = keep.read().files ?? [];
  }

  /** @returns {readonly TrayFile[]} in the order in which they were put there; the same object until one changes */
  get files() {
    return this.#files;
  }

  /** @returns {boolean} whether one is on its way */
  get busy() {
    return this.#coming.size > 0;
  }

  /** @param {Iterable<File>} files */
  add(files) {
    for (const file of files) this.#add(file);
  }

  /** @param {string} id of what is to go nowhere */
  remove(id) {
    const file = this.#files.find((one) => one.id === id);
    const token = this.#owner.token();
    this.#abort(id);
    if (file?.ref && token) takeBack(this.#server, token, file.ref);
    this.#become(this.#files.filter((one) => one.id !== id));
  }

  /** @returns {SentFile[]} what is there, which is the message's from now on; what was refused has been told */
  take() {
    const there = this.#files.flatMap(({ ref, name }) => (ref === null ? [] : [{ ref, name }]));
    this.#become(this.#files.filter((file) => file.ref === null && file.problem === null));
    return there;
  }

  /** Somebody else sits here now, or nobody: nothing goes on. */
  close() {
    for (const id of [...this.#coming.keys()]) this.#abort(id);
  }

  /** @param {File} file */
  #add(file) {
    const [terms, token] = [this.#owner.terms(), this.#owner.token()];
    if (terms === null || token === undefined) return;
    const others = this.#files.filter((one) => one.problem === null).length;
    const problem = check(file, terms, others);
    const id = newId();
    this.#become([...this.#files, { id, name: file.name, bytes: file.size, ref: null, percent: 0, problem }]);
    if (problem) this.#settle(id, { problem });
    else void this.#upload(id, file, token);
  }

  /** @param {string} id @param {File} file @param {string} token */
  async #upload(id, file, token) {
    const coming = new AbortController();
    this.#coming.set(id, coming);
    const onProgress = (/** @type {number} */ percent) => this.#change(id, { percent });
    try {
      const { ref, name } = await upload(this.#server, token, file, { signal: coming.signal, onProgress });
      this.#settle(id, { ref, name });
    } catch (problem) {
      this.#settle(id, { problem: /** @type {Problem} */ (problem) });
    }
  }

  /** @param {string} id @param {Partial<TrayFile>} what */
  #settle(id, what) {
    this.#coming.delete(id);
    this.#change(id, what);
    const settled = this.#files.find((file) => file.id === id);
    if (settled) this.#owner.onSettled(settled);
  }

  /** @param {string} id */
  #abort(id) {
    this.#coming.get(id)?.abort();
    this.#coming.delete(id);
  }

  /** @param {string} id @param {Partial<TrayFile>} what */
  #change(id, what) {
    this.#become(this.#files.map((file) => (file.id === id ? { ...file, ...what } : file)));
  }

  /** @param {readonly TrayFile[]} files */
  #become(files) {
    this.#files = files;
    this.#keep.write({ files: files.filter((file) => file.ref !== null) });
    this.#owner.onChange();
  }
}
