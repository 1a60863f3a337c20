/** Sounds tell what happens now: a browser that nobody has touched yet keeps none of them for later. */
import { afterEach, beforeEach, expect, it, vi } from "vitest";

/** Whether the reader has touched the page. */
let touched: () => void;
let tones: number;

class Context {
  state = "suspended";
  currentTime = 0;
  destination = {};
  private readonly begun = new Promise<void>((resolve) => {
    touched = () => {
      this.state = "running";
      resolve();
    };
  });
  resume = () => this.begun;
  createGain = () => ({ gain: { setValueAtTime: vi.fn(), exponentialRampToValueAtTime: vi.fn() }, connect: vi.fn() });
  createOscillator = () => ({
    frequency: {},
    connect: (next: unknown) => next,
    stop: vi.fn(),
    start: () => {
      tones += 1;
    },
  });
}

async function begin() {
  vi.resetModules(); // each page has a context of its own
  return (await import("~/parts/play/sounds")).sound;
}

beforeEach(() => {
  tones = 0;
  vi.stubGlobal("AudioContext", Context);
  vi.useFakeTimers({ toFake: ["performance"] });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it("what happened before the reader touched the page is not heard", async () => {
  const sound = await begin();
  for (let event = 0; event < 5; event += 1) sound("card");
  vi.advanceTimersByTime(60_000);
  touched();
  await Promise.resolve();
  expect(tones).toBe(0);
  sound("card");
  expect(tones).toBe(1);
});

it("what the reader's touch itself brings is heard once the browser is ready", async () => {
  const sound = await begin();
  sound("card");
  touched();
  await Promise.resolve();
  expect(tones).toBe(1);
});
