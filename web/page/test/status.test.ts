/** What the gateway says of an idle ladder is said in words. */
import { beforeAll, expect, it } from "vitest";
import { idleReasonOf } from "~/api/status";
import { loadLanguage, loadTexts } from "~/i18n";
import { idleInWords } from "~/parts/ladder/idle";

beforeAll(async () => {
  await loadLanguage("en");
  await loadTexts("ladder");
});

it.each([
  [{ cause: "IDLE_CAUSE_NOBODY_ENTERED" }, /nobody/i],
  [{ cause: "IDLE_CAUSE_NOT_BEGUN", beginTime: "2100-05-01T00:00:00Z" }, /2100/],
  [{ cause: "IDLE_CAUSE_FROM_A_LATER_RELEASE" }, /as the arena says/],
  [{ cause: 1_000_000 }, /as the arena says/],
  [{}, /as the arena says/],
])("says %o in words", (json, words) => {
  expect(idleInWords({ idleReason: idleReasonOf(json), idleBecause: "as the arena says" })).toMatch(words);
});
