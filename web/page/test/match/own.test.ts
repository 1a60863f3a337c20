import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { PlayerSchema } from "~/gen/fudaba/v1/record_pb";
import { tagsIn, versionsOf } from "~/parts/match/own";

test("tags are what stands between commas, each once", () => {
  expect(tagsIn(" lost, slow ,lost,, ")).toEqual(["lost", "slow"]);
  expect(tagsIn("")).toEqual([]);
});

test("one's own players are those of one's bots, each version once", () => {
  const player = (bot: string, version: string) => create(PlayerSchema, { bot, version });
  const players = [player("mine", "1"), player("other", "1"), player("mine", "1"), player("mine", "2")];
  expect(versionsOf(players, ["mine", "idle"])).toEqual([player("mine", "1"), player("mine", "2")]);
});
