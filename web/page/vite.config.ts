import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { binaryOnly, shortDescriptors } from "./lighter.ts";

const gateway = process.env.FUDABA_WEB ?? "http://127.0.0.1:7712";

const source = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  plugins: [shortDescriptors(), binaryOnly(source("src/api/binary_only.ts"))],
  resolve: { alias: { "~": source("src") } },
  oxc: { jsx: { importSource: "preact" } },
  build: {
    outDir: "../fudaba_web/page",
    emptyOutDir: true,
    target: "es2022",
    assetsInlineLimit: 0, // the Content Security Policy allows no data: but for images
    modulePreload: { polyfill: false },
    manifest: true, // for sizes.js
    rolldownOptions: {
      output: {
        // What every view of a match needs, in two files: many small ones compress less well.
        codeSplitting: {
          groups: [
            { name: "libraries", test: /node_modules\/(?!uplot|.*to-json)/ },
            { name: "messages", test: /src\/gen\/.*(?<!accounts|arena|bots|catalog|play|submissions)_pb/ },
          ],
        },
      },
    },
  },
  server: {
    // `npm run dev` shows the page of the sources; what is not the page comes from a gateway that runs beside it.
    proxy: Object.fromEntries(
      ["^/fudaba\\.v1\\.", "^/contract/", "^/submissions/", "^/session"].map((path) => [path, gateway]),
    ),
  },
  test: { environment: "jsdom", include: ["test/**/*.test.{ts,tsx}"] },
});
