/** What the numbers of a ladder's table mean stands beside their heads. */
import { type MessageInitShape, create } from "@bufbuild/protobuf";
import { render } from "preact";
import { act } from "preact/test-utils";
import { expect, test } from "vitest";
import { StandingSchema } from "~/gen/fudaba/v1/arena_pb";
import { LANGUAGES, loadLanguage, loadTexts, t } from "~/i18n";
import { ladderRows } from "~/parts/ladder/rows";
import { Standings } from "~/parts/ladder/standings";

async function shown(fields: MessageInitShape<typeof StandingSchema>): Promise<Element> {
  const standing = create(StandingSchema, {
    bot: "robot@1",
    version: "1",
    rating: 1500,
    low: 1450,
    high: 1550,
    ...fields,
  });
  const rows = ladderRows({ standings: [standing], tournament: undefined });
  const root = document.createElement("div");
  await act(() => {
    render(<Standings caption="open" rows={rows} withTrend={true} />, root);
  });
  return root;
}

test.each(LANGUAGES)("every head but the bot's has a note that explains it: %s", async (language) => {
  await loadLanguage(language);
  await loadTexts("ladder");
  const heads = [...(await shown({ rank: 1 })).querySelectorAll("thead th")];
  const unexplained = heads.filter((head) => (head.querySelector("[role=note]")?.textContent ?? "") === "");
  expect(heads).toHaveLength(8);
  expect(unexplained.map((head) => head.textContent)).toEqual([expect.stringContaining(t("ladder.bot"))]);
});

test("a ranked version says of how many of its bot's it is one", async () => {
  await loadLanguage("en");
  await loadTexts("ladder");
  expect((await shown({ rank: 1, enteredVersions: 3 })).textContent).toContain("one of 3 versions");
  expect((await shown({ rank: 1, enteredVersions: 1 })).textContent).not.toContain("one of");
  expect((await shown({ enteredVersions: 3, provisional: true })).textContent).not.toContain("one of");
});
