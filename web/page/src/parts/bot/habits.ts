/** How a bot has behaved lately, from the records of its matches: its time, its illegal answers. */
import { unlessSilent } from "~/api/deadlines";
import { matches } from "~/api/matches";
import { MatchState } from "~/gen/fudaba/v1/matches_pb";
import type { MatchRecord } from "~/gen/fudaba/v1/record_pb";

export interface Habits {
  readonly matches: number;
  readonly decisions: number;
  /** Of a decision, in seconds; undefined without one. */
  readonly meanSeconds: number | undefined;
  readonly longestSeconds: number | undefined;
  readonly timeouts: number;
  readonly illegal: number;
}

/** Reads the newest records of a bot's matches that are over, at most so many. */
export async function readRecords(bot: string, most: number, signal: AbortSignal): Promise<MatchRecord[]> {
  const records: MatchRecord[] = [];
  const enough = new AbortController();
  const stream = unlessSilent(
    (ends) => matches.streamRecords({ bot, state: MatchState.FINISHED }, { signal: ends }),
    AbortSignal.any([signal, enough.signal]),
  );
  for await (const { record } of stream) {
    if (record !== undefined) records.push(record);
    if (records.length >= most) break;
  }
  enough.abort();
  return records;
}

export function habitsOf(bot: string, records: readonly MatchRecord[]): Habits {
  const spent: number[] = [];
  let timeouts = 0;
  let illegal = 0;
  for (const { header, log } of records) {
    const seats = new Set(header?.players.flatMap((player, seat) => (player.bot === bot ? [seat] : [])));
    for (const entry of log) {
      if (entry.what.case === "referee" || !seats.has(entry.seat)) continue;
      if (entry.what.case === "timeout") timeouts += 1;
      if (entry.what.case === "illegal") illegal += 1;
      if (entry.what.case === "move" && entry.spent !== undefined) spent.push(Number(entry.spent.botUs) / 1e6);
    }
  }
  const none = spent.length === 0;
  return {
    matches: records.length,
    decisions: spent.length,
    meanSeconds: none ? undefined : spent.reduce((sum, seconds) => sum + seconds, 0) / spent.length,
    longestSeconds: none ? undefined : spent.reduce((most, seconds) => Math.max(most, seconds), 0),
    timeouts,
    illegal,
  };
}
