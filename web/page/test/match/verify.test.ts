import { readFileSync } from "node:fs";
import { create, fromBinary } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { OptionValueSchema } from "~/gen/fudaba/v1/game_pb";
import { SeatUpdateSchema } from "~/gen/fudaba/v1/play_pb";
import { type MatchRecord, MatchRecordSchema } from "~/gen/fudaba/v1/record_pb";
import { type Check, checkCommitment, checkDeals } from "~/verify";
import { commitmentOf, hex, shuffled } from "~/verify/chance";
import { handsOf, nagaTable } from "~/verify/deals";

const ROOT = `${import.meta.dirname}/../../../..`;
const bytes = (text: string) => Uint8Array.from(Buffer.from(text, "hex"));
const packed = (text: string) => Uint8Array.from(Buffer.from(text, "base64"));

interface Vectors {
  shuffles: { seed: string; deal: number; shuffle: number; cards: number; order: number[] }[];
  naga_deal: { seed: string; places: string[]; child: string[]; dealer: string[] };
  match_commitment: { salt: string; seed: string; match_id: string; commitment: string };
}
const vectors = JSON.parse(readFileSync(`${ROOT}/docs/deal_vectors.json`, "utf8")) as Vectors;

const played = (
  JSON.parse(readFileSync(`${import.meta.dirname}/../positions/deals.json`, "utf8")) as {
    record: string;
    updates: string[];
  }[]
).map(({ record, updates }) => ({
  record: fromBinary(MatchRecordSchema, packed(record)),
  seatEvents: updates.map((update) => fromBinary(SeatUpdateSchema, packed(update)).events),
}));

async function all(record: MatchRecord, seatEvents: (typeof played)[number]["seatEvents"]): Promise<Check[]> {
  const checks = [await checkCommitment(record)];
  for (const events of seatEvents) {
    for await (const check of checkDeals(record, events)) checks.push(check);
  }
  return checks;
}

describe("the values of the contract's page", () => {
  test.each(vectors.shuffles)("shuffle $shuffle of deal $deal, $cards cards", async (vector) => {
    const order = await shuffled(vector.cards, bytes(vector.seed), vector.deal, vector.shuffle);
    expect(order).toEqual(vector.order);
  });

  test("the commitment of a match", async () => {
    const { salt, seed, match_id, commitment } = vectors.match_commitment;
    expect(hex(await commitmentOf(bytes(salt), bytes(seed), match_id))).toBe(commitment);
  });

  test("a deal of Naga", async () => {
    const { seed, places, child, dealer } = vectors.naga_deal;
    const dealt = { deal: 0, dealer: 1, shuffle: 0, playing: [0, 1] };
    const hands = await handsOf("naga", bytes(seed), 2, dealt, 5);
    const value = (code: string) =>
      code.startsWith("M") ? (code === "MI" ? 50 : 51) : "DLFWATE".indexOf(code.charAt(0)) * 7 + Number(code.charAt(1));
    const sorted = (codes: string[]) => codes.map(value).toSorted((left, right) => left - right);
    expect(hands).toEqual([sorted(child), sorted(dealer)]);
    const table = await nagaTable(bytes(seed), 0);
    expect(table.toSorted((left, right) => left - right)).toEqual(sorted(places));
  });
});

describe("matches of all games", () => {
  test("there are eleven", () => {
    expect(new Set(played.map(({ record }) => record.header?.game)).size).toBe(11);
  });

  test.each(played.map((match) => [match.record.header?.matchId ?? "", match] as const))(
    "%s holds",
    async (_, match) => {
      const checks = await all(match.record, match.seatEvents);
      const failed = checks.filter((check) => !check.holds);
      expect(failed).toEqual([]);
      expect(new Set(checks.map((check) => check.subject))).toContain("commitment");
      const hands = checks.filter((check) => check.subject === "hand");
      const tables = checks.filter((check) => check.subject === "table");
      // Every seat was told a hand, or the table is public.
      expect(hands.length >= match.seatEvents.length || tables.length > 0).toBe(true);
      expect(Math.max(...checks.map((check) => check.deal))).toBeGreaterThan(1);
    },
  );

  test.each(played.map((match) => [match.record.header?.matchId ?? "", match] as const))(
    "%s with another seed does not",
    async (_, { record, seatEvents }) => {
      const other = { ...record, seed: record.seed.map((byte, place) => (place === 0 ? byte ^ 1 : byte)) };
      const checks = await all(other, seatEvents);
      expect(checks.filter((check) => check.subject !== "dealer").every((check) => !check.holds)).toBe(true);
    },
  );

  test("another dealer than the options name is found", async () => {
    const match = played.find(({ record }) => record.header?.game === "naga");
    if (match?.record.header === undefined) throw new Error("naga is missing");
    const first_dealer = create(OptionValueSchema, { value: { case: "number", value: 0n } });
    const options = { ...match.record.header.options, first_dealer };
    const record = { ...match.record, header: { ...match.record.header, options } };
    const checks = await all(record, match.seatEvents);
    const dealers = checks.filter((check) => check.subject === "dealer");
    expect(dealers.map((check) => check.holds)).toEqual([false, false]);
  });
});
