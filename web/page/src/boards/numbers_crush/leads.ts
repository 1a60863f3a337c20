/** Whether cards can still become a set with more of those at hand: by a sum, on a carrier, or in a run (rules C4). */
import type { Limits } from "~/boards/numbers_crush/limits";
import { NUMBERS, isJoker, numbersOf, realNumbers, setsOf } from "~/boards/numbers_crush/sets";
import { suitOf } from "~/cards/french_names";

/** Whether the picked cards are a set, or part of one of the picked cards and some of `rest`. */
export function leadsOn(picked: readonly number[], rest: readonly number[], limits: Limits): boolean {
  if (setsOf(picked, limits).length > 0) return true;
  const fits = (card: number) => isJoker(card) || limits.allows(card);
  if (limits.onlyJoker || !picked.every(fits)) return false;
  const more = rest.filter(fits);
  return addsUp(picked, more, limits.target) || isCarried(picked, more, limits) || isInRun(picked, more, limits);
}

/** Whether the cards and some others add up to the target. */
function addsUp(picked: readonly number[], rest: readonly number[], target: number): boolean {
  const values = (card: number) => numbersOf(card).filter((number) => number < target);
  let sums = new Set([0]);
  const joined = (card: number) => [...sums].flatMap((sum) => values(card).map((value) => sum + value));
  for (const card of picked) sums = new Set(joined(card).filter((sum) => sum <= target));
  for (const card of rest) sums = new Set([...sums, ...joined(card).filter((sum) => sum <= target)]);
  return target > 0 && sums.has(target);
}

/** Whether the cards can be of one number, and one of them or of the others can carry them. */
function isCarried(picked: readonly number[], rest: readonly number[], limits: Limits): boolean {
  if (limits.suit < 0) return false;
  const carries = (card: number) => isJoker(card) || suitOf(card) === limits.suit;
  return NUMBERS.some((number) => {
    const counts = (card: number) => numbersOf(card).includes(number);
    return picked.every(counts) && [...picked, ...rest].some((card) => counts(card) && carries(card));
  });
}

/** Whether the cards fit into one run, of which others and jokers fill the rest. */
function isInRun(picked: readonly number[], rest: readonly number[], limits: Limits): boolean {
  const real = picked.filter((card) => !isJoker(card));
  const jokers = [...picked, ...rest].filter(isJoker).length;
  const free = picked.length - real.length;
  return limits.lanes.some((lane) => {
    const inLane = (card: number) => lane.includes(suitOf(card));
    if (!real.every(inLane)) return false;
    const filling = rest.filter((card) => !isJoker(card) && inLane(card)).map(numbersOf);
    return realNumbers(real).some((numbers) => fitsSomewhere(numbers, filling, jokers, free));
  });
}

/** Whether some numbers, each once, and `free` jokers have a place in a row that others and jokers can fill. */
function fitsSomewhere(
  numbers: readonly number[],
  filling: readonly (readonly number[])[],
  jokers: number,
  free: number,
): boolean {
  if (new Set(numbers).size < numbers.length) return false;
  return NUMBERS.some((low) =>
    NUMBERS.some((high) => {
      if (high <= low || numbers.some((number) => number < low || number > high)) return false;
      const missing = NUMBERS.filter((number) => number >= low && number <= high && !numbers.includes(number));
      const gaps = missing.filter((number) => !filling.some((values) => values.includes(number)));
      return missing.length >= free && gaps.length <= jokers;
    }),
  );
}
