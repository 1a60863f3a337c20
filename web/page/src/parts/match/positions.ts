/** The positions of a match that is over, as the service replays them: read once for each pair of eyes. */
import { unlessSilent } from "~/api/deadlines";
import { matches } from "~/api/matches";
import type { Position } from "~/gen/fudaba/v1/matches_pb";

/** Reads the positions as a seat saw them, or a spectator (null). `some` is told of those that are there so far. */
export async function readPositions(
  matchId: string,
  seat: number | null,
  signal: AbortSignal,
  some: (positions: readonly Position[]) => void,
): Promise<readonly Position[]> {
  const request = seat === null ? { matchId } : { matchId, seat };
  let positions: Position[] = [];
  for await (const response of unlessSilent((ends) => matches.streamPositions(request, { signal: ends }), signal)) {
    positions = [...positions, ...response.positions];
    some(positions);
  }
  return positions;
}
