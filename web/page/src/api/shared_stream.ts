/** A stream that comes through the worker which all tabs of this browser share, where there is one; see `tabs_worker.ts`. */
import { Code, ConnectError } from "@connectrpc/connect";
import { errorFromJson } from "@connectrpc/connect/protocol-connect";
import type { FromTab, ToTab } from "~/api/tabs";

/** Milliseconds within which the worker takes a stream; one that does not is not there, and streams go without it. */
const TAKEN_MS = 5_000;
/** A worker that fails is replaced by a fresh one, once. */
const MAX_WORKERS = 2;
const LOOPBACK: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);

type Take = (word: ToTab) => void;

let shared: MessagePort | undefined;
let missing = false;
let workers = 0;
let last = 0;
/** The streams that the worker does not take from this tab, by what they are about. */
const apart = new Set<string>();
const open = new Map<number, Take>();

/** The way to the worker; undefined where the browser has none: a frame without storage, an old one, a broken one. */
function port(): MessagePort | undefined {
  if (shared !== undefined || missing) return shared;
  try {
    // By another name it is another worker: one that has failed would be found again by its own.
    const name = `tabs ${workers}`;
    const worker = new SharedWorker(new URL("./tabs_worker.ts", import.meta.url), { type: "module", name });
    shared = worker.port;
    const made = shared;
    worker.addEventListener("error", () => {
      if (shared === made) giveUp();
    });
  } catch {
    missing = true;
    return undefined;
  }
  shared.onmessage = ({ data }: MessageEvent<ToTab>) => {
    if (data.kind === "ask") say({ kind: "here" });
    else open.get(data.id)?.(data);
  };
  window.addEventListener("pagehide", loseAll); // a page that comes back opens its streams again
  return shared;
}

function say(word: FromTab) {
  shared?.postMessage(word);
}

/** Does without this worker from now on: with a fresh one, or in the end without any. */
function giveUp() {
  workers += 1;
  missing = workers >= MAX_WORKERS;
  loseAll();
  shared = undefined;
}

function loseAll() {
  for (const [id, take] of open) {
    take({ kind: "lost", id });
    say({ kind: "close", id });
  }
}

/**
 * Whether a stream comes through the worker, by its method and what it is about. The browser's word that it is offline
 * counts for this tab alone, and says nothing of a gateway on this machine. A connection that is lost counts for nothing:
 * after an outage all tabs would go without the worker, and each would take one of the browser's six connections.
 */
export function isShared(method: string, about: string): boolean {
  if (apart.has(`${method} ${about}`)) return false;
  return (navigator.onLine || LOOPBACK.has(location.hostname)) && port() !== undefined;
}

/** Opens a stream; its messages, binary. Throws `ConnectError`. */
export async function* sharedStream(
  method: string,
  about: string,
  request: Uint8Array,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  const id = (last += 1);
  const words: ToTab[] = [];
  let wake: () => void = () => undefined;
  const take = (word: ToTab) => {
    words.push(word);
    wake();
  };
  const abort = () => {
    wake();
  };
  const taking = setTimeout(giveUp, TAKEN_MS);
  open.set(id, take);
  signal?.addEventListener("abort", abort);
  say({ kind: "open", id, method, about, request });
  let ended = false;
  try {
    while (!ended) {
      if (signal?.aborted === true) throw new ConnectError("the stream is not wanted any more", Code.Canceled);
      const word = words.shift();
      if (word === undefined) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        continue;
      }
      clearTimeout(taking);
      ended = word.kind !== "taken" && word.kind !== "message";
      if (word.kind === "apart") apart.add(`${method} ${about}`);
      if (word.kind === "message") yield word.message;
      else if (word.kind === "lost" || word.kind === "apart")
        throw new ConnectError("the connection was lost", Code.Unavailable);
      else if (word.kind === "refused") throw refused(word.error);
    }
  } finally {
    clearTimeout(taking);
    signal?.removeEventListener("abort", abort);
    open.delete(id);
    if (!ended) say({ kind: "close", id });
  }
}

function refused(error: unknown): ConnectError {
  return errorFromJson(
    error as Parameters<typeof errorFromJson>[0],
    undefined,
    new ConnectError("the gateway refuses, and does not say why", Code.Unknown),
  );
}
