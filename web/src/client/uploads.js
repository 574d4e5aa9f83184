/**
 * The files that are to go with the next message: on their way to the server, there, or refused.
 *
 * What is there survives a reload of the tab; what was still on its way is gone with the page, here and there.
 */

import { newId } from "./outbox.js";

/** @typedef {import("./frames.js").SentFile} SentFile */
/** @typedef {{id: string, name: string, bytes: number, ref: string | null, percent: number, problem: Problem | null}} PendingFile `ref` once it is there; until then `percent` of it, and at 100 it is being read */
/**
 * @typedef {object} Owner
 * @property {() => void} onChange
 * @property {(file: PendingFile) => void} onSettled it is there, or was refused
 * @property {() => import("./frames.js").Uploads | null} terms null: no files are taken
 * @property {() => string | undefined} token
 */

export class PendingUploads {
  #server;
  #storage;
  #owner;
  /** @type {readonly PendingFile[]} */
  #files;
  /** @type {Map<string, AbortController>} what is on its way */
  #running = new Map();

  /**
   * @param {string} server
   * @param {import("./storage.js").StoredValue<{files: PendingFile[]}>} storage
   * @param {Owner} owner
   */
  constructor(server, storage, owner) {
    this.#server = server;
    this.#storage = storage;
    this.#owner = owner;
    this.#files = storage.read().files ?? [];
  }

  /** @returns {readonly PendingFile[]} in the order in which they were put there; the same object until one changes */
  get files() {
    return this.#files;
  }

  /** @returns {boolean} whether one is on its way */
  get busy() {
    return this.#running.size > 0;
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
    if (file?.ref && token) deleteUpload(this.#server, token, file.ref);
    this.#setFiles(this.#files.filter((one) => one.id !== id));
  }

  /** @returns {SentFile[]} what is there, which is the message's from now on; what was refused has been told */
  takeUploaded() {
    const there = this.#files.flatMap(({ ref, name }) => (ref === null ? [] : [{ ref, name }]));
    this.#setFiles(this.#files.filter((file) => file.ref === null && file.problem === null));
    return there;
  }

  /** Somebody else sits here now, or nobody: nothing goes on. */
  close() {
    for (const id of [...this.#running.keys()]) this.#abort(id);
  }

  /** @param {File} file */
  #add(file) {
    const [terms, token] = [this.#owner.terms(), this.#owner.token()];
    if (terms === null || token === undefined) return;
    const others = this.#files.filter((one) => one.problem === null).length;
    const problem = checkFile(file, terms, others);
    const id = newId();
    this.#setFiles([...this.#files, { id, name: file.name, bytes: file.size, ref: null, percent: 0, problem }]);
    if (problem) this.#finish(id, { problem });
    else void this.#upload(id, file, token);
  }

  /** @param {string} id @param {File} file @param {string} token */
  async #upload(id, file, token) {
    const abort = new AbortController();
    this.#running.set(id, abort);
    const onProgress = (/** @type {number} */ percent) => this.#update(id, { percent });
    try {
      const { ref, name } = await upload(this.#server, token, file, { signal: abort.signal, onProgress });
      this.#finish(id, { ref, name });
    } catch (problem) {
      this.#finish(id, { problem: /** @type {Problem} */ (problem) });
    }
  }

  /** @param {string} id @param {Partial<PendingFile>} what */
  #finish(id, what) {
    this.#running.delete(id);
    this.#update(id, what);
    const settled = this.#files.find((file) => file.id === id);
    if (settled) this.#owner.onSettled(settled);
  }

  /** @param {string} id */
  #abort(id) {
    this.#running.get(id)?.abort();
    this.#running.delete(id);
  }

  /** @param {string} id @param {Partial<PendingFile>} what */
  #update(id, what) {
    this.#setFiles(this.#files.map((file) => (file.id === id ? { ...file, ...what } : file)));
  }

  /** @param {readonly PendingFile[]} files */
  #setFiles(files) {
    this.#files = files;
    this.#storage.write({ files: files.filter((file) => file.ref !== null) });
    this.#owner.onChange();
  }
}

// Says before a file is uploaded why it would not be taken.

/** @typedef {import("./frames.js").Uploads} Terms */

/**
 * @param {{name: string, size: number}} file
 * @param {Terms} terms
 * @param {number} others files that go with the same message
 * @returns {Problem | null}
 */
function checkFile({ name, size }, terms, others) {
  const code = codeOf(name.toLowerCase(), size, terms, others);
  return code === null ? null : { code, message: "" };
}

/** @param {string} name @param {number} size @param {Terms} terms @param {number} others */
function codeOf(name, size, { endings, max_bytes, max_files }, others) {
  if (!endings.some((ending) => name.endsWith(ending))) return "unknown_kind";
  if (size > max_bytes) return "too_large";
  if (size === 0) return "empty";
  return others >= max_files ? "too_many_at_once" : null;
}

// Brings one file to the server, and tells how far it is; or takes it back from there.

/** @typedef {{ref: string, name: string}} UploadedFile */
/** @typedef {{code: string, message: string}} Problem `code` is the server's or our own; `message` is plain English, for codes without words */

/** What is told when there was no answer: the line is gone, or the page's policy lets nothing through. */
const NO_ANSWER = { code: "no_answer", message: "" };

/**
 * @param {string} server
 * @param {string} token
 * @param {File} file
 * @param {{signal: AbortSignal, onProgress: (percent: number) => void}} options 100: all of it is there
 * @returns {Promise<UploadedFile>} rejects with a `Problem`; never settles once it was aborted
 */
export function upload(server, token, file, { signal, onProgress }) {
  // Not `fetch`: that does not say how far it is.
  const request = new XMLHttpRequest();
  const address = new URL("v1/uploads", server);
  address.searchParams.set("name", file.name);
  return new Promise((resolve, reject) => {
    request.open("POST", address);
    request.setRequestHeader("Authorization", `Bearer ${token}`);
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.upload.onprogress = ({ loaded, total }) => onProgress(Math.floor((100 * loaded) / Math.max(1, total)));
    request.upload.onload = () => onProgress(100);
    request.onload = () => {
      const answer = parseJson(request.responseText);
      if (request.status === 201 && answer.ref) resolve(answer);
      else reject(answer.code ? answer : NO_ANSWER);
    };
    request.onerror = () => reject(NO_ANSWER);
    signal.addEventListener("abort", () => request.abort());
    request.send(file);
  });
}

/** Has the server delete a file that was uploaded and not sent. @param {string} server @param {string} token @param {string} ref */
function deleteUpload(server, token, ref) {
  const request = { method: "DELETE", headers: { Authorization: `Bearer ${token}` }, keepalive: true };
  // Where that fails, the file goes when its time is over.
  fetch(new URL(`v1/uploads/${ref}`, server), request).catch(() => {});
}

/** @param {string} text @returns {any} */
function parseJson(text) {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}
