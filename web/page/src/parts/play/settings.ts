/** What somebody chose for a match to play, and the request that makes it. */
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { Game, Option } from "~/gen/fudaba/v1/catalog_pb";
import type { OptionValue } from "~/gen/fudaba/v1/game_pb";
import type { CreateMatchRequestSchema, SeatSchema } from "~/gen/fudaba/v1/matches_pb";

/** An opponent who is invited by a link; every other one is a house bot or a bot that takes casual matches, by its name. */
export const INVITED = "";

export interface Settings {
  readonly game: string;
  /** How many seats. */
  readonly seats: number;
  /** Where the player sits. */
  readonly mine: number;
  /** Who sits in the other seats, in their order. */
  readonly opponents: readonly string[];
  /** By the option's name, as the form has it: a number, `true` or `false`, or a choice. */
  readonly options: Readonly<Record<string, string>>;
  readonly clock: ClockName;
}

export type ClockName = "calm" | "brisk" | "long";

/** People need more time than programs; a day's game has an hour for each move. */
export const CLOCKS: Readonly<
  Record<ClockName, { moveMs: number; bankMs: number; maxTimeouts: number; maxIllegal: number }>
> = {
  calm: { moveMs: 60_000, bankMs: 600_000, maxTimeouts: 3, maxIllegal: 0 },
  brisk: { moveMs: 15_000, bankMs: 120_000, maxTimeouts: 3, maxIllegal: 0 },
  long: { moveMs: 3_600_000, bankMs: 3_600_000, maxTimeouts: 3, maxIllegal: 0 },
};

/** What is chosen for a game before anybody has chosen anything: its smallest table, against its best house bot. */
export function firstSettings(game: Game, opponent = ""): Settings {
  const wanted = game.houseBots.filter(({ name }) => name === opponent).map(({ name }) => name);
  return {
    game: game.id,
    seats: game.minSeats,
    mine: 0,
    opponents: opponentsFor(game, wanted, game.minSeats),
    options: Object.fromEntries(game.options.map((option) => [option.name, written(option.defaultValue)])),
    clock: "calm",
  };
}

/** The opponents for a table of so many seats; those that are chosen stay. */
export function opponentsFor(game: Game, chosen: readonly string[], seats: number): string[] {
  const usual = game.houseBots[0]?.name ?? INVITED;
  return Array.from({ length: seats - 1 }, (_, place) => chosen[place] ?? usual);
}

/** A value as the form has it. */
export function written(value: OptionValue | undefined): string {
  return String(value?.value.value ?? "");
}

/** A value of the option's type from what the form has; undefined where it is the default. */
export function optionValue(
  option: Option,
  text: string,
): MessageInitShape<typeof import("~/gen/fudaba/v1/game_pb").OptionValueSchema> | undefined {
  if (text === written(option.defaultValue)) return undefined;
  switch (option.defaultValue?.value.case) {
    case "number":
      return { value: { case: "number", value: BigInt(Math.trunc(Number(text) || 0)) } };
    case "flag":
      return { value: { case: "flag", value: text === "true" } };
    case "choice":
      return { value: { case: "choice", value: text } };
    case undefined:
      return undefined;
  }
}

/** The request, under an id of the caller's own, so that it can be repeated when its answer is lost. */
export function requestOf(
  settings: Settings,
  game: Game,
  matchId: string,
): MessageInitShape<typeof CreateMatchRequestSchema> {
  const options = Object.fromEntries(
    game.options.flatMap((option) => {
      const value = optionValue(option, settings.options[option.name] ?? written(option.defaultValue));
      return value === undefined ? [] : [[option.name, value]];
    }),
  );
  const others: MessageInitShape<typeof SeatSchema>[] = settings.opponents
    .slice(0, settings.seats - 1)
    .map((name) => ({ to: seatOf(name, game) }));
  const seats = others.toSpliced(settings.mine, 0, { to: { case: "caller", value: {} } });
  return { matchId, game: settings.game, options, seats, clock: CLOCKS[settings.clock], joinMs: 86_400_000 };
}

function seatOf(opponent: string, game: Game): MessageInitShape<typeof SeatSchema>["to"] & object {
  if (opponent === INVITED) return { case: "invitation", value: {} };
  if (game.houseBots.some(({ name }) => name === opponent)) return { case: "houseBot", value: opponent };
  return { case: "bot", value: { bot: opponent } };
}

/** An id for a match that this bot creates: its name, a dot, and letters by chance. */
export function newMatchId(bot: string): string {
  const letters = crypto.getRandomValues(new Uint8Array(8));
  return `${bot}.${Array.from(letters, (letter) => letter.toString(16).padStart(2, "0")).join("")}`;
}
