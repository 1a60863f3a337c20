import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import { historyOf } from "~/charts/history";
import {
  EntrySchema,
  EntryState,
  MatchCounting,
  RatingPointSchema,
  StandingSchema,
  TournamentMatchSchema,
  TournamentSchema,
} from "~/gen/fudaba/v1/arena_pb";
import { unknownChoice, withQuery } from "~/parts/ladder/choose";
import { counted, headToHead, winShare } from "~/parts/ladder/head_to_head";
import { changesAtLeast } from "~/parts/ladder/live";
import { nameOf } from "~/parts/ladder/names";
import { findRows, historyStep, isPast, ladderRows, ratingRange } from "~/parts/ladder/rows";

const robot = create(StandingSchema, {
  bot: "robot@2",
  version: "2",
  rating: 1600,
  low: 1550,
  high: 1650,
  rank: 1,
  matches: 8,
});
const earlier = create(StandingSchema, {
  bot: "robot@1",
  version: "1",
  rating: 1500,
  low: 1400,
  high: 1600,
  matches: 4,
});
const fresh = create(StandingSchema, { bot: "new@1", version: "1", rating: 1500, provisional: true });
const tournament = create(TournamentSchema, {
  definition: { entrants: [{ bot: "robot@2", author: "bob" }, { bot: "new@1" }] },
});
const entries = [
  create(EntrySchema, { bot: "robot", version: "2", state: EntryState.PAUSED }),
  create(EntrySchema, { bot: "new", version: "1", state: EntryState.PLAYING }),
];

test("rows put standings, entries and authors together", () => {
  const rows = ladderRows({ standings: [robot, earlier, fresh], tournament, entries });
  expect(rows.map((row) => [row.bot, row.author, row.marks])).toEqual([
    ["robot", "bob", ["paused"]],
    ["robot", "", ["replaced", "paused"]],
    ["new", "", ["provisional"]],
  ]);
  expect(rows.map(isPast)).toEqual([false, true, false]);
  expect(findRows(rows, " BOB ").map((row) => row.key)).toEqual(["robot@2"]);
});

test("who has not played all games is said to have no overall rating, and in a game to be apart", () => {
  const alone = create(StandingSchema, { bot: "solo@1", version: "1", rating: 1500, matches: 9, component: 1 });
  expect(ladderRows({ standings: [alone], overall: true, tournament })[0]?.marks).toEqual(["partial"]);
  expect(ladderRows({ standings: [alone], tournament })[0]?.marks).toEqual(["apart"]);
});

test("a version whose play changes with time is marked", () => {
  const learner = create(StandingSchema, { ...robot, changesWithTime: true });
  expect(ladderRows({ standings: [learner], tournament })[0]?.marks).toEqual(["changes"]);
});

test("a trend is the way from the oldest to the newest point; who was not rated then has none", () => {
  const history = [
    create(RatingPointSchema, { blocks: 4, ratings: [{ bot: "robot@2", rating: 1580 }] }),
    create(RatingPointSchema, {
      blocks: 8,
      ratings: [
        { bot: "robot@2", rating: 1600 },
        { bot: "new@1", rating: 1500 },
      ],
    }),
  ];
  const trends = ladderRows({ standings: [robot, fresh], tournament, history }).map((row) => row.trend);
  expect(trends).toEqual([20, undefined]);
  expect(ladderRows({ standings: [robot], tournament, history: history.slice(0, 1) })[0]?.trend).toBeUndefined();
});

test("a history has a gap where a bot had no rating", () => {
  const points = [
    create(RatingPointSchema, { point: 4, blocks: 3 }),
    create(RatingPointSchema, { point: 8, blocks: 6, ratings: [{ bot: "a@1", rating: 1510, low: 1500, high: 1520 }] }),
  ];
  expect(historyOf(points, ["a@1"])).toEqual({
    blocks: [4, 8],
    lines: [{ bot: "a@1", rating: [null, 1510], low: [null, 1500], high: [null, 1520] }],
  });
});

test("a point that an earlier release did not number stands at its number of blocks", () => {
  expect(historyOf([create(RatingPointSchema, { blocks: 4 })], []).blocks).toEqual([4]);
});

test("the steps of a history are powers of two, and give no more points than asked for", () => {
  expect(historyStep(0, 8)).toBe(1);
  expect(historyStep(8, 8)).toBe(1);
  expect(historyStep(9, 8)).toBe(2);
  expect(historyStep(100_000, 32)).toBe(4096);
});

test("the scale holds every interval", () => {
  const { low, high } = ratingRange([robot, earlier, fresh]);
  expect(low).toBeLessThan(1400);
  expect(high).toBeGreaterThan(1650);
  expect(ratingRange([])).toEqual({ low: 1400, high: 1600 });
});

test("head to head counts what counts, each two of a match by their scores", () => {
  const match = (scores: number[], counting = MatchCounting.COUNTED) =>
    create(TournamentMatchSchema, { game: "mokkaik", bots: ["a", "b", "c"], scores, counting });
  const matches = [match([3, 1, 1]), match([0, 2, 1]), match([9, 0, 0], MatchCounting.VOID), match([])];
  const table = headToHead(counted(matches, "mokkaik"));
  expect(table.get("a")?.get("b")).toEqual({ wins: 1, draws: 0, losses: 1 });
  expect(table.get("b")?.get("c")).toEqual({ wins: 1, draws: 1, losses: 0 });
  expect(table.get("b")?.get("a")).toEqual({ wins: 1, draws: 0, losses: 1 });
  expect(counted(matches, "naga")).toEqual([]);
  expect(winShare({ wins: 1, draws: 1, losses: 2 })).toBe(0.375);
  expect(winShare({ wins: 0, draws: 0, losses: 0 })).toBeUndefined();
});

test("a follower begins behind the blocks that are over", () => {
  const played = create(TournamentSchema, { progress: { blocksCounted: 7, blocksVoid: 2 } });
  expect(changesAtLeast({ tournament: played })).toBe(9n);
});

test("a season's bot is named without its version", () => {
  expect(nameOf("robot@2")).toBe("robot");
  expect(nameOf("robot")).toBe("robot");
});

test("one word of an address is replaced, the others stay", () => {
  expect(withQuery("/ladders/open?show=history", "game", "naga")).toBe("/ladders/open?show=history&game=naga");
  expect(withQuery("/ladders/open?game=naga", "game", "")).toBe("/ladders/open");
});

test("a word of the address that is none of its choices is told", () => {
  const choices = { game: ["overall", "naga"], show: ["standings"] };
  expect(unknownChoice({ game: "naga", other: "x" }, choices)).toBeUndefined();
  expect(unknownChoice({ game: "nagga" }, choices)).toBe("game=nagga");
});

test("a disqualified version is marked as that and nothing else", () => {
  const cheat = create(StandingSchema, {
    ...robot,
    provisional: true,
    disqualifyTime: timestampFromDate(new Date(1000)),
  });
  expect(ladderRows({ standings: [cheat], tournament })[0]?.marks).toEqual(["disqualified"]);
});
