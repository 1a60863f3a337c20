/** A match that is over, position by position: what its record's log says of each, and what the service shows of it. */
import type { Position } from "~/gen/fudaba/v1/matches_pb";
import type { LogEntry, MatchRecord } from "~/gen/fudaba/v1/record_pb";

/** A decision as it was answered. */
export interface AnsweredDecision {
  /** The position in which it was open: the number of log entries before its answer. */
  readonly at: number;
  readonly seat: number;
  readonly id: string;
  readonly timedOut: boolean;
  /** What it took of the bot's own time. */
  readonly botMs: number;
  /** What the network and the server took, which nobody is charged. */
  readonly freeMs: number;
}

/** The decisions of a record, in the order of its log. */
export function decisionsOf(record: MatchRecord): AnsweredDecision[] {
  return record.log.flatMap((entry, at) =>
    entry.what.case === "move" || entry.what.case === "timeout"
      ? [
          {
            at,
            seat: entry.seat,
            id: entry.decisionId,
            timedOut: entry.what.case === "timeout",
            botMs: milliseconds(entry.spent?.botUs),
            freeMs: milliseconds(entry.spent?.networkUs) + milliseconds(entry.spent?.serverUs),
          },
        ]
      : [],
  );
}

function milliseconds(us: bigint | undefined): number {
  return Number(us ?? 0n) / 1000;
}

/**
 * The positions that are worth a look, as numbers of log entries: the one with which the match begins, and each one in
 * which something happened since. Bots that connect change nothing that can be seen.
 */
export function stopsOf(log: readonly LogEntry[]): number[] {
  const connected = log.findLastIndex((entry) => entry.what.case === "ready") + 1;
  const later = log.flatMap((entry, at) => (at >= connected && entry.what.case !== "ready" ? [at + 1] : []));
  return [connected, ...later];
}

/** The place among the stops of the last one that is not behind a position; the first one if all are. */
export function stopAt(stops: readonly number[], position: number): number {
  return Math.max(
    0,
    stops.findLastIndex((stop) => stop <= position),
  );
}

/** The position that a URL's `at` names, if there is one. */
export function positionOf(at: string | undefined, positions: number): number | undefined {
  if (at === undefined || !/^\d{1,9}$/.test(at)) return undefined;
  return Math.min(Number(at), positions - 1);
}

/** All events up to a position, and how many of them its last entry told. */
export function eventsUpTo(positions: readonly Position[], at: number) {
  const events = positions.slice(0, at + 1).flatMap((position) => position.events);
  return { events, fresh: positions[at]?.events ?? [] };
}

/** For how long a position stays while a replay is played, at a pace of so many times the usual one. */
export function showMs(pace: number): number {
  return 1000 / pace;
}
