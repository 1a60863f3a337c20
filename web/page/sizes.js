// What the page weighs over the wire, and exits 1 if a part is over its bound. The first view is all that a browser loads
// for the start page, in English, with the board that is heaviest of those that it can happen to show. A browser that knows
// zstd gets a little less than this, which is gzip's.
import { readFileSync, readdirSync } from "node:fs";
import { gzipSync } from "node:zlib";

const MAX_FIRST_VIEW_BYTES = 90_000;
const MAX_PART_BYTES = 40_000;
const built = new URL("../fudaba_web/page/", import.meta.url);
const read = (name) => readFileSync(new URL(name, built));
const weight = (name) => gzipSync(read(name), { level: 9 }).length;
const sum = (names) => [...names].reduce((before, name) => before + weight(name), 0);
const chunks = JSON.parse(read(".vite/manifest.json"));

/** The files that come along with a chunk: itself, its styles, and what it imports at once. */
function along(source, found = new Set()) {
  const { file, css = [], imports = [] } = chunks[source];
  if (found.has(file)) return found;
  [file, ...css].forEach((name) => found.add(name));
  imports.forEach((imported) => along(imported, found));
  return found;
}

/** What the start page asks for without being told to. */
const start = [
  "index.html",
  "src/i18n/en/index.ts",
  "src/pages/home.tsx",
  "src/parts/home/first_lines.tsx",
  "src/parts/home/live_board.tsx",
  "src/parts/home/top.tsx",
];
const games = Object.keys(chunks).flatMap((source) => /^src\/boards\/(\w+)\/index\.tsx$/.exec(source)?.[1] ?? []);

let over = false;
const tell = (name, size, bound) => {
  over ||= size > bound;
  console.log(`${String(size).padStart(8)} of ${bound}  ${name}${size > bound ? "  TOO MUCH" : ""}`);
};
const first = games.map((game) => {
  const files = new Set(["index.html", "icon.svg"]);
  for (const source of [...start, `src/boards/${game}/index.tsx`, `src/i18n/en/boards/${game}.ts`])
    along(source, files);
  return { game, files, size: sum(files) };
});
const { game, files, size } = first.reduce((most, view) => (view.size > most.size ? view : most));
tell(`first view, in ${files.size} files, with the board of ${game}`, size, MAX_FIRST_VIEW_BYTES);
for (const name of readdirSync(new URL("assets/", built)))
  tell(`assets/${name}`, weight(`assets/${name}`), MAX_PART_BYTES);
process.exit(over ? 1 : 0);
