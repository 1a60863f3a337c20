/** What a block is called. */
import type { Block } from "~/gen/fudaba/v1/arena_pb";
import { t } from "~/i18n";

/** What the number of a block grows by with each attempt, where the schedule grows while it is played: in ladders and Swisses. */
export const ATTEMPT_MULTIPLIER = 2n ** 32n;

/** A block's own number; of a further attempt whose number is that far away, the number of the first, as commands tell it. */
export function blockName({ number, slot, attempt }: Pick<Block, "number" | "slot" | "attempt">): string {
  return number < ATTEMPT_MULTIPLIER
    ? String(number)
    : t("ladder.attempt", { block: String(slot), attempt: attempt + 1 });
}
