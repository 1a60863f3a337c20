/**
 * A sensible way to play Naga. It samples what it cannot see: the opponent's five cards, and the cards to come. For
 * each choice it counts how often it would win this battle against the opponent's best hand, and how much the two cards
 * that it keeps would then be worth in a coming battle, and at Eltam, whose three cards count most.
 */
import { Chance } from '../chance.js';
import type { Question } from '../games.js';
import type { NagaView__Output as NagaView } from '../gen/fudaba/v1/NagaView.js';
import { cardsOf, ELTAM, placeOf, tableOf, type Card } from './cards.js';
import { handValue } from './hands.js';

/** So many samples are enough. */
const SAMPLES = 24;
/** How much more Eltam counts than a single card, and what is left of a card's worth for it with each battle before. */
const ELTAM_WORTH = 3;
const KEPT = 0.7;

/** What a view tells. */
interface Position {
  readonly view: NagaView;
  readonly place: number;
  readonly table: Card[][];
  readonly hand: Card[];
  readonly unseen: Card[];
}

export function choose({ decision, hasTime }: Question): number {
  const view = decision.view?.naga;
  if (!view) throw new Error('a decision of Naga without a view of Naga');
  const position = positionOf(view);
  const moves = decision.legal_moves.map(({ naga }) => naga);
  const chance = new Chance(JSON.stringify([view.hand, view.table, view.discarded, view.place]));
  const sample = position.place
    ? commitSampler(position, moves.map((move) => cardsOf(move?.commit?.cards ?? [])))
    : designateSampler(position, moves.map((move) => placeOf(move?.designate?.place ?? 'NAGA_PLACE_UNSPECIFIED')));
  const worth: number[] = moves.map(() => 0);
  for (let count = 0; count < SAMPLES && hasTime(); count += 1) {
    sample(chance).forEach((one, move) => (worth[move] = (worth[move] as number) + one));
  }
  return worth.indexOf(Math.max(...worth));
}

export function positionOf(view: NagaView): Position {
  const table = tableOf(view.table);
  const hand = cardsOf(view.hand);
  const seen = new Set([...table.flat(), ...hand, ...cardsOf(view.discarded)]);
  for (const { cards } of view.won) cardsOf(cards).forEach((card) => seen.add(card));
  const unseen = Array.from({ length: 51 }, (_, card) => card).filter((card) => !seen.has(card));
  return { view, place: placeOf(view.place), table, hand, unseen };
}

/** What each move is worth in one sample of what is hidden. */
type Sampler = (chance: Chance) => number[];

/** At each place: who would win there with the best of five cards each. */
function designateSampler({ table, hand, unseen }: Position, places: readonly number[]): Sampler {
  const own = places.map((place) => best(hand, 3, table[place] ?? [], place));
  return (chance) => {
    const theirs = chance.draw(unseen, 5);
    return places.map((place, move) => sign((own[move] as number) - best(theirs, 3, table[place] ?? [], place)));
  };
}

function commitSampler({ view, place, table, hand, unseen }: Position, choices: readonly Card[][]): Sampler {
  const prize = table[place] ?? [];
  const values = choices.map((cards) => handValue([...cards, ...prize], place));
  const kept = choices.map((cards) => hand.filter((card) => !cards.includes(card)));
  if (place === ELTAM) {
    return (chance) => {
      const theirs = best(chance.draw(unseen, 3), 2, prize, ELTAM);
      return values.map((value) => sign(value - theirs));
    };
  }
  const others = [1, 2, 3, 5, 6, 7].filter((other) => other !== place && table[other]?.length);
  const eltam = ELTAM_WORTH * KEPT ** (5 - view.battle);
  return (chance) => {
    const now = best(chance.draw(unseen, 5), 3, prize, place);
    const worth = values.map((value) => sign(value - now));
    const coming = (at: number, weight: number, size: number, refill: number): void => {
      const drawn = chance.draw(unseen, refill + 2 + refill);
      const against = best(drawn.slice(refill), size, table[at] ?? [], at);
      kept.forEach((cards, move) => {
        const mine = best([...cards, ...drawn.slice(0, refill)], size, table[at] ?? [], at);
        worth[move] = (worth[move] as number) + weight * sign(mine - against);
      });
    };
    const next = others[chance.below(others.length)];
    if (next !== undefined) coming(next, 1, 3, 3);
    coming(ELTAM, eltam, 2, 1);
    return worth;
  };
}

/** The value of the best hand that `size` of some cards make with a prize. */
function best(cards: readonly Card[], size: number, prize: readonly Card[], place: number): number {
  let most = -1;
  const choose = (from: number, chosen: readonly Card[]): void => {
    if (chosen.length === size + prize.length) {
      most = Math.max(most, handValue(chosen, place));
      return;
    }
    for (let i = from; i < cards.length; i += 1) choose(i + 1, [...chosen, cards[i] as Card]);
  };
  choose(0, prize);
  return most;
}

function sign(difference: number): number {
  return Math.sign(difference);
}
