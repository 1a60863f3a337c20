/** Chance that can be repeated: the same seed gives the same samples, so that a decision can be looked at again. */
export class Chance {
  private state: number;

  constructor(seed: string) {
    // FNV-1a; any mixing of the text into 32 bits would do.
    let hash = 0x811c9dc5;
    for (let i = 0; i < seed.length; i += 1) hash = Math.imul(hash ^ seed.charCodeAt(i), 0x01000193);
    this.state = hash >>> 0;
  }

  /** A whole number from 0 to n - 1 (mulberry32). */
  below(n: number): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let t = this.state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * n);
  }

  /** Brings `count` of the items by chance to the front of the list, and returns a copy of them. */
  draw<T>(items: T[], count: number): T[] {
    for (let i = 0; i < count; i += 1) {
      const j = i + this.below(items.length - i);
      const item = items[i] as T;
      items[i] = items[j] as T;
      items[j] = item;
    }
    return items.slice(0, count);
  }
}
