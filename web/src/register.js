/** Registers `<meanwhile-chat>`; the loader loads this bundle. */

import { MeanwhileChat } from "./element.js";

if (!customElements.get("meanwhile-chat")) customElements.define("meanwhile-chat", MeanwhileChat);
