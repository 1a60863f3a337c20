import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { describe, expect, it } from "vitest";
import { BlockSchema, VoidCause } from "~/gen/fudaba/v1/arena_pb";
import { latestFaults } from "~/parts/organiser/now";

describe("what went wrong", () => {
  it("is told latest first, without what the organiser wished", () => {
    const block = (number: bigint, cause: VoidCause) =>
      create(BlockSchema, { number, voidCause: cause, voidTime: timestampFromMs(Number(number) * 1000) });
    const blocks = [
      block(3n, VoidCause.NO_SHOW),
      block(5n, VoidCause.ORGANISER),
      block(9n, VoidCause.WORKER_LOST),
      block(7n, VoidCause.AWAY),
    ];
    expect(latestFaults(blocks).map((one) => one.number)).toEqual([9n, 7n, 3n]);
  });
});
