/** Who sits where: the reader's own seat is "You" where its name was made up, and sentences about it say so. */
import { create } from "@bufbuild/protobuf";
import { beforeAll, describe, expect, it } from "vitest";
import { EventSchema } from "~/gen/fudaba/v1/game_pb";
import { MatchHeaderSchema } from "~/gen/fudaba/v1/record_pb";
import { loadLanguage, loadTexts, t } from "~/i18n";
import { dealEnding } from "~/parts/match/last_deal";
import { seatLabels } from "~/parts/match/seats";

const catalogue = import.meta.glob<Record<string, string>>("../../src/i18n/en/**/*.ts", {
  import: "texts",
  eager: true,
});

beforeAll(async () => {
  await loadLanguage("en");
  await loadTexts("boards/naga", "boards/tashot", "boards/numbers_crush");
});

describe("the seats of a match", () => {
  const header = create(MatchHeaderSchema, {
    players: [{ bot: "guest-calm-heron-6037d81a" }, { bot: "house-sensible" }],
  });

  it("names a guest only to others", () => {
    expect(seatLabels(header, 0).map(({ name }) => name)).toEqual(["You", "house-sensible"]);
    expect(seatLabels(header).map(({ name }) => name)).toEqual(["guest-calm-heron", "house-sensible"]);
  });

  it("keeps a name that was chosen", () => {
    expect(seatLabels(header, 1).map(({ name }) => name)).toEqual(["guest-calm-heron", "house-sensible (you)"]);
  });

  it("names the reader in Japanese", async () => {
    await loadLanguage("ja");
    expect(seatLabels(header, 0)[0]?.name).toBe("あなた");
    await loadLanguage("en");
  });
});

describe("a sentence", () => {
  it.each([
    ["Ann", "Ann leads 2 to 1 in table cards; five win the deal."],
    ["You", "You lead 2 to 1 in table cards; five win the deal."],
  ])("about %s has its verb", (name, said) => {
    expect(t("naga.leads", { name, most: 2, least: 1 })).toBe(said);
  });

  it("begins with You, and has you within it", () => {
    expect(t("naga.match", { name: "You", score: "+1" })).toBe("In the match you are ahead with +1.");
    expect(t("tashot.calls", { name: "Ann", source: "You", meld: "run", cards: "3" })).toBe(
      "Ann calls your card for a run: 3.",
    );
    expect(t("tashot.window", { name: "You" })).toBe("Your discard may be taken.");
    expect(t("crush.gave", { name: "Ann", to: "You" })).toBe("Ann gives you a card.");
  });

  it("has both forms of each verb that follows a name", () => {
    const texts = Object.values(catalogue).flatMap((part) => Object.values(part));
    expect(texts.filter((text) => /\{(name|side)\} (still )?(is|has|does|\w+[^su]s)\b/.test(text))).toEqual([]);
  });
});

describe("how the last deal ended", () => {
  const event = (kind: object) => create(EventSchema, { game: { case: "tashot", value: { kind } } } as object);
  const [drew, won, ended] = [
    event({ case: "turnBegan", value: { seat: 0 } }),
    event({ case: "won", value: { seat: 0 } }),
    event({ case: "dealEnded", value: { winner: 0 } }),
  ];

  it("is told from the moment on when it has, by what won it and what it counted", () => {
    expect(dealEnding([drew, won])).toEqual([]);
    expect(dealEnding([drew, won, ended])).toEqual([won, ended]);
    expect(dealEnding([drew, won, ended, drew, ended, drew])).toEqual([ended]);
  });
});
