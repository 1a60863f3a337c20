/** Sizes of type, space and colours come from `src/tokens.css`, and no style sheet has others. */
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const SOURCE = join(import.meta.dirname, "../src");

/** The sources whose path ends so, by path. */
function sources(end: RegExp): Readonly<Record<string, string>> {
  const paths = readdirSync(SOURCE, { recursive: true, encoding: "utf-8" });
  const wanted = paths.filter((path) => end.test(path) && !path.startsWith("gen"));
  return Object.fromEntries(wanted.map((path) => [path, readFileSync(join(SOURCE, path), "utf-8")]));
}

const sheets = sources(/\.css$/);
const scripts = sources(/\.tsx?$/);

const TOKENS = "tokens.css";
const MAX_TYPE_TOKENS = 13;
const MAX_SPACE_TOKENS = 12;
const DECLARATION = /(?<![\w-])([a-z\d-]+): ([^;{}]+)/g;
const SPACE = /^(padding|margin|(row-|column-)?gap|--gap|--space)(-|$)/;
const TYPE = /^(font|font-size|--type-.*)$/;
const LENGTH = /(?<![\w-])-?(?!0[a-z%])\d*\.?\d+(r?em|px|pt|ch|ex|r?lh|%|[sdl]?v([hwib]|min|max)|cq\w+|cm|mm|in)(?!\w)/;
const SIZE_NAMED = /(?<![\w-])((xx?-|x+-)?(small|large)|medium|smaller|larger)(?![\w-])/;
const COLOUR = /#[\da-f]{3,8}\b|\b(rgb|hsl|hwb|(ok)?l(ab|ch)|color)a?\(/i;
const COLOUR_NAMED =
  /(?<![\w-])(white|black|gr[ae]y|silver|red|maroon|orange|gold|yellow|olive|lime|green|teal|aqua|cyan|blue|navy|purple|fuchsia|magenta|pink|brown|beige|ivory|tan|salmon|crimson|indigo|violet|(light|dark|medium|pale|deep)[a-z]+)(?![\w-])/;

const withoutComments = (sheet: string) => sheet.replace(/\/\*[^]*?\*\//g, "");

/** What a style sheet says that only the tokens may say. */
function faults(sheet: string): string[] {
  return [...withoutComments(sheet).matchAll(DECLARATION)].flatMap(([whole, property = "", value = ""]) => {
    const isLiteral =
      (SPACE.test(property) && LENGTH.test(value)) ||
      (TYPE.test(property) && (LENGTH.test(value) || SIZE_NAMED.test(value))) ||
      COLOUR.test(value) ||
      (!/^(font|grid-area|grid-template-areas|animation)/.test(property) && COLOUR_NAMED.test(value));
    return isLiteral ? [whole] : [];
  });
}

/** The names of the tokens that begin so. */
function tokens(start: string): string[] {
  return [...(sheets[TOKENS] ?? "").matchAll(/^ *(--[\w-]+):/gm)].flatMap(([, name = ""]) =>
    name.startsWith(start) ? [name] : [],
  );
}

it("no style sheet has a size of type, a space or a colour of its own", () => {
  const others = Object.entries(sheets).filter(([path]) => path !== TOKENS);
  expect(others.length).toBeGreaterThan(30);
  expect(
    Object.fromEntries(others.map(([path, sheet]) => [path, faults(sheet)]).filter(([, found]) => found?.length)),
  ).toEqual({});
});

it("what scripts draw has none either", () => {
  const own = Object.entries(scripts).filter(([, source]) => {
    const styles = [...source.matchAll(/(?:font-size|padding|margin|gap): ([^;]+);/g)].map(([, value = ""]) => value);
    return styles.some((value) => LENGTH.test(value)) || /"#[\da-f]{3,8}"/i.test(source);
  });
  expect(own.map(([path]) => path)).toEqual([]);
});

it.each([
  "a { font-size: 0.9rem; }",
  "a { font: 700 12px serif; }",
  "a { font-size: clamp(1rem, 2vw, 3rem); }",
  "a { font-size: small; }",
  "a { padding: var(--space-2) 3px; }",
  "a { margin-inline-start: calc(-1 * 0.5em); }",
  "a { margin: -1px; }",
  "a { gap: 0 5%; }",
  "a { --gap: 1rem; }",
  "a { --space-2: 1rem; }",
  "a { --type-1: 1rem; }",
  "a { color: #fff; }",
  "a { border: 1px solid black; }",
  "a { box-shadow: 0 0 2px rgb(0 0 0 / 50%); }",
])("such a literal is found: %s", (sheet) => {
  expect(faults(sheet)).toHaveLength(1);
});

it.each([
  "a { font: inherit; font-size: var(--type-2); }",
  "a { padding: 0 var(--space-2); margin: 0 auto; gap: var(--gap); }",
  "a { margin: calc(var(--card-width) * -0.6); padding: max(0px, var(--card-width) - var(--strip)); }",
  "a { --type-plate: var(--type-3); color: currentColor; border: 1px solid transparent; }",
])("what uses tokens is none: %s", (sheet) => {
  expect(faults(sheet)).toEqual([]);
});

it("the scales have few steps", () => {
  expect(tokens("--type-").length).toBeGreaterThan(0);
  expect(tokens("--type-").length).toBeLessThanOrEqual(MAX_TYPE_TOKENS);
  expect(tokens("--space-").length).toBeGreaterThan(0);
  expect(tokens("--space-").length).toBeLessThanOrEqual(MAX_SPACE_TOKENS);
});

it("each variable that is used is there, and each token is used", () => {
  const all = [...Object.values(sheets).map(withoutComments), ...Object.values(scripts)].join("\n");
  const used = new Set([...all.matchAll(/(--[\w-]+)(?=[,)])/g)].map(([, name]) => name));
  const made = new Set([...all.matchAll(/(--[\w-]+)"?(?=:)/g)].map(([, name]) => name));
  expect([...used].filter((name) => !made.has(name))).toEqual([]);
  expect(tokens("--").filter((name) => !used.has(name))).toEqual([]);
});
