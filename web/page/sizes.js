// What the page weighs over the wire, and exits 1 if a part is over its bound. The first view is what the start page loads
// by itself, in English, but for the board of the game that it happens to show: a board is a further part.
import { readFileSync, readdirSync } from "node:fs";
import { gzipSync } from "node:zlib";

const FIRST = 90_000;
const PART = 40_000;
const BY_ITSELF = /^(home|live_board|top|en)-/; // what the start page asks for without being told to
const built = new URL("../fudaba_web/page/", import.meta.url);
const read = (name) => readFileSync(new URL(name, built), "utf8");
const weight = (name) => gzipSync(read(name), { level: 9 }).length;
const assets = readdirSync(new URL("assets/", built)).map((name) => `assets/${name}`);

/** What a script imports: at once, and, with the styles that come along, when it wants to. */
function imports(name) {
  if (!name.endsWith(".js")) return { atOnce: [], later: [] };
  const script = read(name);
  const named = JSON.parse(/m\.f=(\[[^\]]*\])/.exec(script)?.[1] ?? "[]");
  const atOnce = [...script.matchAll(/(?:from|import)\s*["'`]\.\/([^"'`]+)/g)].map((found) => `assets/${found[1]}`);
  const later = [...script.matchAll(/import\(["'`]\.\/([^"'`]+)["'`]\)(?:,__vite__mapDeps\(\[([\d,]*)\]\))?/g)];
  return {
    atOnce,
    later: later.map(([, file, places = ""]) => [file, ...places.split(",").map((place) => named[Number(place)])]),
  };
}

const first = new Set();
const add = (name) => {
  if (name === undefined || !assets.includes(name) || first.has(name)) return;
  first.add(name);
  const { atOnce, later } = imports(name);
  atOnce.forEach(add);
  for (const [file, ...along] of later) if (BY_ITSELF.test(file)) [`assets/${file}`, ...along].forEach(add);
};
assets.filter((name) => read("index.html").includes(name)).forEach(add);

let over = false;
const tell = (name, size, bound) => {
  over ||= size > bound;
  console.log(`${String(size).padStart(8)} of ${bound}  ${name}${size > bound ? "  TOO MUCH" : ""}`);
};
const sum = [...first].reduce((before, name) => before + weight(name), weight("index.html"));
tell(`first view, in ${first.size + 1} files`, sum, FIRST);
for (const name of assets.filter((name) => !first.has(name))) tell(name, weight(name), PART);
process.exit(over ? 1 : 0);
