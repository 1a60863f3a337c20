/** Keeps a stream of the service open for as long as somebody looks at it. */
import { Code, ConnectError } from "@connectrpc/connect";
import { SILENCE_MS } from "~/api/deadlines";
import { reasonOf } from "~/api/reasons";

/** How a stream is: it tells, it is being opened (again), or it rests while its tab is hidden. */
export type FollowState = "open" | "opening" | "resting";

export interface Following<T> {
  /** Opens the stream from what was seen last; called again after each break. */
  open(signal: AbortSignal): AsyncIterable<T>;
  take(message: T): void;
  /** Told whenever the state changes. */
  state?(state: FollowState): void;
  /** Ends the following. Every watch has its own. */
  signal: AbortSignal;
  /** Whether the stream stays open while its tab is hidden: who plays is there, whatever else they look at. */
  alsoHidden?: boolean;
}

/** After these the same stream will never be there: what must not be opened again, by the contract. */
const FINAL: ReadonlySet<Code> = new Set([
  Code.Unauthenticated,
  Code.PermissionDenied,
  Code.InvalidArgument,
  Code.NotFound,
  Code.FailedPrecondition,
  Code.Unimplemented,
]);
/**
 * The first message of a stream that follows a deaf one. The browser may take another connection that is deaf, too, of at
 * most six.
 */
const REOPENED_MS = 3_000;
const MAX_SILENT_STREAMS = 6;
const MIN_WAIT_MS = 250;
const MAX_WAIT_MS = 15_000;

/** Whether an error ends a following for good. */
export function isFinal(error: unknown): boolean {
  const { code } = ConnectError.from(error);
  return FINAL.has(code) || (code === Code.ResourceExhausted && reasonOf(error) === "");
}

/** How long to wait before the given attempt, counted from 0, to open a stream again; `chance` is from 0 to 1. */
export function waitMs(attempt: number, chance: number): number {
  return Math.min(MAX_WAIT_MS, MIN_WAIT_MS * 2 ** attempt) * (0.5 + chance / 2);
}

/**
 * Follows a stream until it ends by itself, and returns. While the tab is hidden nothing is open, unless it is wanted: a
 * browser allows six connections to a host. When the machine goes offline, or nothing comes for longer than a heartbeat
 * takes, the stream is opened anew. Throws what must not be tried again; returns, too, once `signal` is aborted.
 */
export async function follow<T>(following: Following<T>): Promise<void> {
  const { signal, alsoHidden = false } = following;
  const ended = () => signal.aborted; // it changes while this waits
  let failures = 0;
  let deaf = 0; // connections in a row that have said nothing
  while (!ended()) {
    if (document.hidden && !alsoHidden) {
      following.state?.("resting");
      await until("visibilitychange", signal, Number.POSITIVE_INFINITY);
      continue;
    }
    following.state?.("opening");
    const broken = new AbortController();
    const hide = () => {
      if (document.hidden && !alsoHidden) broken.abort();
    };
    const lose = () => {
      broken.abort(); // the stream would say nothing any more, but for long it would not end
    };
    const giveUp = () => {
      deaf += 1;
      broken.abort();
    };
    document.addEventListener("visibilitychange", hide);
    window.addEventListener("offline", lose);
    let timer = setTimeout(giveUp, deaf > 0 && deaf < MAX_SILENT_STREAMS ? REOPENED_MS : SILENCE_MS);
    try {
      for await (const message of following.open(AbortSignal.any([signal, broken.signal]))) {
        clearTimeout(timer);
        timer = setTimeout(giveUp, SILENCE_MS);
        following.state?.("open");
        failures = 0;
        deaf = 0;
        following.take(message);
      }
      if (!broken.signal.aborted) return;
    } catch (error) {
      if (ended()) return;
      if (!broken.signal.aborted) {
        if (isFinal(error)) throw error;
        following.state?.("opening");
        await until("online", signal, waitMs(failures, Math.random()));
        failures += 1;
      }
    } finally {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", hide);
      window.removeEventListener("offline", lose);
    }
  }
}

/** Waits for an event of the window or the document, at most so long, or until the signal. */
async function until(event: string, signal: AbortSignal, ms: number): Promise<void> {
  await new Promise<void>((resolve) => {
    const done = () => {
      clearTimeout(timer);
      for (const target of [document, window]) target.removeEventListener(event, done);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = Number.isFinite(ms) ? setTimeout(done, ms) : undefined;
    for (const target of [document, window]) target.addEventListener(event, done);
    signal.addEventListener("abort", done);
    if (signal.aborted) done();
  });
}
