import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { binaryOnly, plainDescriptors } from "./lighter";

const gateway = process.env.FUDABA_WEB ?? "http://127.0.0.1:7712";

const source = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  plugins: [plainDescriptors(), binaryOnly(source("src/api/binary_only.ts"))],
  resolve: { alias: { "~": source("src") } },
  oxc: { jsx: { importSource: "preact" } },
  build: {
    outDir: "../fudaba_web/page",
    emptyOutDir: true,
    target: "es2022",
    assetsInlineLimit: 0, // the Content Security Policy allows no data: but for images
    modulePreload: { polyfill: false },
  },
  server: {
    // `npm run dev` shows the page of the sources; what is not the page comes from a gateway that runs beside it.
    proxy: Object.fromEntries(
      ["^/fudaba\\.v1\\.", "^/contract/", "^/submissions/", "^/session"].map((path) => [path, gateway]),
    ),
  },
  test: { environment: "jsdom", include: ["test/**/*.test.{ts,tsx}"] },
});
