/** Brings one file to the server, and tells how far it is; or takes it back from there. */

/** @typedef {{ref: string, name: string}} Kept */
/** @typedef {{code: string, message: string}} Problem `code` is the server's or our own; `message` is plain English, for codes without words */

/** What is told when there was no answer: the line is gone, or the page's policy lets nothing through. */
const NO_ANSWER = { code: "no_answer", message: "" };

/**
 * @param {string} server
 * @param {string} token
 * @param {File} file
 * @param {{signal: AbortSignal, onProgress: (percent: number) => void}} options 100: all of it is there
 * @returns {Promise<Kept>} rejects with a `Problem`; never settles once it was aborted
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
      const answer = read(request.responseText);
      if (request.status === 201 && answer.ref) resolve(answer);
      else reject(answer.code ? answer : NO_ANSWER);
    };
    request.onerror = () => reject(NO_ANSWER);
    signal.addEventListener("abort", () => request.abort());
    request.send(file);
  });
}

/** Has the server delete a file that was uploaded and not sent. @param {string} server @param {string} token @param {string} ref */
export function takeBack(server, token, ref) {
  const request = { method: "DELETE", headers: { Authorization: `Bearer ${token}` }, keepalive: true };
  // Where that fails, the file goes when its time is over.
  fetch(new URL(`v1/uploads/${ref}`, server), request).catch(() => {});
}

/** @param {string} text @returns {any} */
function read(text) {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}
