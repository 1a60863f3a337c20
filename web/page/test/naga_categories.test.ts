/** The page names a hand of Naga as the rules do: `naga_hands.py` asked them. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { categoryOf } from "~/boards/naga/categories";

it("finds the category of hands of four and five, moons at their best", () => {
  const hands = JSON.parse(readFileSync(`${import.meta.dirname}/positions/naga_hands.json`, "utf8")) as number[][];
  expect(hands.length).toBeGreaterThan(200);
  for (const [category, ...cards] of hands) expect([cards, categoryOf(cards)]).toEqual([cards, category]);
});
