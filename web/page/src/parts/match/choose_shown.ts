/** Which match is shown next where one follows another. */
import { matches } from "~/api/matches";
import { loadSession } from "~/api/session";
import { loadBoard } from "~/boards";
import { type Match, MatchState } from "~/gen/fudaba/v1/matches_pb";
import { shownFromMs } from "~/parts/match/shown_later";

/** So many of each state are looked at. */
const MAX_MATCHES = 50;

export interface Choice {
  /** Undefined where there is none. */
  readonly match: Match | undefined;
  /** When the next one begins to be shown, in milliseconds since 1970; undefined where that is not known. */
  readonly nextFromMs: number | undefined;
}

/** The first that has not been shown. When all have been, they begin again: then `shown` is empty. */
export function nextOf<T>(all: readonly T[], idOf: (item: T) => string, shown: Set<string>): T | undefined {
  const fresh = all.find((item) => !shown.has(idOf(item)));
  if (fresh === undefined) shown.clear();
  const next = fresh ?? all[0];
  if (next !== undefined) shown.add(idOf(next));
  return next;
}

/** Whether a match is followed as it goes on: one in play, or one that is shown as if it were. */
export function goesOn({ state, hidden }: Match): boolean {
  return state === MatchState.PLAYING || hidden;
}

/**
 * Sorts matches, newest first, into those that can be shown now, what goes on before what is over; and says when the
 * next one begins. Of hidden ones `isLate` says whether they are told to this reader as late as to everybody.
 */
export function sorted(found: readonly Match[], isLate: boolean, nowMs: number): { all: Match[]; nextFromMs?: number } {
  const begins: number[] = [];
  const all = found.filter((match) => {
    if (match.header?.unlisted === true) return false; // an organiser is told of these, too
    if (!match.hidden) return true;
    const fromMs = shownFromMs(match);
    if (fromMs === undefined || !isLate) return false;
    if (fromMs > nowMs) begins.push(fromMs);
    return fromMs <= nowMs;
  });
  all.sort((match, other) => Number(goesOn(other)) - Number(goesOn(match)));
  return { all, ...(begins.length > 0 ? { nextFromMs: Math.min(...begins) } : {}) };
}

/**
 * The newest match that goes on, that everybody may see and that has not been shown, or else the newest such one that is
 * over; of a game that this page can draw. An organiser sees hidden matches at once, and so is shown none here.
 */
export async function chooseShown(shown: Set<string>, signal: AbortSignal): Promise<Choice> {
  const found: Match[] = [];
  for (const state of [MatchState.PLAYING, MatchState.FINISHED]) {
    const { matches: newest } = await matches.listMatches({ state, pageSize: MAX_MATCHES }, { signal });
    for (const match of newest) if ((await loadBoard(match.header?.game ?? "")) !== undefined) found.push(match);
  }
  const isLate = !found.some(({ hidden }) => hidden) || (await loadSession())?.scope !== "organiser";
  const { all, nextFromMs } = sorted(found, isLate, Date.now());
  return { match: nextOf(all, ({ header }) => header?.matchId ?? "", shown), nextFromMs };
}
