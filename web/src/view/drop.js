/** Takes files that are dropped on the panel or pasted into it. */

/** @typedef {import("./scene.js").Scene} Scene */

/** @param {DragEvent} event @param {Scene} scene */
export function onDrag(event, { state, words }) {
  if (state.uploads === null || !event.dataTransfer?.types.includes("Files")) return;
  event.preventDefault();
  event.dataTransfer.dropEffect = "copy";
  panelOf(event).dataset.drop = words.dropFiles;
}

/** @param {DragEvent} event */
export function onDragLeave(event) {
  const panel = panelOf(event);
  // From one thing in the panel to the next is no leaving.
  if (!(event.relatedTarget instanceof Node && panel.contains(event.relatedTarget))) delete panel.dataset.drop;
}

/** @param {DragEvent} event @param {Scene} scene */
export function onDrop(event, { state, actions }) {
  delete panelOf(event).dataset.drop;
  const files = [...(event.dataTransfer?.files ?? [])];
  if (state.uploads === null || files.length === 0) return;
  event.preventDefault();
  actions.attach(files);
}

/** @param {ClipboardEvent} event @param {Scene} scene */
export function onPaste(event, { state, actions }) {
  // The host page may have plans of its own with what is pasted.
  event.stopPropagation();
  const pasted = event.clipboardData;
  const files = [...(pasted?.files ?? [])];
  // Cells of a table are pasted as text, though their picture comes along.
  if (state.uploads === null || files.length === 0 || pasted?.types.includes("text/plain")) return;
  event.preventDefault();
  actions.attach(files);
}

/** @param {Event} event */
function panelOf({ currentTarget }) {
  return /** @type {HTMLElement} */ (currentTarget);
}
