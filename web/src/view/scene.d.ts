import type { Actions, ViewState } from "../view-contract.js";
import type { Words } from "../words/words.js";

/** What every view is handed: what there is to show, what can be done about it, and in which words. */
export interface Scene {
  readonly state: ViewState;
  readonly actions: Actions;
  readonly words: Words;
}
