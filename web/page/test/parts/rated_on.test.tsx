/** A ladder's page says on which blocks of a season whose final is played its bots are rated. */
import { create } from "@bufbuild/protobuf";
import { render } from "preact";
import { beforeAll, expect, test } from "vitest";
import { RatedBlocks, StandingsSchema } from "~/gen/fudaba/v1/arena_pb";
import { loadLanguage, loadTexts } from "~/i18n";
import { RatedOn } from "~/parts/ladder/rated_on";

beforeAll(async () => {
  await loadLanguage("en");
  await loadTexts("ladder");
});

test("standings say on which blocks they are rated once a season's final is played, and nothing before", () => {
  const shown = (ratedOn: RatedBlocks) => {
    const root = document.createElement("div");
    render(<RatedOn standings={create(StandingsSchema, { ratedOn })} />, root);
    return root.textContent;
  };
  expect(shown(RatedBlocks.UNSPECIFIED)).toBe("");
  expect(shown(RatedBlocks.SEASON)).toContain("all blocks of the season");
  expect(shown(RatedBlocks.FINAL)).toContain("the final alone");
  expect(shown(RatedBlocks.MIXED)).toContain("In some games");
});
