/** The queue's page says who has what of the room since when. */
import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { render } from "preact";
import { act } from "preact/test-utils";
import { beforeAll, expect, test } from "vitest";
import { EntryShareSchema } from "~/gen/fudaba/v1/arena_pb";
import { loadLanguage, loadTexts, time } from "~/i18n";
import { Shares } from "~/parts/ladder/shares";

beforeAll(async () => {
  await loadLanguage("en");
  await loadTexts("ladder");
});

test("who has used more than it was due is said to wait, and who has nothing in play has no time; look-alikes are marked", async () => {
  const since = new Date(2026, 4, 1, 12, 30);
  const shares = [
    create(EntryShareSchema, {
      entry: "hog",
      matches: 2,
      since: timestampFromDate(since),
      usedSeconds: 120,
      share: 0.25,
      dueShare: 0.2,
      owedSeconds: 20,
      waits: true,
    }),
    create(EntryShareSchema, { entry: "certain", usedSeconds: 5, share: 0.01 }),
  ];
  const root = document.createElement("div");
  await act(() => {
    render(<Shares shares={shares} looksLike={{ certain: "cerlain" }} />, root);
  });
  const rows = [...root.querySelectorAll("tbody tr")].map((row) => [...row.children].map((cell) => cell.textContent));
  expect(rows).toEqual([
    ["hog waits: it has used 20 s more than it was due", "2", time(since), "120", "25.0 %", "20.0 %"],
    ["certain looks like cerlain ", "0", "–", "5", "1.0 %", "–"],
  ]);
});
