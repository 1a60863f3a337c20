/** A bot's page says what was credited to its versions for the network, and which of their blocks were void. */
import { create } from "@bufbuild/protobuf";
import { render } from "preact";
import { act } from "preact/test-utils";
import { expect, test } from "vitest";
import { NetworkCreditSchema, VoidCause, VoidCountSchema } from "~/gen/fudaba/v1/arena_pb";
import { LANGUAGES, loadLanguage, loadTexts } from "~/i18n";
import { NetworkCredits, Voids } from "~/parts/bot/behaviour";

const credit = create(NetworkCreditSchema, {
  bot: "robot@2",
  decisions: 1200n,
  medianUs: 42_000,
  lowUs: 40_000,
  highUs: 300_000,
});

test.each(LANGUAGES)("the median and the spread stand beside the version: %s", async (language) => {
  await loadLanguage(language);
  await loadTexts("ladder");
  const root = document.createElement("div");
  await act(() => {
    render(<NetworkCredits credits={[credit]} />, root);
  });
  const words = root.textContent;
  for (const part of ["robot@2", "42", "40", "300", "1,200"]) expect(words).toContain(part);
  await act(() => {
    render(<NetworkCredits credits={[]} />, root);
  });
  expect(root.textContent).toBe("");
});

test("void blocks are counted by cause over all versions, and are said to be no losses", async () => {
  await loadLanguage("en");
  await loadTexts("ladder");
  const root = document.createElement("div");
  const counts = [
    create(VoidCountSchema, { bot: "robot@1", cause: VoidCause.NO_SHOW, blocks: 2 }),
    create(VoidCountSchema, { bot: "robot@2", cause: VoidCause.NO_SHOW, blocks: 1 }),
    create(VoidCountSchema, { bot: "robot@2", cause: VoidCause.HOST, blocks: 1 }),
  ];
  await act(() => {
    render(<Voids counts={counts} />, root);
  });
  expect(root.textContent).toContain("3 (a bot did not connect) · 1 (a worker's host could not start a bot)");
  expect(root.textContent).toContain("They are no losses");
});
