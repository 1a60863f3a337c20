/** A bot's page says what was credited to its versions for the network. */
import { create } from "@bufbuild/protobuf";
import { render } from "preact";
import { act } from "preact/test-utils";
import { expect, test } from "vitest";
import { NetworkCreditSchema } from "~/gen/fudaba/v1/arena_pb";
import { LANGUAGES, loadLanguage, loadTexts } from "~/i18n";
import { NetworkCredits } from "~/parts/bot/behaviour";

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
    render(<NetworkCredits of={[credit]} />, root);
  });
  const words = root.textContent;
  for (const part of ["robot@2", "42", "40", "300", "1,200"]) expect(words).toContain(part);
  await act(() => {
    render(<NetworkCredits of={[]} />, root);
  });
  expect(root.textContent).toBe("");
});
