import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { MatchRecordSchema } from "~/gen/fudaba/v1/record_pb";
import { habitsOf } from "~/parts/bot/habits";
import { nextWithEvents } from "~/parts/home/choose_match";

test("a bot's habits are those of its seats alone", () => {
  const spent = (ms: number) => ({ botUs: BigInt(ms * 1000) });
  const move = { case: "move" as const, value: {} };
  const record = create(MatchRecordSchema, {
    header: { players: [{ bot: "robot" }, { bot: "other" }] },
    log: [
      { seat: 0, what: { case: "ready", value: {} } },
      { seat: 0, what: move, spent: spent(100) },
      { seat: 1, what: move, spent: spent(9000) },
      { seat: 0, what: { case: "illegal", value: {} }, spent: spent(5) },
      { seat: 0, what: move, spent: spent(300) },
      { seat: 0, what: { case: "timeout", value: {} } },
      { seat: 0, what: { case: "referee", value: {} } },
    ],
  });
  expect(habitsOf("robot", [record])).toEqual({
    matches: 1,
    decisions: 2,
    meanSeconds: 0.2,
    longestSeconds: 0.3,
    timeouts: 1,
    illegal: 1,
  });
  expect(habitsOf("nobody", []).meanSeconds).toBeUndefined();
});

test("a board that moves goes from event to event, and knows its end", () => {
  const positions = [{ events: [] }, { events: [1] }, { events: [] }, { events: [1] }];
  expect(nextWithEvents(positions, 0)).toBe(1);
  expect(nextWithEvents(positions, 1)).toBe(3);
  expect(nextWithEvents(positions, 3)).toBe(-1);
});
