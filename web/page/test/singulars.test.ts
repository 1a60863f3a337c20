/** English texts agree with their numbers: with 1 in every place, none says "1 matches". */
import { beforeAll, expect, it } from "vitest";
import { chooseLanguage, loadTexts, t, type MessageKey } from "~/i18n";

const catalogue = import.meta.glob<Record<string, string>>("../src/i18n/en/**/*.ts", { import: "texts", eager: true });
const FILES = Object.keys(catalogue).flatMap((path) => /\/en\/((?:boards\/)?(?!index)\w+)\.ts$/.exec(path)?.[1] ?? []);
const OF_INDEX = ["common", "shell", "site", "boards/french", "boards/kamikisen"];

/** Places that never hold a number. */
const NAMES = "bot game gaining giving name owner account card place provider source side".split(" ");
/** Words behind a number that are no plurals: verbs, and units with one form. */
const NO_PLURALS = "as counts does has holds is its less loss makes ms plays was".split(" ");
/** What is never said of a single piece. */
const NEVER_SINGLE = new Set<string>([
  "site.seats", // a game has two seats or more
  "site.seatsBetween",
  "bracket.points", // with two decimals: 1.00 points
]);

beforeAll(async () => {
  await loadTexts(...FILES.filter((file) => !OF_INDEX.includes(file)));
  await chooseLanguage("en");
});

function values(text: string): Record<string, string | number> {
  const places = [...text.matchAll(/\{(\w+)/g)].map(([, place]) => place ?? "");
  return Object.fromEntries(places.map((place) => [place, NAMES.includes(place) ? "Somebody" : 1]));
}

/** The plurals that stand behind a 1, an adjective between the two at most. */
function wrong(text: string): string[] {
  return [...text.matchAll(/(?<![\w#] |[\w.,])1 (?:(?!(?:and|in|is|of|on|or|to) )\w+ )?(\w+s)\b/g)]
    .filter(([, word]) => !NO_PLURALS.includes(word ?? ""))
    .map(([whole]) => whole);
}

it("says of one thing what is said of one", () => {
  const texts = Object.values(catalogue).flatMap((file) => Object.entries(file));
  const found = texts
    .filter(([key]) => !NEVER_SINGLE.has(key))
    .map(([key, text]) => [key, wrong(t(key as MessageKey, values(text)))] as const)
    .filter(([, plurals]) => plurals.length > 0);
  expect(Object.fromEntries(found)).toEqual({});
});

it("says of none and of several what is said of several", () => {
  expect(t("organiser.season", { season: 1, entries: 0 })).toBe("season 1, 0 entries play");
  expect(t("organiser.season", { season: 1, entries: 1 })).toBe("season 1, 1 entry plays");
  expect(t("organiser.season", { season: 1, entries: 1000 })).toBe("season 1, 1,000 entries play");
});
