/** Which match the start page shows. */
import { matches } from "~/api/matches";
import { loadBoard } from "~/boards";
import { type Match, MatchState } from "~/gen/fudaba/v1/matches_pb";

/** So many are looked at. */
const MAX_MATCHES = 20;

/**
 * The newest match in play that everybody may see, or else the newest that is over; of a game that this page can draw.
 * Undefined where there is none.
 */
export async function chooseMatch(signal: AbortSignal): Promise<Match | undefined> {
  for (const state of [MatchState.PLAYING, MatchState.FINISHED]) {
    const { matches: newest } = await matches.listMatches({ state, pageSize: MAX_MATCHES }, { signal });
    for (const match of newest) {
      if (match.hidden || match.header?.unlisted) continue; // an organiser is told of these, too
      if ((await loadBoard(match.header?.game ?? "")) !== undefined) return match;
    }
  }
  return undefined;
}

/** The next position after this one in which something has happened; -1 where nothing comes any more. */
export function nextWithEvents(positions: readonly { readonly events: readonly unknown[] }[], at: number): number {
  return positions.findIndex((position, index) => index > at && position.events.length > 0);
}
