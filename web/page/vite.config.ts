import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { binaryOnly, shortDescriptors } from "./lighter.ts";
import { writePreloads } from "./preloads.ts";

const gateway = process.env.FUDABA_WEB ?? "http://127.0.0.1:7712";

/** Files of `src` that the start page shares with others. */
const START = [
  ...[
    "i18n/index",
    "api/transport",
    "api/errors",
    "api/reasons",
    "api/follow",
    "api/session",
    "api/from_this_page",
    "api/matches",
  ],
  ...["api/shared_stream"],
  ...["boards/hand_order", "boards/index", "boards/piece", "boards/says", "boards/seats"],
  ...[
    "parts/shell",
    "parts/load",
    "parts/title",
    "parts/theme",
    "parts/copy",
    "parts/tag",
    "parts/term",
    "parts/games",
    "parts/looks_like",
  ],
  ...["match", "board", "seats", "live", "pace", "play_back", "positions", "replay"].map(
    (part) => `parts/match/${part}`,
  ),
  ...["parts/ladder/names", "parts/home/home", "parts/home/choose_match"],
];

const source = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  plugins: [shortDescriptors(source("src")), binaryOnly(source("src/api/binary_only.ts")), writePreloads()],
  resolve: { alias: { "~": source("src") } },
  oxc: { jsx: { importSource: "preact" } },
  build: {
    outDir: "../fudaba_web/page",
    emptyOutDir: true,
    target: "es2022",
    assetsInlineLimit: 0, // the Content Security Policy allows no data: but for images
    modulePreload: { polyfill: false },
    manifest: true, // for sizes.js and preloads.ts
    rolldownOptions: {
      output: {
        // What the first view needs, in few files: many small ones compress less well, and each has headers.
        codeSplitting: {
          groups: [
            { name: "libraries", test: /node_modules\/(?!uplot|.*to-json)/ },
            { name: "start", test: new RegExp(`/src/(${START.join("|")})\\.`) },
            { name: "start_calls", test: /\/src\/(api\/start_page|parts\/ladder\/states|gen\/start\/.*)\./ },
            { name: "arena", test: /\/src\/api\/arena\./ },
            { name: "tabs", test: /\/src\/parts\/tabs\./ },
            // Of one page and its tabs: a browser that speaks HTTP/1.1 asks for six files at a time.
            { name: "ladder", test: /\/src\/parts\/ladder\// },
            { name: "messages", test: /src\/gen\/.*(?<!accounts|arena|bots|catalog|play|submissions)_pb/ },
          ],
        },
      },
    },
  },
  server: {
    fs: { allow: [".", "../../docs/examples"] }, // a form begins with an example of the documents
    // `npm run dev` shows the page of the sources; what is not the page comes from a gateway that runs beside it.
    proxy: Object.fromEntries(
      ["^/fudaba\\.v1\\.", "^/contract/", "^/submissions/", "^/session", "^/bot-address"].map((path) => [
        path,
        gateway,
      ]),
    ),
  },
  test: {
    environment: "jsdom",
    include: ["test/**/*.test.{ts,tsx}"],
    setupFiles: ["test/setup.ts"],
    // A process and a document for each file cost more CPU than the tests.
    isolate: false,
    maxWorkers: 2,
    testTimeout: 120_000, // what takes so long hangs, on the busiest machine
    hookTimeout: 120_000,
  },
});
