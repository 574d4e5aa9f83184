/** Starts the console; `index.html` loads this bundle. */

import { App } from "./app.js";
import { applyStyles } from "./styles/index.js";

applyStyles();
void new App(/** @type {HTMLElement} */ (document.getElementById("console")), new URL("./", import.meta.url)).start();
