/**
 * Builds `dist/`: the loader that a page includes, the chat and the voice module; and in `dist/console/` the console.
 * The result is the same on each machine.
 */

import { createHash } from "node:crypto";
import { mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { build, transform } from "esbuild";

const here = new URL("./", import.meta.url);

/** @type {import("esbuild").BuildOptions} */
const options = {
  absWorkingDir: here.pathname,
  bundle: true,
  format: "esm",
  target: "es2022",
  charset: "utf8",
  minify: true,
  metafile: true,
  // The packages' own paths tell which licences apply, also where node_modules is a link.
  preserveSymlinks: true,
  legalComments: "none",
  banner: { js: "/*! Meanwhile. What it is made with, and on whose terms: LICENSES.txt beside this file. */" },
  logLevel: "warning",
  plugins: [
    { name: "style sheets as text", setup: readStyleSheets },
    { name: "templates without elements", setup: leaveOutElements },
    { name: "templates without line breaks", setup: closeUpTemplates },
  ],
};

const stringsHash = await writeTexts("src/strings/", "dist/");

// Voice is loaded when it is first used, and has two files: the module and the audio worklet.
await build({ ...options, entryPoints: ["src/voice/capture.js"], outfile: "dist/capture.js" });
await build({
  ...options,
  entryPoints: ["src/voice/voice.js"],
  outfile: "dist/voice.js",
  define: { CAPTURE_HASH: JSON.stringify((await integrity("capture.js")).slice(-8)), STRINGS_HASH: '""' },
});
const chat = await build({
  ...options,
  entryPoints: ["src/register.js"],
  outfile: "dist/chat.js",
  define: {
    VOICE_INTEGRITY: JSON.stringify(await integrity("voice.js")),
    STRINGS_HASH: JSON.stringify(stringsHash),
  },
});
const loader = await build({
  ...options,
  entryPoints: ["src/loader.js"],
  outfile: "dist/meanwhile-chat.js",
  // The browser refuses a chat that this loader was not built with.
  define: { CHAT_INTEGRITY: JSON.stringify(await integrity("chat.js")) },
});
await mkdir(new URL("dist/console/", here), { recursive: true });
const consoleApp = await build({
  ...options,
  entryPoints: ["src/console/main.js"],
  outfile: "dist/console/console.js",
  banner: { js: options.banner?.js?.replace("beside this file", "one folder above this file") ?? "" },
  define: { STRINGS_HASH: JSON.stringify(await writeTexts("src/console/strings/", "dist/console/")) },
});
for (const file of ["index.html", "icon.svg"])
  await writeFile(new URL(`dist/console/${file}`, here), await read(`src/console/${file}`));
await writeFile(new URL("dist/LICENSES.txt", here), await licences(chat, loader, consoleApp));

/**
 * The texts of a language other than English are loaded when it is first drawn.
 *
 * @param {string} from a folder with one JSON file for each language
 * @param {string} to
 * @returns {Promise<string>} a hash of all
 */
async function writeTexts(from, to) {
  const files = (await readdir(new URL(from, here))).filter((file) => file.endsWith(".json")).sort();
  const texts = await Promise.all(
    files.map(async (file) => {
      const text = JSON.stringify(JSON.parse(String(await read(from + file))));
      await writeFile(new URL(`${to}strings-${file}`, here), text);
      return text;
    }),
  );
  return createHash("sha256").update(texts.join("\n")).digest("hex").slice(0, 8);
}

/** @param {string} name @returns {Promise<string>} the integrity of a built file, which the browser checks */
async function integrity(name) {
  return `sha384-${createHash("sha384").update(await read(`dist/${name}`)).digest("base64")}`;
}

/** @param {import("esbuild").PluginBuild} plugins */
function readStyleSheets({ onLoad }) {
  onLoad({ filter: /\.css$/ }, async ({ path }) => {
    const { code } = await transform(await readFile(path, "utf8"), {
      loader: "css",
      minify: true,
      target: "es2022",
    });
    return { contents: code, loader: "text" };
  });
}

/** Replaces `lit` by its templates, without its base class for elements. @param {import("esbuild").PluginBuild} plugins */
function leaveOutElements({ onResolve, resolve }) {
  onResolve({ filter: /^lit$/ }, ({ kind, resolveDir }) => resolve("lit/html.js", { kind, resolveDir }));
}

/** Removes line breaks between tags of templates. @param {import("esbuild").PluginBuild} plugins */
function closeUpTemplates({ onLoad }) {
  onLoad({ filter: /[/\\]src[/\\](view[/\\].*|voice[/\\]view|console[/\\].*)\.js$/ }, async ({ path }) => {
    const source = await readFile(path, "utf8");
    return { contents: source.replaceAll(/([>}`])\s*\n\s*(?=<|\$\{|`)/g, "$1"), loader: "js" };
  });
}

/** @param {import("esbuild").BuildResult[]} builds @returns {Promise<string>} the licence of each package in the bundles */
async function licences(...builds) {
  const files = builds.flatMap(({ metafile }) => Object.keys(metafile?.inputs ?? {}));
  const names = files.flatMap((file) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? []);
  const texts = [...new Set(names)].sort().map(async (name) => {
    const folder = `node_modules/${name}/`;
    const { version } = JSON.parse(String(await read(`${folder}package.json`)));
    const file = (await readdir(new URL(folder, here))).find((entry) => /^licen[cs]e/i.test(entry));
    if (file === undefined) throw new Error(`${folder} has no licence file: may it be distributed?`);
    return `${name} ${version}\n\n${String(await read(folder + file)).trim()}\n`;
  });
  return (await Promise.all(texts)).join("\n----\n\n");
}

/** @param {string} path */
function read(path) {
  return readFile(new URL(path, here));
}
