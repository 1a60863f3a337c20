import { beforeAll, expect, it } from "vitest";
import { loadLanguage } from "~/i18n";
import { blockName } from "~/parts/block_name";
import { blockNumbers } from "~/parts/organiser/block_numbers";

beforeAll(() => loadLanguage("en"));

const block = (number: bigint, slot: bigint, attempt: number) => blockName({ number, slot, attempt });

it("a block that is played again has the number of the first attempt", () => {
  expect(block(144n, 144n, 0)).toBe("144");
  expect(block(4294967440n, 144n, 1)).toBe("144 (attempt 2)");
  expect(block(2n * 2n ** 32n + 7n, 7n, 2)).toBe("7 (attempt 3)");
});

it("a replacement in a schedule of a fixed length has its own number", () => {
  expect(block(12n, 2n, 1)).toBe("12");
});

it("a block is annulled by what the page calls it", () => {
  expect(blockNumbers("4-6, 144 (attempt 2) 9")).toEqual({ numbers: [4n, 5n, 6n, 9n, 4294967440n] });
  expect(blockNumbers("144（2回目）,3")).toEqual({ numbers: [3n, 4294967440n] });
  expect(blockNumbers("9 (attempt 0)")).toMatchObject({ wrong: "9 (attempt 0)", at: 1 });
  expect(blockNumbers("9, 144 (attempt")).toHaveProperty("wrong");
});
