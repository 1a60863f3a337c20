/** A ladder as it is now: read once, then each change when it happens. */
import { useEffect, useState } from "preact/hooks";
import { arena } from "~/api/arena";
import { follow } from "~/api/follow";
import type { Ladder, TournamentChange } from "~/gen/fudaba/v1/arena_pb";

export interface LiveLadder {
  readonly ladder: Ladder;
  /** What has changed since the page was opened, newest first. */
  readonly news: readonly TournamentChange[];
}

const MAX_NEWS = 6;

/** Follows a ladder from how it was read, while its tab is seen. Undefined until something newer is told. */
export function useLiveLadder(read: Ladder | undefined): LiveLadder | undefined {
  const [held, setHeld] = useState<{ read: Ladder; live: LiveLadder }>();
  useEffect(() => {
    if (read === undefined) return undefined;
    const ending = new AbortController();
    let at = { season: read.season, seen: changesAtLeast(read) };
    const opened = Date.now();
    const following = follow({
      open: (signal) => arena.watchLadder({ ladder: read.name, ...at }, { signal }),
      take: ({ season, seen, ladder, changes }) => {
        at = { season, seen };
        if (ladder === undefined) return;
        setHeld((before) => {
          const fresh = changes.filter((change) => Number(change.time?.seconds ?? 0n) * 1000 >= opened - 60_000);
          const old = before?.read === read ? before.live.news : [];
          return { read, live: { ladder, news: [...fresh.reverse(), ...old].slice(0, MAX_NEWS) } };
        });
      },
      signal: ending.signal,
    });
    // What cannot be followed stays as it was read.
    following.catch(() => undefined);
    return () => {
      ending.abort();
    };
  }, [read]);
  return held !== undefined && held.read === read ? held.live : undefined;
}

/**
 * How many changes there were at least: each block that is over was one. Who follows from there is not told again of
 * thousands of blocks that the table has already.
 */
export function changesAtLeast({ tournament }: Pick<Ladder, "tournament">): bigint {
  const progress = tournament?.progress;
  return BigInt((progress?.blocksCounted ?? 0) + (progress?.blocksVoid ?? 0));
}
