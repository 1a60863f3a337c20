import { create } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { type MatchRecord, MatchRecordSchema } from "~/gen/fudaba/v1/record_pb";
import { recordFile, zstdFile } from "~/parts/match/record_file";
import { decisionsOf, positionOf, showMs, stopAt, stopsOf } from "~/parts/match/replay";
import { embedding } from "~/parts/match/share";

const record: MatchRecord = create(MatchRecordSchema, {
  header: { matchId: "m", game: "naga" },
  log: [
    { seat: 1, what: { case: "ready", value: {} } },
    { seat: 0, what: { case: "ready", value: {} } },
    { seat: 0, decisionId: "0.0", what: { case: "move", value: {} }, spent: { botUs: 1500n, networkUs: 500n } },
    { seat: 1, what: { case: "illegal", value: { reason: "ILLEGAL_MOVE" } } },
    { seat: 1, decisionId: "1.0", what: { case: "timeout", value: {} }, spent: { botUs: 9_000_000n, serverUs: 250n } },
    { seat: 1, what: { case: "forfeit", value: {} } },
  ],
});

describe("a record's log", () => {
  test("a replay begins when all are connected, and stops after each entry since", () => {
    expect(stopsOf(record.log)).toEqual([2, 3, 4, 5, 6]);
    expect(stopsOf([])).toEqual([0]);
  });

  test("a position between stops is seen at the stop before", () => {
    expect([0, 2, 3, 99].map((at) => stopAt(stopsOf(record.log), at))).toEqual([0, 0, 1, 4]);
  });

  test("decisions are told with their place and their time", () => {
    expect(decisionsOf(record)).toEqual([
      { at: 2, seat: 0, id: "0.0", timedOut: false, botMs: 1.5, freeMs: 0.5 },
      { at: 4, seat: 1, id: "1.0", timedOut: true, botMs: 9000, freeMs: 0.25 },
    ]);
  });

  test("an address names a position, or none", () => {
    expect(["3", "99", "0"].map((at) => positionOf(at, 7))).toEqual([3, 6, 0]);
    expect(["", "x", "-1", "1.5", undefined].map((at) => positionOf(at, 7))).toEqual(Array(5).fill(undefined));
  });

  test("twice the pace is half the time", () => {
    expect(showMs(2)).toBe(showMs(1) / 2);
  });
});

describe("files", () => {
  test.each([0, 1, 128 * 1024, 128 * 1024 + 1, 300_000])("%d bytes are whole in blocks of zstd", (length) => {
    const content = Uint8Array.from({ length }, (_, place) => place % 251);
    const file = zstdFile(content);
    const view = new DataView(file.buffer);
    expect(view.getUint32(0, true)).toBe(0xfd2fb528);
    expect(view.getBigUint64(5, true)).toBe(BigInt(length));
    const found: Uint8Array[] = [];
    let last = false;
    for (let place = 13; place < file.length;) {
      expect(last).toBe(false);
      const head = view.getUint8(place) | (view.getUint8(place + 1) << 8) | (view.getUint8(place + 2) << 16);
      last = (head & 1) === 1;
      expect((head >> 1) & 3).toBe(0);
      found.push(file.slice(place + 3, place + 3 + (head >> 3)));
      place += 3 + (head >> 3);
    }
    expect(last).toBe(true);
    expect(Buffer.concat(found).equals(content)).toBe(true);
  });

  test("a record's file has the record", () => {
    expect(recordFile(record).size).toBeGreaterThan(20);
  });

  test("the markup that embeds a match keeps its position", () => {
    expect(embedding("m", "https://example.org", "?at=3&seat=1")).toBe(
      '<iframe src="https://example.org/embed/m?at=3&amp;seat=1" width="800" height="600" title="Fudaba"></iframe>',
    );
  });
});
