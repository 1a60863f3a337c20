/** Which match is shown next where one follows another. */
import { matches } from "~/api/matches";
import { loadBoard } from "~/boards";
import { type Match, MatchState } from "~/gen/fudaba/v1/matches_pb";

/** So many of each state are looked at. */
const MAX_MATCHES = 50;

/** The first that has not been shown. When all have been, they begin again: then `shown` is empty. */
export function nextOf<T>(all: readonly T[], idOf: (item: T) => string, shown: Set<string>): T | undefined {
  const fresh = all.find((item) => !shown.has(idOf(item)));
  if (fresh === undefined) shown.clear();
  const next = fresh ?? all[0];
  if (next !== undefined) shown.add(idOf(next));
  return next;
}

/**
 * The newest match in play that everybody may see and that has not been shown, or else the newest such one that is over; of
 * a game that this page can draw. Undefined where there is none at all.
 */
export async function chooseShown(shown: Set<string>, signal: AbortSignal): Promise<Match | undefined> {
  const all: Match[] = [];
  for (const state of [MatchState.PLAYING, MatchState.FINISHED]) {
    const { matches: newest } = await matches.listMatches({ state, pageSize: MAX_MATCHES }, { signal });
    for (const match of newest) {
      if (match.hidden || match.header?.unlisted) continue; // an organiser is told of these, too
      if ((await loadBoard(match.header?.game ?? "")) !== undefined) all.push(match);
    }
  }
  return nextOf(all, ({ header }) => header?.matchId ?? "", shown);
}
