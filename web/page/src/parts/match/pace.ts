/** What comes faster than people can follow is shown one after another, and faster the more waits. */

const STEP_MS = 900;
const MIN_STEP_MS = 120;

/** How long something stays before the next one is shown, when so many wait. */
export function stepMs(waiting: number): number {
  return Math.max(MIN_STEP_MS, STEP_MS / Math.max(1, waiting / 2));
}

/** Passes on what is pushed, in order, with pauses between. */
export class Paced<T> {
  #waiting: T[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #shownAt = Number.NEGATIVE_INFINITY;
  readonly #show: (item: T) => void;
  readonly #stepMs: (waiting: number, shown: T | undefined) => number;
  #shown: T | undefined;

  /** `pause` says how long what is `shown` stays, when so many wait. */
  constructor(show: (item: T) => void, pause: (waiting: number, shown: T | undefined) => number = stepMs) {
    this.#show = show;
    this.#stepMs = pause;
  }

  push(item: T): void {
    this.#waiting.push(item);
    this.#arm();
  }

  /** Shows all that waits at once, as when somebody comes back to a hidden tab. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const item of this.#waiting.splice(0)) this.#show(item);
    this.#shownAt = performance.now();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#waiting = [];
  }

  #arm(): void {
    if (this.#timer !== undefined || this.#waiting.length === 0) return;
    const since = performance.now() - this.#shownAt;
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined;
        const next = this.#waiting.shift();
        this.#shownAt = performance.now();
        this.#shown = next;
        if (next !== undefined) this.#show(next);
        this.#arm();
      },
      Math.max(0, this.#stepMs(this.#waiting.length, this.#shown) - since),
    );
  }
}
