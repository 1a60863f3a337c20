/** What the numbers of a ladder's table mean stands beside their heads. */
import { create } from "@bufbuild/protobuf";
import { render } from "preact";
import { act } from "preact/test-utils";
import { expect, test } from "vitest";
import { StandingSchema } from "~/gen/fudaba/v1/arena_pb";
import { LANGUAGES, loadLanguage, loadTexts, t } from "~/i18n";
import { ladderRows } from "~/parts/ladder/rows";
import { Standings } from "~/parts/ladder/standings";

test.each(LANGUAGES)("every head but the bot's has a note that explains it: %s", async (language) => {
  await loadLanguage(language);
  await loadTexts("ladder");
  const rows = ladderRows({
    standings: [create(StandingSchema, { rank: 1, bot: "robot@1", version: "1", rating: 1500, low: 1450, high: 1550 })],
    tournament: undefined,
  });
  const root = document.createElement("div");
  await act(() => {
    render(<Standings caption="open" rows={rows} withTrend={true} />, root);
  });
  const heads = [...root.querySelectorAll("thead th")];
  const unexplained = heads.filter((head) => (head.querySelector("[role=note]")?.textContent ?? "") === "");
  expect(heads).toHaveLength(8);
  expect(unexplained.map((head) => head.textContent)).toEqual([expect.stringContaining(t("ladder.bot"))]);
});
