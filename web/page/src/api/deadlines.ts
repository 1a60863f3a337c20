/**
 * How long an answer is waited for, and when it is asked for again. A connection may be open and deaf: nothing passes, and
 * neither browser nor system notices for minutes. A browser keeps up to six connections to a host, and each of them may be
 * deaf; a call that is given up closes its own.
 */
import { Code, ConnectError } from "@connectrpc/connect";
import { READING } from "~/api/reading";

/** Milliseconds for each attempt, in order. */
export type Deadlines = readonly number[];

/** What is answered at once, and may be asked any number of times. */
export const MOVE_MS: Deadlines = [3_000, 3_000, 3_000, 3_000, 3_000, 10_000];
/** What only reads, some of it much. */
export const READ_MS: Deadlines = [6_000, 6_000, 30_000];
/** What would be done twice if it were asked twice. */
export const ONCE_MS: Deadlines = [30_000];
/** A report on all results of a season: minutes for a million blocks. Asked again, it would be made twice. */
export const REPORT_MS: Deadlines = [600_000];
/** A piece of an upload, over a slow line. */
export const PIECE_MS: Deadlines = [120_000];

/** The deadlines of a method of the contract. */
export function deadlinesOf(method: string): Deadlines {
  // An id of the caller's keeps these from counting twice.
  if (method === "SubmitMove" || method === "CreateMatch") return MOVE_MS;
  if (method === "AwaitMatch") return [AWAIT_MS + 3_000];
  if (method === "WriteSubmission") return PIECE_MS;
  if (method === "GetFairPlay") return REPORT_MS;
  return READING.has(method) ? READ_MS : ONCE_MS;
}

/** How long one call waits for a match; then it asks again. */
export const AWAIT_MS = 10_000;

/**
 * Does something within a deadline, and again on another connection when that has passed, as often as there are
 * deadlines. Throws DEADLINE_EXCEEDED after the last; what `attempt` throws ends it at once, and so does `signal`.
 */
export async function inTime<T>(
  deadlines: Deadlines,
  attempt: (signal: AbortSignal) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  for (const ms of deadlines) {
    const late = new AbortController();
    const timer = setTimeout(() => {
      late.abort();
    }, ms);
    try {
      return await attempt(signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]));
    } catch (error) {
      if (!late.signal.aborted || signal?.aborted === true) throw error;
    } finally {
      clearTimeout(timer);
    }
  }
  throw noAnswer();
}

/** A gateway's stream says something every 15 seconds, be it a heartbeat; one that does not is deaf. */
export const SILENCE_MS = 18_000;

/** A stream that is read once. Throws DEADLINE_EXCEEDED where it says nothing for longer than a heartbeat takes. */
export async function* unlessSilent<T>(
  open: (signal: AbortSignal) => AsyncIterable<T>,
  signal: AbortSignal,
): AsyncGenerator<T> {
  const silent = new AbortController();
  const giveUp = () => {
    silent.abort();
  };
  let timer = setTimeout(giveUp, SILENCE_MS);
  try {
    for await (const message of open(AbortSignal.any([signal, silent.signal]))) {
      clearTimeout(timer);
      yield message;
      timer = setTimeout(giveUp, SILENCE_MS);
    }
  } catch (error) {
    throw silent.signal.aborted && !signal.aborted ? noAnswer() : error;
  } finally {
    clearTimeout(timer);
  }
}

function noAnswer(): ConnectError {
  return new ConnectError("no answer came in time", Code.DeadlineExceeded);
}
