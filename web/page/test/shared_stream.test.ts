import { beforeEach, describe, expect, it, vi } from "vitest";
import type { FromTab, ToTab } from "~/api/tabs";
import { until } from "./until";

const SEAT = "fudaba.v1.PlayService.WatchSeat";

/** A worker that answers the opening of each stream as a test says. */
class Worker extends EventTarget {
  static made: Worker[] = [];
  static answer: (word: FromTab & { kind: "open" }) => ToTab | undefined = () => undefined;
  readonly port = {
    onmessage: undefined as ((event: { data: ToTab }) => void) | undefined,
    postMessage: (word: FromTab) => {
      const answer = word.kind === "open" ? Worker.answer(word) : undefined;
      if (answer !== undefined) queueMicrotask(() => this.port.onmessage?.({ data: answer }));
    },
  };

  constructor(
    _: URL,
    readonly options: WorkerOptions,
  ) {
    super();
    Worker.made.push(this);
  }
}

async function opened(about: string): Promise<unknown> {
  const { sharedStream } = await import("~/api/shared_stream");
  try {
    for await (const message of sharedStream(SEAT, about, new Uint8Array(), undefined)) return message;
    return "ended";
  } catch (error) {
    return error;
  }
}

describe("a stream through the worker that tabs share", () => {
  beforeEach(() => {
    vi.resetModules();
    Worker.made = [];
    vi.stubGlobal("SharedWorker", Worker);
    return () => {
      vi.unstubAllGlobals();
    };
  });

  it("stays with it however often the connection is lost, and without a network on this machine", async () => {
    const { isShared } = await import("~/api/shared_stream");
    vi.stubGlobal("navigator", { onLine: false });
    expect(location.hostname).toBe("localhost");
    Worker.answer = ({ id }) => ({ kind: "lost", id });
    for (let loss = 0; loss < 10; loss += 1) {
      expect(isShared(SEAT, "m-1")).toBe(true);
      expect(await opened("m-1")).toHaveProperty("rawMessage", "the connection was lost");
    }
  });

  it("is opened without it where it says so, and others are not", async () => {
    const { isShared } = await import("~/api/shared_stream");
    expect(isShared(SEAT, "m-1")).toBe(true);
    Worker.answer = ({ id }) => ({ kind: "apart", id });
    await opened("m-1");
    expect(isShared(SEAT, "m-1")).toBe(false);
    expect(isShared(SEAT, "m-2")).toBe(true);
  });

  it("gets one fresh worker where one fails, and then none", async () => {
    const { isShared } = await import("~/api/shared_stream");
    expect(isShared(SEAT, "m-1")).toBe(true);
    Worker.made[0]?.dispatchEvent(new Event("error"));
    expect(isShared(SEAT, "m-1")).toBe(true);
    expect(new Set(Worker.made.map(({ options }) => options.name)).size).toBe(2);
    Worker.made[1]?.dispatchEvent(new Event("error"));
    expect(isShared(SEAT, "m-1")).toBe(false);
  });
});

describe("the worker that tabs share", () => {
  /** A tab's port to a worker, and the first word of each stream but that it is taken. */
  async function tab(answer: () => Promise<Response>) {
    vi.resetModules();
    vi.stubGlobal("fetch", answer);
    vi.stubGlobal("setInterval", () => 0);
    await import("~/api/tabs_worker");
    const { port1, port2 } = new MessageChannel();
    globalThis.dispatchEvent(Object.assign(new Event("connect"), { ports: [port1] }));
    const words: ToTab[] = [];
    port2.onmessage = ({ data }: MessageEvent<ToTab>) => {
      if (data.kind !== "taken") words.push(data);
    };
    const open = (id: number) => {
      const word: FromTab = { kind: "open", id, method: SEAT, about: "m-1", request: new Uint8Array() };
      port2.postMessage(word);
    };
    return { words, open };
  }

  it.each([
    ["no answer", () => Promise.reject(new TypeError("failed to fetch")), "lost"],
    ["a proxy without its gateway", () => Promise.resolve(new Response("<html>", { status: 502 })), "lost"],
    ["a gateway that knows no such path", () => Promise.resolve(new Response("{}", { status: 404 })), "apart"],
    ["somebody who speaks no JSON", () => Promise.resolve(new Response("<html>", { status: 403 })), "apart"],
    ["a refusal", () => Promise.resolve(new Response("{}", { status: 401 })), "refused"],
  ])("tells a tab of %s what it means", async (_, answer, kind) => {
    const { words, open } = await tab(answer);
    open(1);
    await until(() => {
      expect(words.map((word) => word.kind)).toEqual([kind]);
    });
  });

  it("takes a match once: the gateway opens no stream twice", async () => {
    const { words, open } = await tab(() => new Promise<Response>(() => undefined));
    open(1);
    open(2);
    await until(() => {
      expect(words).toEqual([{ kind: "apart", id: 2 }]);
    });
  });
});
