import { create } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { MatchState, WatchMatchResponseSchema } from "~/gen/fudaba/v1/matches_pb";
import { type SeatUpdate, SeatUpdateSchema } from "~/gen/fudaba/v1/play_pb";
import { MatchEndSchema, MatchHeaderSchema } from "~/gen/fudaba/v1/record_pb";
import { clockText } from "~/parts/clock";
import { NOTHING_SEEN, seenAfter } from "~/parts/match/live";
import { NOTHING_TOLD, hasNews, stateAfter } from "~/parts/match/seat";

const events = (count: number) =>
  Array.from({ length: count }, () => ({ game: { case: "naga" as const, value: { kind: { case: undefined } } } }));
const update = (more: { [K in keyof SeatUpdate]?: SeatUpdate[K] | undefined } & { count?: number }) =>
  create(SeatUpdateSchema, { matchId: "m", seat: 1, events: events(more.count ?? 0), ...more } as SeatUpdate);
const decision = (id: string, timeMs = 1000) =>
  create(SeatUpdateSchema, { decision: { decisionId: id, required: true, timeMs } }).decision;
const first = stateAfter(NOTHING_TOLD, update({ count: 2, seen: 2, history: 7, decision: decision("1.0") }), 5000);

describe("a seat", () => {
  test("knows where to go on, and until when its decision is open", () => {
    expect([first.seat, first.seen, first.history, first.events.length, first.fresh]).toEqual([1, 2, 7, 2, 2]);
    expect(first.decision?.decisionId).toBe("1.0");
    expect(first.deadline).toBe(6000);
  });

  test("has the decision that a stream which begins anew tells of, and no earlier one", () => {
    const started = create(MatchHeaderSchema, { matchId: "m" });
    expect(stateAfter(first, update({ seen: 2, started }), 5500).decision).toBeUndefined();
    const next = stateAfter(first, update({ seen: 2, started, decision: decision("1.4") }), 5500);
    expect(next.decision?.decisionId).toBe("1.4");
  });

  test("has no decision any more once its answer is stored, time has run out, or the match is over", () => {
    for (const more of [{ accepted: ["1.0"] }, { timedOut: ["1.0"] }, { over: create(MatchEndSchema) }]) {
      const next = stateAfter(first, update({ seen: 3, count: 1, ...more }), 5500);
      expect(next.decision).toBeUndefined();
      expect(next.events).toHaveLength(3);
    }
    expect(stateAfter(first, update({ seen: 2, accepted: ["1.9"] }), 5500).decision?.decisionId).toBe("1.0");
    expect(stateAfter(first, update({ seen: 2, timedOut: ["1.0"] }), 5500).timedOut).toBe("1.0");
  });

  test("of a match that was put back knows only what still holds", () => {
    const back = stateAfter(first, update({ seen: 1, rewound: true, decision: decision("1.0", 400) }), 7000);
    expect(back.events).toHaveLength(1);
    expect(back.rewound).toBe(true);
    expect(back.deadline).toBe(7400);
    expect(stateAfter(back, update({ seen: 2, count: 1 }), 7100).rewound).toBe(false);
  });

  test("takes for a heartbeat what tells only where its stream stands", () => {
    expect(hasNews(update({ seen: 5 }))).toBe(false);
    expect(hasNews(update({ seen: 5, count: 1 }))).toBe(true);
    expect(hasNews(update({ seen: 5, accepted: ["1.0"] }))).toBe(true);
    expect(hasNews(update({ seen: 5, rewound: true }))).toBe(true);
  });

  test("told everything again, it has nothing twice", () => {
    const again = stateAfter(first, update({ count: 2, seen: 2, decision: decision("1.0") }), 9000);
    expect(again.events).toHaveLength(2);
  });
});

describe("a spectator", () => {
  const message = (count: number, seen: number) =>
    create(WatchMatchResponseSchema, { match: { state: MatchState.PLAYING }, events: events(count), seen });

  test("is not shown as new what was there before", () => {
    const begun = seenAfter(NOTHING_SEEN, message(5, 5));
    expect([begun.events.length, begun.fresh.length]).toEqual([5, 0]);
    const next = seenAfter(begun, message(2, 7));
    expect([next.events.length, next.fresh.length]).toEqual([7, 2]);
    expect(seenAfter(next, message(1, 4)).events).toHaveLength(4);
  });
});

test("a clock tells minutes and seconds, and tenths at the end", () => {
  expect([754_000, 10_000, 9_990, 350, -5].map(clockText)).toEqual(["12:34", "0:10", "9.9", "0.3", "0.0"]);
});
