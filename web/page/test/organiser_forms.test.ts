/** What organisers type into forms names what it says, or nothing; and what the command line does alike. */
import { create, fromBinary } from "@bufbuild/protobuf";
import { timestampFromDate, timestampFromMs } from "@bufbuild/protobuf/wkt";
import { beforeAll, describe, expect, it } from "vitest";
import { IdleCause, IdleReasonSchema } from "~/gen/fudaba/v1/arena_pb";
import { loadLanguage, loadTexts } from "~/i18n";
import { idleInWords } from "~/parts/ladder/idle";
import { annulCommand, chosenBlocks } from "~/parts/organiser/chosen_blocks";
import { commandLine } from "~/parts/organiser/command_line";
import { moment, momentText } from "~/parts/organiser/moments";
import { zonedTime } from "~/parts/organiser/zoned_time";
import { timeInZones } from "~/parts/ladder/time_in_zones";
import { wholeNumber } from "~/parts/organiser/whole_numbers";

const NOTHING = { tournament: "open.1", blocks: "", bot: "", pair: "", game: "", worker: "", since: "", until: "" };

beforeAll(async () => {
  await loadLanguage("en");
  await loadTexts("organiser", "ladder");
});

describe("the blocks of a form", () => {
  it("are none while no field names any", () => {
    expect(chosenBlocks(NOTHING)).toBeUndefined();
    expect(chosenBlocks({ ...NOTHING, bot: "  ", worker: " " })).toBeUndefined();
  });

  it("are none while a field is not understood, whatever the others name", () => {
    const named = { ...NOTHING, bot: "robot@2", worker: "far" };
    for (const wrong of [{ since: "yesterday" }, { until: "2026-02-30" }, { blocks: "4–6" }]) {
      expect(chosenBlocks({ ...named, ...wrong })).not.toHaveProperty("request");
      expect(chosenBlocks({ ...named, ...wrong })).toHaveProperty("wrong");
    }
  });

  it("are those of two bots that met only together with numbers", () => {
    expect(chosenBlocks({ ...NOTHING, pair: "android" })).toHaveProperty("wrong");
    expect(chosenBlocks({ ...NOTHING, bot: "robot", pair: "android", worker: "far" })).toHaveProperty("wrong");
    const met = chosenBlocks({ ...NOTHING, bot: "robot", pair: "android", blocks: "4-6" });
    expect(met).toMatchObject({ request: { bot: "", pair: ["robot", "android"], blocks: [4n, 5n, 6n] } });
    const inGame = chosenBlocks({ ...NOTHING, bot: "robot", pair: "android", game: " naga " });
    expect(inGame).toMatchObject({
      request: { pair: ["robot", "android"], game: "naga" },
      options: ["--pair", "robot", "android", "--game", "naga"],
    });
  });

  it("are asked for as the command line does", () => {
    const chosen = chosenBlocks({ ...NOTHING, worker: "far", since: "2026-05-01", until: "2026-05-01T12:30+02:00" });
    if (chosen === undefined || !("request" in chosen)) throw new Error("the form names blocks");
    expect(chosen.request.since).toEqual(timestampFromDate(new Date("2026-05-01T00:00:00Z")));
    expect(commandLine(annulCommand(chosen, "it's late"))).toBe(
      "fudaba arena annul --tournament open.1 --worker far --since 2026-05-01T00:00:00Z --until 2026-05-01T10:30:00Z " +
        String.raw`--reason 'it'\''s late'`,
    );
  });
});

