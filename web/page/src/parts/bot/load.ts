/** Where a bot or an author's bots take part, read from the arena's ladders and tournaments. */
import { allEntries, allLadders, allTournaments, arena } from "~/api/arena";
import type {
  Entrant,
  Entry,
  ForfeitCount,
  Ladder,
  NetworkCredit,
  Standing,
  Tournament,
  VoidCount,
} from "~/gen/fudaba/v1/arena_pb";
import { nameOf } from "~/parts/ladder/names";

/** A version of a bot in the standings of one game of a ladder's newest season, or of all its games together. */
export interface Placed {
  readonly game: string;
  readonly standing: Standing;
}

/** A ladder in which some bots take part, or did in its newest season. */
export interface InLadder {
  readonly ladder: Ladder;
  readonly entrants: readonly Entrant[];
  readonly entries: readonly Entry[];
  readonly placed: readonly Placed[];
  readonly forfeits: readonly ForfeitCount[];
  readonly networkCredits: readonly NetworkCredit[];
  readonly voids: readonly VoidCount[];
}

export interface Part {
  readonly ladders: readonly InLadder[];
  readonly tournaments: readonly { tournament: Tournament; entrants: readonly Entrant[] }[];
}

/** Everything in which a bot that is wanted takes part. */
export async function loadPart(wanted: (entrant: Entrant) => boolean, signal: AbortSignal): Promise<Part> {
  const [ladders, tournaments] = await Promise.all([allLadders(signal), allTournaments(signal)]);
  const entrantsOf = (tournament: Tournament | undefined) => tournament?.definition?.entrants.filter(wanted) ?? [];
  const inLadders = ladders
    .map((ladder) => ({ ladder, entrants: entrantsOf(ladder.tournament) }))
    .filter(({ entrants }) => entrants.length > 0);
  return {
    ladders: await Promise.all(inLadders.map(({ ladder, entrants }) => loadLadder(ladder, entrants, signal))),
    tournaments: tournaments
      .map((tournament) => ({ tournament, entrants: entrantsOf(tournament) }))
      .filter(({ entrants }) => entrants.length > 0),
  };
}

async function loadLadder(ladder: Ladder, entrants: readonly Entrant[], signal: AbortSignal): Promise<InLadder> {
  const [{ standings, forfeits, networkCredits, voids }, entries] = await Promise.all([
    arena.getStandings({ tournament: ladder.name }, { signal }),
    allEntries(ladder.name, signal),
  ]);
  const keys = new Set(entrants.map((entrant) => entrant.bot));
  const bots = new Set(entrants.map((entrant) => nameOf(entrant.bot)));
  return {
    ladder,
    entrants,
    entries: entries.filter((entry) => bots.has(entry.bot)),
    placed: standings.flatMap(({ game, rows }) =>
      rows.filter((row) => keys.has(row.bot)).map((standing) => ({ game, standing })),
    ),
    forfeits: forfeits.filter((forfeit) => keys.has(forfeit.bot)),
    networkCredits: networkCredits.filter((credit) => keys.has(credit.bot)),
    voids: voids.filter(({ bot }) => keys.has(bot)),
  };
}
