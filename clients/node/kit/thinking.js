/**
 * Thinking about many matches in one thread: one decision after another, the one whose time is over first goes first.
 *
 * Between two decisions the event loop gets its turn, so that pings are answered and new decisions are seen.
 */
export class Thinking {
  #waiting = new Map();
  #running = 0;
  #scheduled = false;

  /** Whether nothing waits and nothing is thought about. */
  get idle() {
    return this.#waiting.size === 0 && this.#running === 0;
  }

  /** Has a decision thought about: calls `think` when it is its turn. */
  add(decision, think) {
    this.#waiting.set(decision, think);
    this.#schedule();
  }

  #schedule() {
    if (this.#scheduled || this.#waiting.size === 0) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      void this.#step();
      this.#schedule();
    });
  }

  /** Begins the most urgent one. One whose `choose` waits for something keeps no other from its turn. */
  async #step() {
    const [decision, think] = [...this.#waiting].reduce((a, b) => (b[0].timeLeft < a[0].timeLeft ? b : a));
    this.#waiting.delete(decision);
    this.#running += 1;
    try {
      await think();
    } finally {
      this.#running -= 1;
    }
  }
}
