/** A ladder's file, written from what a form asks; `fudaba ladder create` takes it as well as the page. */
import type { Game } from "~/gen/fudaba/v1/catalog_pb";
import { OVERALL } from "~/parts/games";

export interface LadderChoices {
  readonly name: string;
  /** The game's id; `OVERALL` for all games. */
  readonly game: string;
  readonly enter: "anyone" | "organiser";
  /** Whether nobody but the organiser learns who plays a block before it is over. */
  readonly namesHidden: boolean;
  /** What the ladder is for, in lines. */
  readonly description: string;
  /** Whether the arena starts bots of its own. */
  readonly bots: boolean;
}

/** What the arena can start itself, the best first, without much of a machine's time. */
const BUILT_IN = ["sensible", "random", "first"] as const;

function gamesOf({ game }: LadderChoices, listed: readonly Game[]): readonly Game[] {
  return game === OVERALL ? listed : listed.filter(({ id }) => id === game);
}

/** The names of the arena's own bots, each with what it is: so many that the largest of the fewest seats is taken. */
export function botsOf(chosen: LadderChoices, listed: readonly Game[]): readonly (readonly [string, string])[] {
  if (!chosen.bots) return [];
  const seats = Math.max(2, ...gamesOf(chosen, listed).map(({ minSeats }) => minSeats));
  return Array.from({ length: seats }, (_, place) => {
    const builtin = BUILT_IN[place % BUILT_IN.length] ?? "sensible";
    const round = Math.floor(place / BUILT_IN.length);
    return [round === 0 ? builtin : `${builtin}-${round + 1}`, builtin];
  });
}

export function definitionOf(chosen: LadderChoices, listed: readonly Game[]): string {
  const games =
    chosen.game === OVERALL ? gamesOf(chosen, listed).map(({ id }) => `[[games]]\ngame = ${quoted(id)}\n`) : [];
  const head = [`name = ${quoted(chosen.name)}`];
  if (chosen.game !== OVERALL) head.push(`game = ${quoted(chosen.game)}`);
  if (chosen.description.trim() !== "") head.push(`description = ${quoted(chosen.description.trim())}`);
  head.push(`enter = ${quoted(chosen.enter)}`, `names = ${quoted(chosen.namesHidden ? "hidden" : "shown")}`, "");
  const bots = botsOf(chosen, listed).map(
    ([name, builtin]) => `[[bots]]\nname = ${quoted(name)}\nbuiltin = ${quoted(builtin)}\n`,
  );
  return [head.join("\n"), ...games, ...bots].join("\n");
}

/** A text as TOML has it: what JSON writes is the same there. */
function quoted(text: string): string {
  return JSON.stringify(text);
}

/** What to paste into a shell: the file, and the command that makes the ladder of it. */
export function commandLines(name: string, definition: string): string {
  const file = `${/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name) ? name : "ladder"}.toml`;
  return `cat > ${file} <<'END'\n${definition}END\nfudaba ladder create ${file}`;
}
