/** Registers `<meanwhile-chat>`; fetched by the loader. */

import { MeanwhileChat } from "./element.js";

if (!customElements.get("meanwhile-chat")) customElements.define("meanwhile-chat", MeanwhileChat);
