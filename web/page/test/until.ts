import { vi } from "vitest";

const PATIENCE_MS = 60_000;

/** Waits until nothing is thrown any more: on a busy machine modules take long to load. */
export function until<T>(seen: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(seen, { timeout: PATIENCE_MS });
}
