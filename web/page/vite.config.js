// One HTML file with everything in it: scripts, style and the WebAssembly modules by vite-plugin-singlefile, and as text
// elements the models in ../../models and, if REPLAY names one, a page that `gallop demo` wrote.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { defineConfig } from "vite";
import { viteSingleFile } from "vite-plugin-singlefile";

const FIRST = "runner.gallop"; // what the page begins with
const HALF = "-half.gallop"; // goes as the whole one does, and a fifth button has no room
const here = (path) => fileURLToPath(new URL(path, import.meta.url));

// Packed by gzip, in base64: src/packed.js reads it.
function element(kind, name, path) {
  const text = gzipSync(readFileSync(path), { level: 9 }).toString("base64");
  return { tag: "script", attrs: { type: "text/plain", "data-kind": kind, "data-name": name }, children: text, injectTo: "body" };
}

function packed() {
  return {
    name: "packed",
    transformIndexHtml: {
      order: "post",
      handler() {
        const models = readdirSync(here("../../models")).filter((file) => file.endsWith(".gallop") && !file.endsWith(HALF));
        const replay = process.env.REPLAY;
        if (replay && !existsSync(replay)) throw new Error(`REPLAY=${replay}: no such file`);
        return [
          ...models.sort((a, b) => (b === FIRST) - (a === FIRST) || (a < b ? 1 : -1)).map((file) =>
            element("model", file.replace(/\.gallop$/, ""), here(`../../models/${file}`))),
          ...(replay ? [element("page", "replay", replay)] : []),
        ];
      },
    },
  };
}

export default defineConfig({
  root: here("."),
  plugins: [viteSingleFile(), packed()],
  build: {
    outDir: process.env.OUT || "dist", emptyOutDir: false, chunkSizeWarningLimit: 4000,
    rolldownOptions: { checks: { bundlerTimings: false } }, // they come as warnings
  },
});
