// What each part of the built page weighs over the wire, and exits 1 if one is over its bound.
import { readFileSync, readdirSync } from "node:fs";
import { gzipSync } from "node:zlib";

const FIRST = 90_000;
const PART = 40_000;
const built = new URL("../fudaba_web/page/", import.meta.url);
const weight = (name) => gzipSync(readFileSync(new URL(name, built)), { level: 9 }).length;
const page = readFileSync(new URL("index.html", built), "utf8");
const assets = readdirSync(new URL("assets/", built)).filter((name) => !name.endsWith(".map"));
const first = assets.filter((name) => page.includes(name) || /^(home|en)-/.test(name));

let over = false;
const tell = (name, size, bound) => {
  over ||= size > bound;
  console.log(`${String(size).padStart(8)} of ${bound}  ${name}${size > bound ? "  TOO MUCH" : ""}`);
};
tell(
  "first view",
  first.reduce((sum, name) => sum + weight(`assets/${name}`), weight("index.html")),
  FIRST,
);
for (const name of assets.filter((name) => !first.includes(name))) tell(name, weight(`assets/${name}`), PART);
process.exit(over ? 1 : 0);
