import { expect, test } from "vitest";
import { pageOf, sortRows } from "~/parts/sorting";

test("rows are sorted by numbers and by names, either way", () => {
  expect(sortRows([3, 1, 2], (row) => row, false)).toEqual([1, 2, 3]);
  expect(sortRows([3, 1, 2], (row) => row, true)).toEqual([3, 2, 1]);
  expect(sortRows(["bot-10", "Bot-9", "alpha"], (row) => row, false)).toEqual(["alpha", "Bot-9", "bot-10"]);
});

test("what has no value stands last in either direction", () => {
  const rows = [{ rank: undefined }, { rank: 2 }, { rank: 1 }];
  expect(sortRows(rows, (row) => row.rank, false).map((row) => row.rank)).toEqual([1, 2, undefined]);
  expect(sortRows(rows, (row) => row.rank, true).map((row) => row.rank)).toEqual([2, 1, undefined]);
});

test("equal rows keep the order in which they came", () => {
  const rows = ["b", "a", "c"].map((name) => ({ name, share: 0.5 }));
  for (const descending of [false, true])
    expect(sortRows(rows, (row) => row.share, descending).map((row) => row.name)).toEqual(["b", "a", "c"]);
});

test("the rows that came are left as they are", () => {
  const rows = [2, 1];
  sortRows(rows, (row) => row, false);
  expect(rows).toEqual([2, 1]);
});

test("a page past the end is the last one", () => {
  const rows = Array.from({ length: 101 }, (_, at) => at);
  expect(pageOf(rows, 0, 50).rows).toHaveLength(50);
  expect(pageOf(rows, 2, 50)).toEqual({ rows: [100], page: 2 });
  expect(pageOf(rows, 9, 50)).toEqual({ rows: [100], page: 2 });
  expect(pageOf([], 3, 50)).toEqual({ rows: [], page: 0 });
});
