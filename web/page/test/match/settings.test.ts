import { create } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { type Session, plays } from "~/api/session";
import { GameSchema } from "~/gen/fudaba/v1/catalog_pb";
import { CreateMatchRequestSchema, MatchState } from "~/gen/fudaba/v1/matches_pb";
import { filterOf, queryOf, unknownIn } from "~/parts/match/filter";
import { INVITED, firstSettings, newMatchId, opponentsFor, requestOf } from "~/parts/play/settings";

const game = create(GameSchema, {
  id: "nerts",
  minSeats: 2,
  maxSeats: 4,
  options: [
    { name: "target", defaultValue: { value: { case: "number", value: 100n } }, maximum: 1000n },
    { name: "pace", defaultValue: { value: { case: "choice", value: "ticks" } }, choices: ["ticks", "realtime"] },
    { name: "lights", defaultValue: { value: { case: "flag", value: false } } },
  ],
  houseBots: [{ name: "house-sensible" }, { name: "house-random" }],
});

describe("a match to play", () => {
  test("begins against the house bot that the reader came for, if the game has it", () => {
    expect(firstSettings(game, "house-random").opponents).toEqual(["house-random"]);
    expect(firstSettings(game, "house-nobody").opponents).toEqual(["house-sensible"]);
  });

  test("begins at the smallest table, against the best house bot, without options", () => {
    const request = create(CreateMatchRequestSchema, requestOf(firstSettings(game), game, "ann.1"));
    expect(request.matchId).toBe("ann.1");
    expect(request.seats.map((seat) => seat.to.case)).toEqual(["caller", "houseBot"]);
    expect(request.seats[1]?.to.value).toBe("house-sensible");
    expect(request.options).toEqual({});
    expect(request.clock?.moveMs).toBe(60_000);
  });

  test("has what was chosen: the seat, friends, and options of their types", () => {
    const chosen = {
      ...firstSettings(game),
      seats: 3,
      mine: 1,
      opponents: ["house-random", INVITED],
      options: { target: "0", pace: "realtime", lights: "true" },
      clock: "long" as const,
    };
    const request = create(CreateMatchRequestSchema, requestOf(chosen, game, "ann.2"));
    expect(request.seats.map((seat) => seat.to.case)).toEqual(["houseBot", "caller", "invitation"]);
    expect(request.options.target?.value).toEqual({ case: "number", value: 0n });
    expect(request.options.pace?.value).toEqual({ case: "choice", value: "realtime" });
    expect(request.options.lights?.value).toEqual({ case: "flag", value: true });
  });

  test("a larger table keeps the opponents who were chosen", () => {
    expect(opponentsFor(game, ["house-random"], 4)).toEqual(["house-random", "house-sensible", "house-sensible"]);
    expect(opponentsFor(create(GameSchema, { minSeats: 2 }), [], 2)).toEqual([INVITED]);
  });

  test("has an id of its own each time, which begins with the bot's name", () => {
    const ids = new Set(Array.from({ length: 20 }, () => newMatchId("ann")));
    expect(ids.size).toBe(20);
    for (const id of ids) expect(id).toMatch(/^ann\.[0-9a-f]{16}$/);
  });

  test("is for guests and bots, not for accounts", () => {
    const scopes: Session["scope"][] = ["organiser", "author", "bot", "guest"];
    const nobody = { account: "", bot: "", version: "", label: "", tokenId: "", expireTime: null };
    expect(scopes.filter((scope) => plays({ ...nobody, scope }))).toEqual(["bot", "guest"]);
  });
});

test("what is listed stands in the address, and comes back from it", () => {
  const filter = filterOf({ game: "naga", state: String(MatchState.PLAYING), bot: " ann ", label: "", page: "t" });
  expect(filter).toEqual({ game: "naga", state: MatchState.PLAYING, bot: "ann", label: "", tag: "", page: "t" });
  expect(filterOf(Object.fromEntries(new URLSearchParams(queryOf(filter))))).toEqual(filter);
});

test("what no filter can mean is told with its place, and not left out", () => {
  const filter = { game: "naga", state: String(MatchState.OPEN), bot: "ann", label: "", tag: "", page: "t" };
  expect(unknownIn({ ...filter, login: "refused" })).toBeUndefined();
  expect(unknownIn({ ...filter, state: "99" })).toBe("state=99");
  expect(unknownIn({ ...filter, bots: "ann" })).toBe("bots=ann");
});