describe("a deadline", () => {
  it("is a time in its zone, which the arena and the command are given", () => {
    const date = new Date("2026-12-01T17:00:00Z");
    const text = "2026-12-01 18:00 Europe/Berlin";
    expect(zonedTime(` ${text} `)).toEqual({ date, zone: "Europe/Berlin", text });
    expect(zonedTime("2026-12-01 18:00+01:00")).toEqual({ date, zone: "", text: "2026-12-01T17:00:00Z" });
    expect(zonedTime("")).toEqual({ date: undefined, zone: "", text: "" });
    const second = "2026-10-25 02:30+01:00 Europe/Berlin";
    expect(zonedTime(second)).toEqual({ date: new Date("2026-10-25T01:30:00Z"), zone: "Europe/Berlin", text: second });
  });

  it.each([
    ["2026-03-29 02:30 Europe/Berlin", "write 2026-03-29 01:59 Europe/Berlin or 2026-03-29 03:00 Europe/Berlin"],
    [
      "2026-10-25 02:30 Europe/Berlin",
      "write 2026-10-25 02:30+02:00 Europe/Berlin for the first time, or 2026-10-25 02:30+01:00",
    ],
    ["2026-12-01 18:00+02:00 Europe/Berlin", "write 2026-12-01 17:00 Europe/Berlin"],
    ["2026-12-01 18:00 Europe/Bonn", "There is no time zone Europe/Bonn"],
    ["2026-02-30 18:00 Europe/Berlin", "is no time"],
    ["tomorrow", "is no time"],
  ])("is refused where it is no single time: %s", (text, why) => {
    expect(zonedTime(text)).toHaveProperty("wrong", expect.stringContaining(why));
  });

  it("is shown in its own zone beside the reader's only where the clocks differ", () => {
    const at = new Date("2026-12-01T17:00:00Z");
    const reader = new Intl.DateTimeFormat().resolvedOptions().timeZone;
    expect(timeInZones(at, reader)).toBe(timeInZones(at));
    expect(timeInZones(at, "Pacific/Kiritimati")).toContain("(Dec 2, 2026, 7:00 AM, Pacific/Kiritimati)");
    expect(timeInZones(at, "Nowhere/Town")).toBe(timeInZones(at));
  });
});

describe("a moment", () => {
  it("is in UTC without a zone", () => {
    expect(moment(" 2026-05-01 12:30 ")).toEqual({ date: new Date("2026-05-01T12:30:00Z") });
    expect(momentText(new Date("2026-05-01T12:30:00Z"))).toBe("2026-05-01T12:30:00Z");
  });

  it("is nothing only where nothing stands", () => {
    expect(moment("  ")).toEqual({ date: undefined });
    for (const text of ["2026-5-1", "2026-02-30", "2026-05-01T25:00", "2026-05-01T12:30+99:00", "12:30", "tomorrow"])
      expect(moment(text)).toEqual({ wrong: text });
  });
});

describe("a limit", () => {
  it("is a whole number within its bounds, or wrong", () => {
    expect(wholeNumber("", 1, 10)).toEqual({ number: undefined });
    expect(wholeNumber(" 10 ", 1, 10)).toEqual({ number: 10 });
    for (const text of ["0", "11", "-1", "1.5", "1e1", "ten", "1000000000000"])
      expect(wholeNumber(text, 1, 10)).toEqual({ wrong: text });
  });
});

describe("why nothing is played", () => {
  const causes = Object.values(IdleCause).filter(
    (cause) => typeof cause === "number" && cause !== IdleCause.UNSPECIFIED,
  );

  it.each(["en", "ja"] as const)("is said for each cause in %s, with what it mentions", async (language) => {
    await loadLanguage(language);
    const sentences = causes.map((cause) =>
      idleInWords({
        idleReason: create(IdleReasonSchema, {
          cause,
          beginTime: timestampFromMs(0),
          endTime: timestampFromMs(0),
          game: "naga",
          bot: "robot@2",
          botsNeeded: 2,
          withdrawn: ["away@1"],
        }),
        idleBecause: "THE ARENA'S ENGLISH",
      }),
    );
    expect(new Set(sentences).size).toBe(causes.length);
    for (const sentence of sentences) expect(sentence).not.toMatch(/ARENA'S ENGLISH|ladder\.|[{}]/);
    expect(sentences.filter((sentence) => sentence.includes("away@1"))).toHaveLength(1);
    await loadLanguage("en");
  });

  it("is what the arena says where this page does not know the cause", () => {
    const idleBecause = "a cause of a later release";
    expect(idleInWords({ idleReason: undefined, idleBecause })).toContain(idleBecause);
    const unknown = fromBinary(IdleReasonSchema, new Uint8Array([8, 99]));
    expect(idleInWords({ idleReason: unknown, idleBecause })).toContain(idleBecause);
  });
});
