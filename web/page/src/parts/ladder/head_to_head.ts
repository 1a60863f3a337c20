/** Who did how well against whom: counted from the matches that count. */
import { MatchCounting, type TournamentMatch } from "~/gen/fudaba/v1/arena_pb";

export interface Score {
  wins: number;
  draws: number;
  losses: number;
}

/** By bot, then by opponent. */
export type HeadToHead = ReadonlyMap<string, ReadonlyMap<string, Score>>;

/** What is needed of a match: who sat where, and with which score. */
export interface Scored {
  readonly bots: readonly string[];
  readonly scores: readonly number[];
}

/** The matches of a tournament that count, of one game or of all. */
export function counted(matches: readonly TournamentMatch[], game: string): Scored[] {
  return matches.filter((match) => match.counting === MatchCounting.COUNTED && (game === "" || match.game === game));
}

/** In games of more than two, each two of a match are compared by their scores. */
export function headToHead(matches: readonly Scored[]): HeadToHead {
  const all = new Map<string, Map<string, Score>>();
  for (const { bots, scores } of matches) {
    for (const [seat, bot] of bots.entries()) {
      for (const [other, opponent] of bots.entries()) {
        const difference = (scores[seat] ?? NaN) - (scores[other] ?? NaN);
        if (seat === other || bot === opponent || Number.isNaN(difference)) continue;
        note(scoreOf(all, bot, opponent), difference);
      }
    }
  }
  return all;
}

function scoreOf(all: Map<string, Map<string, Score>>, bot: string, opponent: string): Score {
  let row = all.get(bot);
  if (row === undefined) all.set(bot, (row = new Map<string, Score>()));
  let score = row.get(opponent);
  if (score === undefined) row.set(opponent, (score = { wins: 0, draws: 0, losses: 0 }));
  return score;
}

function note(score: Score, difference: number): void {
  if (difference > 0) score.wins += 1;
  else if (difference < 0) score.losses += 1;
  else score.draws += 1;
}

/** What part of the matches was won, a draw counting half; undefined without a match. */
export function winShare({ wins, draws, losses }: Score): number | undefined {
  const matches = wins + draws + losses;
  return matches === 0 ? undefined : (wins + draws / 2) / matches;
}
