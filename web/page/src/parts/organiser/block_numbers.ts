/** Numbers of blocks as people write them: `4-6, 9`; and as the page calls them: `144 (attempt 2)`. */
import { ATTEMPT_MULTIPLIER } from "~/parts/block_name";

/** So many blocks may be named in one call. */
export const MAX_BLOCKS = 1000;

export type BlockNumbers =
  | { readonly numbers: readonly bigint[] }
  /** What is neither a number nor a range, and at which character it begins, from 1; or a range of too many. */
  | { readonly wrong: string; readonly at: number; readonly tooMany: boolean };

/** Reads numbers and ranges with commas or spaces between them; nothing at all is no number. */
export function blockNumbers(text: string): BlockNumbers {
  const numbers = new Set<bigint>();
  // Spaces around a hyphen belong to its range.
  for (const part of text.matchAll(/\d+\s*[(（][^)）]*[)）]|[^\s,-]*(?:\s*-\s*[^\s,-]*)+|[^\s,]+/g)) {
    const [first, last] = furtherAttempt(part[0]) ?? range(part[0]) ?? [1n, 0n];
    const tooMany = last - first >= BigInt(MAX_BLOCKS);
    if (last < first || tooMany) return { wrong: part[0], at: part.index + 1, tooMany };
    for (let number = first; number <= last; number++) numbers.add(number);
    if (numbers.size > MAX_BLOCKS) return { wrong: part[0], at: part.index + 1, tooMany: true };
  }
  return { numbers: [...numbers].sort((left, right) => Number(left - right)) };
}

/** `144 (attempt 2)`, in any language. */
function furtherAttempt(text: string): [bigint, bigint] | undefined {
  const read = /^(\d{1,9})\s*[(（]\D*([1-9]\d{0,4})\D*[)）]$/.exec(text);
  if (read === null) return undefined;
  const number = BigInt(read[1] ?? "") + (BigInt(read[2] ?? "") - 1n) * ATTEMPT_MULTIPLIER;
  return [number, number];
}

/** `4-6`, or `9`. */
function range(text: string): [bigint, bigint] | undefined {
  const read = /^(\d{1,18})(?:\s*-\s*(\d{1,18}))?$/.exec(text);
  return read === null ? undefined : [BigInt(read[1] ?? ""), BigInt(read[2] ?? read[1] ?? "")];
}
