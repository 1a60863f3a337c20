/** Whatever is shown, its texts are there: each page and each board names the files of the catalogue that it needs. */
import { describe, expect, it } from "vitest";
import { MISSING, ROUTES } from "~/routes";

const sources = import.meta.glob<string>("../src/**/*.{ts,tsx}", { query: "?raw", import: "default", eager: true });
const catalogue = import.meta.glob<Record<string, string>>("../src/i18n/en/**/*.ts", { import: "texts", eager: true });

const textsOf = (file: string) => Object.keys(catalogue[`../src/i18n/en/${file}.ts`] ?? {});
const all = new Set(Object.values(catalogue).flatMap((texts) => Object.keys(texts)));
const pages = [...Object.values(ROUTES), MISSING];
const boards = Object.keys(sources).flatMap((path) => /src\/boards\/(\w+)\/index\.tsx$/.exec(path)?.[1] ?? []);

/** A module's path for what an `import` names; undefined for libraries, texts and generated code. */
function moduleOf(name: string): string | undefined {
  const path = name.replace("~/", "../src/");
  const found = [`${path}.ts`, `${path}.tsx`, `${path}/index.ts`, `${path}/index.tsx`].find((file) => file in sources);
  return found === undefined || /src\/(gen|i18n)\//.test(found) ? undefined : found;
}

/** A module and all that it imports, at once or later; but for what names its own texts, such as pages. */
function reached(module: string, found = new Set<string>()): Set<string> {
  if (found.has(module)) return found;
  found.add(module);
  for (const [, from] of (sources[module] ?? "").matchAll(/(?:from |import |import\()"([^"]+)"/g)) {
    const next = moduleOf(from ?? "");
    if (
      next !== undefined &&
      !/src\/(pages\/|boards\/fields\/|learn\/(lesson|cover|guided)\.|parts\/(home\/(house_table|no_ladder)|late|bracket\/knockout|guest_refused|maintenance_notice)\.)/.test(
        next,
      )
    )
      reached(next, found);
  }
  return found;
}

/** The keys that stand in a module and in all that it imports; of one that is put together, all that it can become. */
function keysIn(module: string): string[] {
  return [...reached(module)].flatMap((path) => {
    const source = sources[path] ?? "";
    const whole = [...source.matchAll(/"([\w.]+)"/g)].map(([, key]) => key ?? "");
    const begun = [...source.matchAll(/`([\w.]+\.)\$\{/g)].map(([, start]) => start ?? "");
    return [
      ...whole.filter((key) => all.has(key)),
      ...[...all].filter((key) => begun.some((prefix) => key.startsWith(prefix))),
    ];
  });
}

function lacks(module: string, files: readonly string[]): string[] {
  const there = new Set(["index", ...files].flatMap(textsOf));
  const used = keysIn(module);
  expect(used.length).toBeGreaterThan(0);
  return used.filter((key) => !there.has(key));
}

describe("the texts of", () => {
  it("what stands around every page", () => {
    expect(lacks("../src/app.tsx", [])).toEqual([]);
  });

  it.each(pages)("$page", ({ page, texts = [] }) => {
    expect(lacks(`../src/pages/${page}.tsx`, texts)).toEqual([]);
  });

  it("what teaches a game", () => {
    const cards = ["boards/french", "boards/kamikisen", "boards/naga"]; // each board's texts have those of its cards
    expect(lacks("../src/learn/lesson.tsx", ["learn", ...cards])).toEqual([]);
    expect(lacks("../src/learn/guided.tsx", ["learn", "match"])).toEqual([]);
  });

  it("what says that there is maintenance", () => {
    expect(lacks("../src/parts/maintenance_notice.tsx", ["maintenance"])).toEqual([]);
  });

  it("a bracket", () => {
    expect(lacks("../src/parts/bracket/knockout.tsx", ["bracket", "ladder"])).toEqual([]);
  });

  it("what stands on the start page of a new arena", () => {
    expect(lacks("../src/parts/home/house_table.tsx", ["begin"])).toEqual([]);
    expect(lacks("../src/parts/home/no_ladder.tsx", ["begin", "enter"])).toEqual([]);
  });

  it.each(boards)("the board of %s", (game) => {
    expect(lacks(`../src/boards/${game}/index.tsx`, [`boards/${game}`])).toEqual([]);
  });
});
