/**
 * Thinking about many matches in one thread: one decision after another, the one whose time is over first goes first.
 *
 * Between two decisions the event loop gets its turn, so that pings are answered and new decisions are seen.
 */

/** Something to think about. */
export interface Task {
  /** When the answer must have arrived, in milliseconds of the queue's clock. */
  readonly deadline: number;
  /** Thinks until `until` at most, and answers. */
  readonly think: (until: number) => void;
}

/** How long a decision is thought about when there is time enough and nothing else is said, in milliseconds. */
export const THINK_MS = 25;
/** What is left of a deadline for the way to the service and for whatever the machine does meanwhile. */
const RESERVE_MS = 250;

export class Thinking {
  private readonly waiting = new Set<Task>();
  private scheduled = false;

  constructor(
    private readonly now: () => number = () => performance.now(),
    private readonly thinkMs = THINK_MS,
  ) {}

  /** How many decisions wait. */
  get size(): number {
    return this.waiting.size;
  }

  add(task: Task): void {
    this.waiting.add(task);
    this.schedule();
  }

  /** Forgets a task that waits; its decision is closed. */
  drop(task: Task): void {
    this.waiting.delete(task);
  }

  private schedule(): void {
    if (this.scheduled || this.waiting.size === 0) return;
    this.scheduled = true;
    setImmediate(() => {
      this.scheduled = false;
      try {
        this.step();
      } finally {
        this.schedule();
      }
    });
  }

  private step(): void {
    let next: Task | undefined;
    for (const task of this.waiting) {
      if (!next || task.deadline < next.deadline) next = task;
    }
    if (!next) return;
    this.waiting.delete(next);
    const now = this.now();
    next.think(now + timeFor(this.thinkMs, next.deadline - now, this.waiting.size));
  }
}

/** How long to think, at most `most` milliseconds, when `left` are left and `others` decisions wait, too. */
export function timeFor(most: number, left: number, others: number): number {
  const usable = left - Math.min(RESERVE_MS, left / 2);
  return Math.max(0, Math.min(most, usable / (others + 1)));
}
