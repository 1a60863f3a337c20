import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { resolveLink } from "~/parts/rules/links";
import { type Block, type Inline, parseInline, parseMarkdown, plain, ruleNumber, slug } from "~/parts/rules/markdown";

const FOLDER = join(import.meta.dirname, "../../../../docs/rules");
const PAGES = readdirSync(FOLDER).filter((name) => name.endsWith(".md"));

function wordsOf(block: Block): string {
  switch (block.kind) {
    case "heading":
    case "paragraph":
      return plain(block.content);
    case "list":
      return block.items.map(plain).join(" ");
    case "table":
      return [block.head, ...block.rows].flat().map(plain).join(" ");
    case "code":
      return block.text;
  }
}

test.each(PAGES)("every word of %s is drawn, and no mark of Markdown is left", (name) => {
  const text = readFileSync(join(FOLDER, name), "utf8");
  const drawn = parseMarkdown(text).map(wordsOf).join(" ");
  const letters = (words: string) => words.replace(/[^\p{L}\p{N}]/gu, "");
  const source = text.replace(/\]\([^)\s]+\)/g, "]"); // where links lead is no text
  expect(letters(drawn)).toBe(letters(source));
  expect(drawn).not.toMatch(/\*\*|\]\(|^#/m);
});

test.each(PAGES)("the rules of %s have numbers of their own to link to", (name) => {
  const blocks = parseMarkdown(readFileSync(join(FOLDER, name), "utf8"));
  const numbers = blocks.flatMap((block) =>
    block.kind === "list" ? block.items.flatMap((item) => ruleNumber(item) ?? []) : [],
  );
  expect(new Set(numbers).size).toBe(numbers.length);
  if (name !== "README.md") expect(numbers.length).toBeGreaterThan(5);
});

test("markup stays text", () => {
  const blocks = parseMarkdown('<script>alert(1)</script> [x](javascript:alert(1)) <img src="x">');
  expect(blocks).toHaveLength(1);
  expect(blocks.map(wordsOf).join("")).toContain("<script>alert(1)</script>");
});

test("links lead to shared pages and other games, and nowhere else", () => {
  const shared = ["README.md", "kamikisen.md"];
  expect(resolveLink("README.md", "naga", shared)).toBe("/games/naga?page=README.md");
  expect(resolveLink("kamikisen.md#k2-cards", "naga", shared)).toBe("/games/naga?page=kamikisen.md#k2-cards");
  expect(resolveLink("mokkaik.md", "naga", shared)).toBe("/games/mokkaik");
  expect(resolveLink("#n2-cards", "naga", shared)).toBe("#n2-cards");
  for (const to of [
    "javascript:alert(1)",
    "https://example.org/",
    "//example.org",
    "../values/README.md",
    "data:text/html,x",
  ])
    expect(resolveLink(to, "naga", shared)).toBeUndefined();
});

test("spans nest, and what stands in code is nothing else", () => {
  const words: Inline[] = parseInline("a **b *c* d** `**d**` [e `f`](g.md)");
  expect(words.map((part) => part.kind)).toEqual(["text", "strong", "text", "code", "text", "link"]);
  expect(plain(words)).toBe("a b c d **d** e f");
});

test("an unfinished mark is text", () => {
  for (const text of ["a * b", "**a", "`a", "[a](", "2 * 3 * 4"]) expect(plain(parseInline(text))).toBe(text);
});

test("headings are linked by the names that GitHub gives them", () => {
  expect(slug("N2. Cards and places")).toBe("n2-cards-and-places");
  expect(slug("N6. Categories (手役)")).toBe("n6-categories-手役");
});
