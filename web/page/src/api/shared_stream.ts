/** A stream that comes through the worker which all tabs of this browser share, where there is one; see `tabs_worker.ts`. */
import { Code, ConnectError } from "@connectrpc/connect";
import { errorFromJson } from "@connectrpc/connect/protocol-connect";
import type { FromTab, ToTab } from "~/api/tabs";

/** Milliseconds within which the worker takes a stream; one that does not is not there, and streams go without it. */
const TAKEN_MS = 5_000;
/** After so many losses in a row a stream is opened without the worker: something may keep the worker alone from it. */
const MAX_LOSSES = 3;

type Take = (word: ToTab) => void;

let shared: MessagePort | undefined;
let missing = false;
let last = 0;
/** How often in a row the worker has lost a stream of this tab without a message. */
let losses = 0;
const open = new Map<number, Take>();

/** The way to the worker; undefined where the browser has none: a frame without storage, an old one, a broken one. */
function port(): MessagePort | undefined {
  if (shared !== undefined || missing) return shared;
  try {
    const worker = new SharedWorker(new URL("./tabs_worker.ts", import.meta.url), { type: "module", name: "tabs" });
    worker.addEventListener("error", giveUp);
    shared = worker.port;
  } catch {
    missing = true;
    return undefined;
  }
  shared.onmessage = ({ data }: MessageEvent<ToTab>) => {
    if (data.kind === "ask") say({ kind: "here" });
    else open.get(data.id)?.(data);
  };
  window.addEventListener("pagehide", () => {
    loseAll(); // a page that comes back opens its streams again
  });
  return shared;
}

function say(word: FromTab) {
  shared?.postMessage(word);
}

/** Does without the worker from now on. */
function giveUp() {
  missing = true;
  loseAll();
  shared = undefined;
}

function loseAll() {
  for (const [id, take] of open) {
    take({ kind: "lost", id });
    say({ kind: "close", id });
  }
}

/** Whether streams come through the worker. The browser's word that it is offline counts for this tab alone. */
export function isShared(): boolean {
  if (losses >= MAX_LOSSES) {
    losses = 0;
    return false;
  }
  return navigator.onLine && port() !== undefined;
}

/** Opens a stream; its messages, binary. Throws `ConnectError`. */
export async function* sharedStream(
  method: string,
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
  say({ kind: "open", id, method, request });
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
      ended = word.kind === "ended" || word.kind === "refused" || word.kind === "lost";
      losses = word.kind === "lost" ? losses + 1 : word.kind === "taken" ? losses : 0;
      if (word.kind === "message") yield word.message;
      else if (word.kind === "lost") throw new ConnectError("the connection was lost", Code.Unavailable);
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
