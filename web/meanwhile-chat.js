/** Registers `<meanwhile-chat>`: the one file that a page includes. */

import { MeanwhileChat } from "./chat/element.js";

if (!customElements.get("meanwhile-chat")) customElements.define("meanwhile-chat", MeanwhileChat);
