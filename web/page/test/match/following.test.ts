import { Code, ConnectError } from "@connectrpc/connect";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type FollowState, follow, isFinal, waitMs } from "~/api/follow";
import { READ_MS, SILENCE_MS, deadlinesOf, inTime, unlessSilent } from "~/api/deadlines";
import { reasonOf } from "~/api/reasons";
import { Paced, stepMs } from "~/parts/match/pace";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  hide(false);
});

function hide(hidden: boolean): void {
  Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
}

/** A refusal as the gateway tells it. */
function refused(code: Code, reason: string): ConnectError {
  const error = new ConnectError("no", code);
  if (reason !== "") {
    error.details.push({ type: "google.rpc.ErrorInfo", value: new Uint8Array(), debug: { reason } });
  }
  return error;
}

/** A stream that ends, or fails, after some messages; an open one waits until it is aborted. */
async function* stream(messages: number[], end: Error | "open" | "over", signal: AbortSignal): AsyncGenerator<number> {
  yield* messages;
  if (end === "over") return;
  if (end !== "open") throw end;
  await new Promise((_, reject) => {
    signal.addEventListener("abort", () => {
      reject(new ConnectError("aborted", Code.Canceled));
    });
  });
}

interface Part {
  messages: number[];
  end: Error | "open" | "over";
}

function followed(parts: Part[], signal = new AbortController().signal, alsoHidden = false) {
  const got: number[] = [];
  const states: FollowState[] = [];
  let opened = 0;
  const done = follow<number>({
    open: (ends) => {
      const { messages, end } = parts[opened++] ?? { messages: [], end: "over" };
      return stream(messages, end, ends);
    },
    take: (message) => got.push(message),
    state: (state) => states.push(state),
    signal,
    alsoHidden,
  });
  return { done, got, states, opened: () => opened };
}

describe("following", () => {
  test("goes on where a lost stream ended, after a while", async () => {
    const lost = refused(Code.Unavailable, "");
    const run = followed([
      { messages: [1, 2], end: lost },
      { messages: [3], end: "over" },
    ]);
    await vi.advanceTimersByTimeAsync(1);
    expect(run.opened()).toBe(1);
    await vi.advanceTimersByTimeAsync(300);
    await run.done;
    expect(run.got).toEqual([1, 2, 3]);
    expect(run.states[0]).toBe("opening");
    expect(run.states.at(-1)).toBe("open");
  });

  test("throws what will never change", async () => {
    const run = followed([{ messages: [], end: refused(Code.FailedPrecondition, "MATCH_HIDDEN") }]);
    await expect(run.done).rejects.toThrow("no");
    expect(run.opened()).toBe(1);
  });

  test("of whoever plays it stays open while its tab is hidden", async () => {
    hide(true);
    const ending = new AbortController();
    const { got, states, opened } = followed([{ messages: [1], end: "open" }], ending.signal, true);
    await vi.advanceTimersByTimeAsync(0);
    hide(false);
    hide(true);
    await vi.advanceTimersByTimeAsync(SILENCE_MS - 1);
    expect({ got, opened: opened() }).toEqual({ got: [1], opened: 1 });
    expect(states).toEqual(["opening", "open"]);
    ending.abort();
  });

  test("is opened anew when the machine goes offline", async () => {
    const run = followed([
      { messages: [1], end: "open" },
      { messages: [2], end: "over" },
    ]);
    await vi.advanceTimersByTimeAsync(1);
    window.dispatchEvent(new Event("offline"));
    await run.done;
    expect(run.got).toEqual([1, 2]);
    expect(run.states).toEqual(["opening", "open", "opening", "open"]);
  });

  test("of what says nothing for longer than a heartbeat takes is opened anew", async () => {
    const run = followed([
      { messages: [1], end: "open" },
      { messages: [2], end: "over" },
    ]);
    await vi.advanceTimersByTimeAsync(SILENCE_MS - 1);
    expect(run.opened()).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    await run.done;
    expect(run.got).toEqual([1, 2]);
  });

  test("passes by the other deaf connections that a browser holds within twenty seconds, and is patient then", async () => {
    const silent: Part = { messages: [], end: "open" };
    const ending = new AbortController();
    const run = followed([{ messages: [1], end: "open" }, ...Array<Part>(9).fill(silent)], ending.signal);
    await vi.advanceTimersByTimeAsync(SILENCE_MS);
    expect(run.opened()).toBe(2);
    await vi.advanceTimersByTimeAsync(5 * 3_000);
    expect(run.opened()).toBe(7);
    await vi.advanceTimersByTimeAsync(SILENCE_MS - 1);
    expect(run.opened()).toBe(7);
    ending.abort();
    await run.done;
  });

  test("has nothing open while its tab is hidden", async () => {
    const run = followed([
      { messages: [1], end: "open" },
      { messages: [2], end: "over" },
    ]);
    await vi.advanceTimersByTimeAsync(1);
    hide(true);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(run.states.at(-1)).toBe("resting");
    expect(run.opened()).toBe(1);
    hide(false);
    await run.done;
    expect(run.got).toEqual([1, 2]);
  });

  test("ends with its signal, in a stream or between two", async () => {
    for (const end of ["open", refused(Code.Unavailable, "")] as const) {
      const ending = new AbortController();
      const run = followed([{ messages: [1], end }], ending.signal);
      await vi.advanceTimersByTimeAsync(1);
      ending.abort();
      await run.done;
      expect(run.opened()).toBe(1);
    }
  });

  test("waits longer each time, up to a bound", () => {
    expect([0, 1, 2].map((attempt) => waitMs(attempt, 1))).toEqual([250, 500, 1000]);
    expect(waitMs(0, 0)).toBe(125);
    expect(waitMs(50, 1)).toBe(15_000);
  });

  test("the contract says what is final", () => {
    expect(isFinal(refused(Code.ResourceExhausted, ""))).toBe(true);
    expect(isFinal(refused(Code.ResourceExhausted, "TOO_FAST"))).toBe(false);
    expect(isFinal(refused(Code.Unavailable, "SHUTTING_DOWN"))).toBe(false);
    expect(isFinal(refused(Code.Unauthenticated, "TOKEN_EXPIRED"))).toBe(true);
    expect(reasonOf(refused(Code.NotFound, "MATCH_NOT_FOUND"))).toBe("MATCH_NOT_FOUND");
    expect(reasonOf(new Error("else"))).toBe("");
  });
});

