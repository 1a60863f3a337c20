/** Causes that the arena explains in English, in the language of the reader. */
import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import {
  ChallengeCause,
  ChallengeSchema,
  TournamentChangeSchema,
  WithdrawalCause,
  WithdrawalSchema,
} from "~/gen/fudaba/v1/arena_pb";
import { loadLanguage, loadTexts } from "~/i18n";
import { waitInWords } from "~/parts/bot/challenge_wait";
import { newsLine } from "~/parts/ladder/news";
import { withdrawalInWords } from "~/parts/ladder/withdrawal";

const MESSAGE = "the arena's English";
const WAITS = [ChallengeCause.BOT_ABSENT, ChallengeCause.NO_ROOM, ChallengeCause.MAINTENANCE, ChallengeCause.OBSTACLE];
const WITHDRAWALS = [WithdrawalCause.UNSPECIFIED, WithdrawalCause.NO_SHOW, WithdrawalCause.PROCESS_ENDED];

async function inBoth(words: () => string[]): Promise<[string[], string[]]> {
  const found: string[][] = [];
  for (const language of ["en", "ja"] as const) {
    await loadLanguage(language);
    await loadTexts("ladder");
    found.push(words());
  }
  return found as [string[], string[]];
}

describe("why a challenge waits", () => {
  const waits = (cause: ChallengeCause) =>
    waitInWords(create(ChallengeSchema, { cause, message: MESSAGE, waitsFor: ["ada@1", "bob@2"] }));

  it("is said in the reader's language for every cause of waiting", async () => {
    const [english, japanese] = await inBoth(() => WAITS.map(waits));
    expect(new Set([...english, ...japanese, MESSAGE]).size).toBe(2 * WAITS.length + 1);
    for (const line of [english[0], japanese[0]]) expect(line).toContain("ada@1, bob@2");
  });

  it("is said in the arena's English for a cause that the page has no words for", async () => {
    await loadLanguage("en");
    expect(waits(ChallengeCause.CANCELLED)).toBe(MESSAGE);
  });
});

describe("why a bot is withdrawn", () => {
  it("is said in the reader's language for every cause", async () => {
    const [english, japanese] = await inBoth(() =>
      WITHDRAWALS.map((cause) => withdrawalInWords(create(WithdrawalSchema, { bot: "ada@1", cause }))),
    );
    expect(new Set([...english, ...japanese]).size).toBe(2 * WITHDRAWALS.length);
    for (const line of [...english, ...japanese]) expect(line).toContain("ada@1");
  });

  it("stands in the news of a ladder", async () => {
    await loadLanguage("en");
    await loadTexts("ladder");
    const value = create(WithdrawalSchema, { bot: "ada@1", cause: WithdrawalCause.NO_SHOW });
    const change = create(TournamentChangeSchema, { change: { case: "withdrawal", value } });
    expect(newsLine(change)).toContain("did not connect");
  });
});
