/**
 * One for all tabs of a browser: it has their streams in one request. Over HTTP/1.1 a browser keeps six connections to a
 * host, and with a stream in each of them no move would get through. When tabs want another stream, or one less, it asks
 * anew for all; each stream goes on where it was.
 */
import { FROM_THIS_PAGE } from "~/api/from_this_page";
import { END, type Frame, type FromTab, MESSAGE, type ToTab, base64, framesIn } from "~/api/tabs";

interface Stream {
  readonly tab: MessagePort;
  readonly id: number;
  readonly method: string;
  readonly about: string;
  request: Uint8Array;
}

/** Tabs that come at once are asked for at once. */
const GATHER_MS = 15;
/** A tab may crash, or sleep. One that has answered nothing so often is not there. */
const ASK_MS = 20_000;
const MAX_UNANSWERED_CALLS = 3;

/** A gateway that opens no streams of tabs answers so: not found, no such way to ask, no such method. */
const UNKNOWN: ReadonlySet<number> = new Set([404, 405, 501]);

const unanswered = new Map<MessagePort, number>();
let streams: Stream[] = [];
let reading = new AbortController();
let gathering: ReturnType<typeof setTimeout> | undefined;

function tell(tab: MessagePort, word: ToTab) {
  tab.postMessage(word);
}

function hear(tab: MessagePort, word: FromTab) {
  unanswered.set(tab, 0);
  if (word.kind === "open") {
    const { id, method, about, request } = word;
    if (streams.some((stream) => stream.method === method && stream.about === about)) {
      tell(tab, { kind: "apart", id }); // the gateway opens none twice
      return;
    }
    tell(tab, { kind: "taken", id });
    streams.push({ tab, id, method, about, request });
    askAnew();
  } else if (word.kind === "close") {
    drop((stream) => stream.tab === tab && stream.id === word.id);
  }
}

/** Drops streams that nobody wants any more. */
function drop(unwanted: (stream: Stream) => boolean) {
  const left = streams.filter((stream) => !unwanted(stream));
  if (left.length === streams.length) return;
  streams = left;
  askAnew();
}

function askAnew() {
  gathering ??= setTimeout(() => {
    gathering = undefined;
    reading.abort();
    reading = new AbortController();
    if (streams.length > 0) void read([...streams], reading.signal);
  }, GATHER_MS);
}

/** Reads streams until others are asked for. */
async function read(asked: readonly Stream[], signal: AbortSignal) {
  const superseded = () => signal.aborted; // it changes while this waits
  try {
    const body = JSON.stringify({
      streams: asked.map(({ method, request }) => ({ method, request: base64(request) })),
    });
    const answer = await fetch("/session/streams", { method: "POST", headers: FROM_THIS_PAGE, body, signal });
    if (!answer.ok || answer.body === null) {
      const error: unknown = await answer.json().catch(() => undefined);
      if (superseded()) return;
      const kind = howRefused(answer.status, error);
      for (const stream of asked)
        end(stream, kind === "refused" ? { kind, id: stream.id, error } : { kind, id: stream.id });
      return;
    }
    const reader = answer.body.getReader();
    let rest: Uint8Array = new Uint8Array();
    for (;;) {
      const { done, value } = await reader.read();
      if (superseded()) return; // who asks anew begins where a tab was told last
      if (done) break;
      const found = framesIn(joined(rest, value));
      rest = found.rest;
      for (const frame of found.frames) pass(asked[frame.stream], frame);
    }
  } catch {
    if (superseded()) return; // else nobody answers, or not to the end: tabs open their streams again
  }
  for (const stream of asked) end(stream, { kind: "lost", id: stream.id });
}

/** What a refusal of all streams means. */
function howRefused(status: number, error: unknown): "apart" | "lost" | "refused" {
  if (UNKNOWN.has(status)) return "apart";
  if (error !== undefined) return "refused";
  return status >= 500 ? "lost" : "apart"; // a proxy says so of a gateway that is away, or somebody else answers
}

function pass(stream: Stream | undefined, { kind, request, content }: Frame) {
  if (stream === undefined || !streams.includes(stream)) return;
  const { id } = stream;
  if (kind === MESSAGE) {
    stream.request = request;
    tell(stream.tab, { kind: "message", id, message: content });
  } else if (kind === END) {
    end(stream, { kind: "ended", id });
  } else {
    end(stream, { kind: "refused", id, error: JSON.parse(new TextDecoder().decode(content)) as unknown });
  }
}

function end(stream: Stream, word: ToTab) {
  if (!streams.includes(stream)) return;
  streams = streams.filter((other) => other !== stream);
  tell(stream.tab, word);
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}

setInterval(() => {
  for (const [tab, times] of unanswered) {
    if (times === MAX_UNANSWERED_CALLS) {
      unanswered.delete(tab);
      drop((stream) => stream.tab === tab);
    } else {
      unanswered.set(tab, times + 1);
      tell(tab, { kind: "ask" });
    }
  }
}, ASK_MS);

globalThis.addEventListener("connect", (event) => {
  const tab = (event as MessageEvent).ports[0];
  if (tab === undefined) return;
  tab.onmessage = ({ data }: MessageEvent<FromTab>) => {
    hear(tab, data);
  };
});
