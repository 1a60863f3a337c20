import { describe, expect, it } from "vitest";
import { blockNumbers } from "~/parts/organiser/block_numbers";

describe("numbers of blocks", () => {
  it.each([
    ["4-6", [4n, 5n, 6n]],
    ["4 - 6, 9", [4n, 5n, 6n, 9n]],
    ["9 4,4", [4n, 9n]],
    ["", []],
    [" , ", []],
  ])("are read from %j", (text, numbers) => {
    expect(blockNumbers(text)).toEqual({ numbers });
  });

  it.each([
    ["1, 4-6x", "4-6x", 4],
    ["4–6", "4–6", 1],
    ["6-4", "6-4", 1],
    ["3 -", "3 -", 1],
    ["1 two", "two", 3],
    ["-3", "-3", 1],
    ["1.5", "1.5", 1],
  ])("are refused in %j, with the place", (text, wrong, at) => {
    expect(blockNumbers(text)).toEqual({ wrong, at, tooMany: false });
  });

  it("are at most a thousand", () => {
    expect(blockNumbers("0-999")).toMatchObject({ numbers: { length: 1000 } });
    expect(blockNumbers("0-1000")).toEqual({ wrong: "0-1000", at: 1, tooMany: true });
    expect(blockNumbers("0-999, 1000")).toEqual({ wrong: "1000", at: 8, tooMany: true });
  });
});
