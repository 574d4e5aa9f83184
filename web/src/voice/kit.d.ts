import type { html, nothing } from "lit";
import type { icon } from "../view/icon.js";

/** What the chat draws with, handed to what is fetched later: that need not bring its own. */
export interface Kit {
  readonly html: typeof html;
  readonly nothing: typeof nothing;
  readonly icon: typeof icon;
}
