import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { expect, it } from "vitest";
import { ActionSchema } from "~/gen/fudaba/v1/accounts_pb";
import { merged } from "~/parts/organiser/actions";

const log = (times: number[]) =>
  times.map((ms, place) => create(ActionSchema, { number: BigInt(place + 1), time: timestampFromMs(ms) })).reverse();

it("both logs are one, the newest first, and its pages leave nothing out", () => {
  const service = log([10, 20, 50, 60, 70]);
  const own = log([15, 30, 40]);
  const read = (before: bigint, actions: typeof own) =>
    actions.filter(({ number }) => before === 0n || number < before);
  const found: number[] = [];
  let place: { service: bigint; arena: bigint } | undefined = { service: 0n, arena: 0n };
  while (place !== undefined) {
    const at = place;
    const page = merged(read(at.service, service).slice(0, 3), read(at.arena, own).slice(0, 3), at, 3);
    found.push(...page.shown.map(({ time }) => (time?.nanos ?? 0) / 1e6));
    place = page.next;
  }
  expect(found).toEqual([70, 60, 50, 40, 30, 20, 15, 10]);
});
