/** A row of a ladder's table says what is unusual about it. */
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { render } from "preact";
import { beforeAll, expect, test } from "vitest";
import { loadLanguage, loadTexts } from "~/i18n";
import { Marks } from "~/parts/ladder/marks";

beforeAll(async () => {
  await loadLanguage("en");
  await loadTexts("ladder");
});

function shown(node: Parameters<typeof render>[0]): string {
  const place = document.createElement("div");
  render(node, place);
  return place.textContent;
}

test("a bot that plays no more has the date of its last block, and no other mark has", () => {
  const lastPlayed = timestampFromDate(new Date("2026-05-01T12:00:00Z"));
  expect(shown(<Marks marks={["idle"]} lastPlayed={lastPlayed} />)).toContain("not playing since May 1, 2026");
  expect(shown(<Marks marks={["idle"]} />)).not.toContain("since");
  expect(shown(<Marks marks={["paused"]} lastPlayed={lastPlayed} />)).not.toContain("2026");
});
