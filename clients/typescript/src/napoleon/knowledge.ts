/** What a seat knows of a deal of Napoleon, and deals by chance that agree with it. */
import type { Chance } from '../chance.js';
import type { NapoleonView__Output as NapoleonView } from '../gen/fudaba/v1/NapoleonView.js';
import { cardsOf, isHonour, suitOf, trumpOf, type Card, type Suit } from './cards.js';
import type { World } from './playout.js';

export interface Knowledge {
  readonly seat: number;
  readonly view: NapoleonView;
  readonly hand: Card[];
  /** What is in no place known to this seat. */
  readonly unseen: Card[];
  readonly trick: Card[];
  /** How many cards each seat holds. */
  readonly holds: number[];
  /** The suits that each seat is known not to have. */
  readonly voids: Set<Suit>[];
  /** Whether Napoleon's side loses with all twenty honours without having bid them (option `sweep`). */
  readonly sweep: boolean;
}

/** What a view tells the seat whose turn it is. */
export function knowledgeOf(view: NapoleonView, seat: number, sweep: boolean): Knowledge {
  const hand = cardsOf(view.hand);
  const trick = cardsOf(view.trick);
  const played = cardsOf(view.tricks);
  const seen = new Set([...hand, ...trick, ...played, ...cardsOf(view.buried)]);
  const holds = [10, 10, 10, 10, 10].map((ten) => ten - view.winners.length);
  const voids = holds.map(() => new Set<Suit>());
  const watch = (cards: readonly Card[], leader: number): void => {
    cards.forEach((card, place) => {
      const led = suitOf(cards[0] as Card);
      if (suitOf(card) !== led) voids[(leader + place) % 5]?.add(led);
    });
  };
  view.winners.forEach((_, number) => {
    const leader = number === 0 ? view.napoleon : view.winners[number - 1];
    watch(played.slice(5 * number, 5 * number + 5), leader ?? 0);
  });
  watch(trick, view.leader ?? 0);
  trick.forEach((_, place) => {
    const player = ((view.leader ?? 0) + place) % 5;
    holds[player] = (holds[player] as number) - 1;
  });
  const unseen = Array.from({ length: 52 }, (_, card) => card).filter((card) => !seen.has(card));
  return { seat, view, hand, unseen, trick, holds, voids, sweep };
}

/** Gives the unseen cards to the others by chance; what is left over is buried, or the widow. */
export function dealHidden(known: Knowledge, chance: Chance): { hands: Card[][]; rest: Card[] } {
  const { seat, unseen, holds, voids, hand } = known;
  const others = [0, 1, 2, 3, 4].filter((one) => one !== seat);
  for (let attempt = 0; ; attempt += 1) {
    const cards = chance.draw(unseen, unseen.length);
    // What is known of suits that a seat does not have is forgotten when no deal is found that agrees with it.
    const may = (card: Card, one: number): boolean => attempt >= 8 || !voids[one]?.has(suitOf(card));
    const choices = (card: Card): number => others.filter((one) => may(card, one)).length;
    // Cards that few may hold are given first.
    const order = cards.map((card) => [choices(card), card] as const).sort((a, b) => a[0] - b[0]);
    const hands = holds.map((_, one) => (one === seat ? hand.slice() : ([] as Card[])));
    const room = holds.map((count, one) => (one === seat ? 0 : count));
    let spare = cards.length - room.reduce((sum, count) => sum + count, 0);
    const rest: Card[] = [];
    for (const [, card] of order) {
      const open = others.filter((one) => (room[one] as number) > 0 && may(card, one));
      let pick = chance.below(open.reduce((sum, one) => sum + (room[one] as number), spare) || 1);
      const taker = open.find((one) => (pick -= room[one] as number) < 0);
      if (taker !== undefined) {
        hands[taker]?.push(card);
        room[taker] = (room[taker] as number) - 1;
      } else if (spare > 0) {
        rest.push(card);
        spare -= 1;
      } else break;
    }
    if (room.every((count) => count === 0)) return { hands, rest };
  }
}

/** A world that agrees with what is known, from the tricks on. */
export function worldOf(known: Knowledge, chance: Chance): World {
  const { view, sweep } = known;
  const { hands, rest } = dealHidden(known, chance);
  const napoleon = view.napoleon ?? known.seat;
  const [named] = view.named === 'NAPOLEON_CARD_UNSPECIFIED' ? [] : cardsOf([view.named]);
  let adjutant = view.adjutant ?? napoleon;
  if (view.adjutant === undefined && named !== undefined) {
    const holder = hands.findIndex((cards) => cards.includes(named));
    if (holder >= 0) adjutant = holder;
  }
  const side = (one: number): boolean => one === napoleon || one === adjutant;
  const ours = view.honours.reduce((sum, count, one) => sum + (side(one) ? count : 0), 0);
  const buried = view.buried.length > 0 ? cardsOf(view.buried) : rest;
  return {
    hands,
    leader: view.leader ?? napoleon,
    trick: known.trick.slice(),
    complete: view.winners.length,
    ours,
    trump: trumpOf(view.trump),
    bid: view.number,
    napoleon,
    adjutant,
    buriedHonours: buried.filter(isHonour).length,
    sweep,
  };
}
