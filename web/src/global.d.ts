import type { makeRemote } from "./remote.js";

declare global {
  /** What a page may ask of the chat; set by the loader. */
  var Meanwhile: any;
  /** Of the chat that this loader was built with; set by the build. */
  const CHAT_INTEGRITY: string;
}
