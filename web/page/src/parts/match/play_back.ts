/** Where a replay is, and how it goes on. */
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { matches } from "~/api/matches";
import type { Position } from "~/gen/fudaba/v1/matches_pb";
import type { MatchRecord } from "~/gen/fudaba/v1/record_pb";
import { readPositions } from "~/parts/match/positions";
import { loadSession } from "~/api/session";
import { positionOf, showMs, stopAt, stopsOf } from "~/parts/match/replay";

/** Between two changes of the address. */
const BETWEEN_MS = 300;

/** The positions through one pair of eyes; as many as are there so far. */
export interface Eyes {
  readonly seat: number | null;
  readonly positions: readonly Position[];
}

/** What was read through somebody's eyes; `again` reads what failed once more. */
interface Seen {
  readonly eyes: Eyes | undefined;
  readonly error: unknown;
  readonly again: () => void;
}

/** Reads the positions through the eyes of a seat; until they come, those of the seat before stay. */
export function useEyes(matchId: string, seat: number | null): Seen {
  const [eyes, setEyes] = useState<Eyes>();
  const [failed, setFailed] = useState<{ seat: number | null; error: unknown }>();
  const [attempt, setAttempt] = useState(0);
  const again = useCallback(() => {
    setFailed(undefined);
    setAttempt((before) => before + 1);
  }, []);
  useEffect(() => {
    const ending = new AbortController();
    const some = (positions: readonly Position[]) => {
      if (!ending.signal.aborted) setEyes({ seat, positions });
    };
    readPositions(matchId, seat, ending.signal, some).catch((error: unknown) => {
      if (!ending.signal.aborted) setFailed({ seat, error });
    });
    return () => {
      ending.abort();
    };
  }, [matchId, seat, attempt]);
  return { eyes, error: failed?.seat === seat ? failed.error : undefined, again };
}

/** A replay's place, and what moves it. */
export interface PlayBack {
  readonly at: number;
  readonly stop: number;
  readonly stops: readonly number[];
  readonly playing: boolean;
  readonly pace: number;
  readonly go: (at: number) => void;
  /** Goes so many stops on, or back. */
  readonly step: (by: number) => void;
  readonly setPlaying: (playing: boolean) => void;
  readonly setPace: (pace: number) => void;
}

/** The place in a record's log; the URL's `at` says where it begins, and keeps up with it. It may move at once. */
export function usePlayBack(record: MatchRecord, begin: string | undefined, loaded: number, moves: boolean): PlayBack {
  const [stops] = useState(() => stopsOf(record.log));
  const [at, setAt] = useState(() => positionOf(begin, record.log.length + 1) ?? stops[0] ?? 0);
  const [playing, setPlaying] = useState(moves);
  const [pace, setPace] = useState(1);
  const stop = stopAt(stops, at);
  const go = useCallback(
    (next: number) => {
      setAt(Math.max(0, Math.min(next, record.log.length)));
    },
    [record],
  );
  const last = stops.length - 1;
  const step = useCallback(
    (by: number) => {
      setAt((now) => stops[Math.max(0, Math.min(stopAt(stops, now) + by, last))] ?? now);
    },
    [stops, last],
  );
  const moving = playing && stop < last && at < loaded;
  useEffect(() => {
    if (!moving) return undefined;
    const timer = setTimeout(() => {
      step(1);
    }, showMs(pace));
    return () => {
      clearTimeout(timer);
    };
  }, [moving, at, pace, step]);
  useAddress(at);
  return { at, stop, stops, playing: playing && stop < last, pace, go, step, setPlaying, setPace };
}

/** Writes the place into the address: at once, but for browsers, which allow few changes in a short time, not too often. */
function useAddress(at: number): void {
  const writtenRef = useRef(Number.NEGATIVE_INFINITY);
  useEffect(() => {
    const write = () => {
      writtenRef.current = performance.now();
      keep("at", String(at));
    };
    const wait = writtenRef.current + BETWEEN_MS - performance.now();
    if (wait <= 0) {
      write();
      return undefined;
    }
    const timer = setTimeout(write, wait);
    return () => {
      clearTimeout(timer);
    };
  }, [at]);
}

/** Writes a value of the address, without a step in the browser's history. */
export function keep(name: string, value: string | undefined): void {
  const url = new URL(location.href);
  if (value === undefined) url.searchParams.delete(name);
  else url.searchParams.set(name, value);
  if (url.href !== location.href) history.replaceState(history.state, "", url);
}

/** The notes of the reader's own bots by decision; none for who has no seat, or is not signed in. */
export async function readNotes(matchId: string, signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
  if ((await loadSession()) === null) return new Map();
  const { notes } = await matches.getNotes({ matchId }, { signal });
  return new Map(notes.map((note) => [note.decisionId, note.text]));
}
