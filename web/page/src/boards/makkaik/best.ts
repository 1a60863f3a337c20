/** The best meld of a hand with the public cards (docs/rules/makkaik.md, MA5). */
import { bestOf } from "~/boards/kamikisen/best";
import { readingsOf } from "~/boards/kamikisen/readings";
import { KamikisenForm } from "~/gen/fudaba/v1/kamikisen_pb";

const MAX_SET_CARDS = 3;

export interface Best {
  readonly form: KamikisenForm;
  readonly strength: number;
  readonly cards: number[];
}

export function bestMeld(hand: readonly number[], publicCards: readonly number[]): Best | undefined {
  const best = bestOf(hand, publicCards, MAX_SET_CARDS, true, (cards) => {
    const reading = readingsOf(cards).at(-1);
    return reading && [rankOf(reading.form, cards.length), reading.strength];
  });
  if (best === undefined) return undefined;
  const reading = readingsOf(best.cards).at(-1);
  return reading && { ...reading, cards: best.cards.sort((left, right) => left - right) };
}

/** A set of three, a run of three, a set of two, a single: the higher number is better. */
function rankOf(form: KamikisenForm, size: number): number {
  if (form === KamikisenForm.SET) return size === MAX_SET_CARDS ? 4 : 2;
  return form === KamikisenForm.RUN ? 3 : 1;
}
