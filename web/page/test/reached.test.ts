/** The built page keeps of the contract what it reaches: types stay in their places, and lose what nobody reads. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { shortened } from "../lighter";
import { WRITTEN, fileOf, reached } from "../reached";

const PATH = "../src/gen/fudaba/v1/arena_pb.ts";
const source = readFileSync(new URL(PATH, import.meta.url), "utf8");
const base64 = WRITTEN.exec(source)?.[1] ?? "";
const found = (...sources: string[]) => reached([fileOf(base64)], sources);

describe("of the contract", () => {
  it("a method is reached by who calls it, with all that stands in its messages", () => {
    const { types, methods } = found("arena.getLadder({ ladder })");
    expect([...methods]).toEqual(["fudaba.v1.ArenaService.GetLadder"]);
    expect(types).toContain("fudaba.v1.LadderDefinition");
    expect(types).not.toContain("fudaba.v1.Challenge");
  });

  it("a type is reached by its name", () => {
    expect(found("create(ChallengeSchema)").types).toContain("fudaba.v1.ChallengeSide");
  });

  it("what is not reached keeps its place", () => {
    const whole = shortened(base64);
    const short = shortened(base64, found("arena.getLadder({ ladder })"));
    expect(short?.[2].map(([name]) => name)).toEqual(whole?.[2].map(([name]) => name));
    expect(short?.[3].map(([name]) => name)).toEqual(whole?.[3].map(([name]) => name));
    const message = (name: string) => short?.[2].find(([known]) => known === name);
    expect(message("Ladder")).toEqual(whole?.[2].find(([known]) => known === "Ladder"));
    expect(message("Challenge")).toEqual(["Challenge", []]);
    expect(short?.[4]).toEqual([["ArenaService", [expect.arrayContaining(["GetLadder"])]]]);
  });

  it("the names of an enum's values stay where they are written", () => {
    const state = (...sources: string[]) =>
      shortened(base64, found(...sources))?.[3].find(([name]) => name === "LadderState")?.[1];
    expect(state("arena.getLadder({})")).toEqual({ "": 0 });
    expect(state("toJsonString(LadderSchema, ladder)")).toHaveProperty("LADDER_STATE_PAUSED");
    expect(state("messageOf(LadderSchema, name)")).toHaveProperty("LADDER_STATE_PAUSED");
    expect(state("toJson(\n  LadderSchema,\n  ladder,\n)")).toHaveProperty("LADDER_STATE_PAUSED");
  });
});