describe("a call", () => {
  const never = (signal: AbortSignal) =>
    new Promise<string>((_, reject) => {
      signal.addEventListener("abort", () => {
        reject(new ConnectError("aborted", Code.Canceled));
      });
    });

  test("is made again on another connection when no answer comes in time", async () => {
    let made = 0;
    const done = inTime([1_000, 1_000], (signal) => (++made === 1 ? never(signal) : Promise.resolve("there")));
    await vi.advanceTimersByTimeAsync(999);
    expect(made).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(await done).toBe("there");
  });

  test("that is never answered fails after its last deadline", async () => {
    const done = expect(inTime([1_000, 2_000], never)).rejects.toMatchObject({ code: Code.DeadlineExceeded });
    await vi.advanceTimersByTimeAsync(3_000);
    await done;
  });

  test("that is refused, or that nobody waits for any more, is not made again", async () => {
    let made = 0;
    const refuse = () => {
      made += 1;
      return Promise.reject(refused(Code.Aborted, "DECISION_CLOSED"));
    };
    await expect(inTime([1_000, 1_000], refuse)).rejects.toMatchObject({ code: Code.Aborted });
    const ending = new AbortController();
    const left = expect(inTime([1_000, 1_000], never, ending.signal)).rejects.toMatchObject({ code: Code.Canceled });
    ending.abort();
    await left;
    expect(made).toBe(1);
  });

  test("that would count twice is made once, and a move may be sent again", () => {
    expect(deadlinesOf("CreateToken")).toHaveLength(1);
    expect(deadlinesOf("WhoAmI")).toBe(READ_MS);
    expect(
      deadlinesOf("SubmitMove")
        .slice(0, -1)
        .reduce((sum, ms) => sum + ms),
    ).toBeLessThan(20_000);
  });

  test("with a stream ends when that falls silent", async () => {
    const got: number[] = [];
    const signal = new AbortController().signal;
    const read = async () => {
      for await (const message of unlessSilent((ends) => stream([1, 2], "open", ends), signal)) got.push(message);
    };
    const done = expect(read()).rejects.toMatchObject({ code: Code.DeadlineExceeded });
    await vi.advanceTimersByTimeAsync(SILENCE_MS);
    await done;
    expect(got).toEqual([1, 2]);
  });
});

describe("pace", () => {
  test("the first is shown at once, the others with pauses, in order", async () => {
    const shown: number[] = [];
    const paced = new Paced<number>((item) => shown.push(item));
    for (const item of [1, 2, 3]) paced.push(item);
    await vi.advanceTimersByTimeAsync(1);
    expect(shown).toEqual([1]);
    await vi.advanceTimersByTimeAsync(stepMs(2));
    expect(shown).toEqual([1, 2]);
    await vi.advanceTimersByTimeAsync(stepMs(1));
    expect(shown).toEqual([1, 2, 3]);
  });

  test("the more waits, the faster, but never too fast to see", () => {
    expect(stepMs(20)).toBeLessThan(stepMs(2));
    expect(stepMs(10_000)).toBe(stepMs(20_000));
    expect(stepMs(10_000)).toBeGreaterThan(50);
  });

  test("all is shown at once on request, and nothing after the end", async () => {
    const shown: number[] = [];
    const paced = new Paced<number>((item) => shown.push(item));
    for (const item of [1, 2, 3]) paced.push(item);
    paced.flush();
    expect(shown).toEqual([1, 2, 3]);
    paced.push(4);
    paced.close();
    await vi.advanceTimersByTimeAsync(5000);
    expect(shown).toEqual([1, 2, 3]);
  });
});
