/** Lists that hold the parts of several seats one after another. */

/** The parts of a list, of these sizes. */
export function parts<T>(list: readonly T[], sizes: readonly number[]): T[][] {
  let from = 0;
  return sizes.map((size) => list.slice(from, (from += size)));
}

/** The numbers from `low` to `high`, both included. */
export function range(low: number, high: number): number[] {
  return Array.from({ length: Math.max(0, high - low + 1) }, (_, place) => low + place);
}
