/**
 * The files for the next message: uploading, uploaded, or refused.
 *
 * Uploaded files survive a reload of the tab; running uploads do not.
 */

import { newId } from "./outbox.js";

/** @typedef {import("./frames.js").SentFile} SentFile */
/** @typedef {import("./frames.js").Uploads} Terms */

/**
 * @typedef {object} PendingFile
 * @property {string} id
 * @property {string} name
 * @property {number} bytes
 * @property {string | null} ref once it is uploaded
 * @property {number} percent how much is uploaded; at 100 the server reads it
 * @property {Problem | null} problem
 */
/**
 * @typedef {object} Owner
 * @property {() => void} onChange
 * @property {(file: PendingFile) => void} onSettled it is uploaded, or was refused
 * @property {() => import("./frames.js").Uploads | null} terms null: the server accepts no files
 * @property {() => string | undefined} token
 */

export class PendingUploads {
  #server;
  #storage;
  #owner;
  /** @type {readonly PendingFile[]} */
  #files;
  /** @type {Map<string, AbortController>} running uploads */
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

  /** @returns {readonly PendingFile[]} in the order of adding; the same object until one changes */
  get files() {
    return this.#files;
  }

  /** @returns {boolean} whether a file is uploading */
  get busy() {
    return this.#running.size > 0;
  }

  /** @param {Iterable<File>} files */
  add(files) {
    for (const file of files) this.#add(file);
  }

  /** @param {string} id of a file that is not to be sent */
  remove(id) {
    const file = this.#files.find((one) => one.id === id);
    const token = this.#owner.token();
    this.#abort(id);
    if (file?.ref && token) deleteUpload(this.#server, token, file.ref);
    this.#setFiles(this.#files.filter((one) => one.id !== id));
  }

  /**
   * @returns {SentFile[]} the uploaded files, which belong to the message from now on; refused ones are dropped too
   */
  takeUploaded() {
    const there = this.#files.flatMap(({ ref, name }) => (ref === null ? [] : [{ ref, name }]));
    this.#setFiles(this.#files.filter((file) => file.ref === null && file.problem === null));
    return there;
  }

  /** Stops all uploads. */
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

  /** @param {string} id @param {Partial<PendingFile>} changes */
  #finish(id, changes) {
    this.#running.delete(id);
    this.#update(id, changes);
    const settled = this.#files.find((file) => file.id === id);
    if (settled) this.#owner.onSettled(settled);
  }

  /** @param {string} id */
  #abort(id) {
    this.#running.get(id)?.abort();
    this.#running.delete(id);
  }

  /** @param {string} id @param {Partial<PendingFile>} changes */
  #update(id, changes) {
    this.#setFiles(this.#files.map((file) => (file.id === id ? { ...file, ...changes } : file)));
  }

  /** @param {readonly PendingFile[]} files */
  #setFiles(files) {
    this.#files = files;
    this.#storage.write({ files: files.filter((file) => file.ref !== null) });
    this.#owner.onChange();
  }
}

/**
 * Checks a file before it is uploaded.
 *
 * @param {{name: string, size: number}} file
 * @param {Terms} terms
 * @param {number} others how many other files the message has
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

/** @typedef {{ref: string, name: string}} UploadedFile */
/**
 * @typedef {object} Problem
 * @property {string} code the server's, or one of this module
 * @property {string} message in English, for codes that have no translation
 */

/** There was no answer: no network, or the page's policy blocks the request. */
const NO_ANSWER = { code: "no_answer", message: "" };

/**
 * Uploads one file.
 *
 * @param {string} server
 * @param {string} token
 * @param {File} file
 * @param {{signal: AbortSignal, onProgress: (percent: number) => void}} options at 100 percent the server has all bytes
 * @returns {Promise<UploadedFile>} rejects with a `Problem`; never settles once it was aborted
 */
function upload(server, token, file, { signal, onProgress }) {
  // Not `fetch`: it does not report the progress of an upload.
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

/**
 * Deletes a file on the server that was uploaded and not sent.
 *
 * @param {string} server
 * @param {string} token
 * @param {string} ref
 */
function deleteUpload(server, token, ref) {
  const request = { method: "DELETE", headers: { Authorization: `Bearer ${token}` }, keepalive: true };
  // If that fails, the server deletes the file when it expires.
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
