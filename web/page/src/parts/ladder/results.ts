/** Matches as the service lists them, put into words for a table. */
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { type Match, MatchState } from "~/gen/fudaba/v1/matches_pb";

export type Ending = "win" | "draw" | "loss" | "open" | "aborted";

/** How a match went for a seat: who has the best score alone wins, who shares it draws. */
export function endingOf(match: Match, seat: number): Ending {
  if (match.state === MatchState.ABORTED) return "aborted";
  const scores = match.end?.outcome?.scores;
  const own = scores?.[seat];
  if (scores === undefined || own === undefined) return "open";
  const best = Math.max(...scores.filter((_, other) => other !== seat));
  return own > best ? "win" : own === best ? "draw" : "loss";
}

/** When a match began, or else was created. */
export function beginOf(match: Match): Date | undefined {
  const began = match.startTime ?? match.header?.createTime;
  return began === undefined ? undefined : timestampDate(began);
}
