/** Plays a deal to its end with simple rules of thumb, as if all hands were known; what a sample is worth. */
import type { Chance } from '../chance.js';
import { height, isHonour, MIGHTY, playable, powers, suitOf, winning, wouldWin, YOROMEKI } from './cards.js';
import type { Card, Suit } from './cards.js';

/** A deal with nothing hidden, from some moment of its tricks on. */
export interface World {
  /** The cards of each seat. */
  readonly hands: Card[][];
  /** The seat that leads, or has led, to the trick in progress, and its cards. */
  leader: number;
  trick: Card[];
  /** How many tricks are complete. */
  complete: number;
  /** Honours taken by Napoleon's side. */
  ours: number;
  readonly trump: Suit;
  /** How many honours were bid. */
  readonly bid: number;
  readonly napoleon: number;
  /** Napoleon's own seat when Napoleon plays alone. */
  readonly adjutant: number;
  /** The honours among the buried cards. */
  readonly buriedHonours: number;
  /** Whether Napoleon's side loses with all twenty honours without having bid them (option `sweep`). */
  readonly sweep: boolean;
}

export function copyOf(world: World): World {
  return { ...world, hands: world.hands.map((hand) => hand.slice()), trick: world.trick.slice() };
}

/** What a seat gets in the end: its score, and a little for each honour of its side, so that near misses differ. */
export function worthTo(seat: number, world: World): number {
  const took = world.ours;
  const swept = world.sweep && took + world.buriedHonours === 20 && world.bid < 20;
  const won = took >= world.bid && !swept;
  const alone = world.adjutant === world.napoleon;
  const side = seat === world.napoleon ? (alone ? 4 : 2) : seat === world.adjutant ? 1 : -1;
  return side * (won ? 1 : -1) + Math.sign(side) * 0.05 * (took - world.bid);
}

/** Plays a card for the seat whose turn it is. */
export function play(world: World, card: Card): void {
  const hand = world.hands[toPlay(world)] as Card[];
  hand.splice(hand.indexOf(card), 1);
  world.trick.push(card);
  if (world.trick.length < 5) return;
  const winner = (world.leader + winning(world.trick, world.trump, world.complete === 0)) % 5;
  const honours = world.trick.filter(isHonour).length;
  if (isOurs(world, winner)) world.ours += honours;
  world.leader = winner;
  world.trick = [];
  world.complete += 1;
}

export function toPlay(world: World): number {
  return (world.leader + world.trick.length) % 5;
}

function isOurs(world: World, seat: number): boolean {
  return seat === world.napoleon || seat === world.adjutant;
}

/** Plays on until the deal is over. */
export function playOut(world: World, chance: Chance): void {
  while (world.complete < 10) {
    const legal = playable(world.hands[toPlay(world)] as Card[], world.trick);
    if (legal.length === 1) play(world, legal[0] as Card);
    else play(world, world.trick.length === 0 ? lead(world, legal, chance) : follow(world, legal));
  }
}

/** A strong card, or now and then any. */
function lead(world: World, legal: readonly Card[], chance: Chance): Card {
  if (chance.below(4) === 0) return legal[chance.below(legal.length)] as Card;
  // Yoromeki wins nothing by itself, and honours that cannot win are presents.
  return most(legal, (card) => {
    if (card === YOROMEKI) return 0;
    const strength = powers(suitOf(card), world.trump)[card] as number;
    return strength >= 12 ? strength : isHonour(card) ? 0 : 6 - strength / 10;
  });
}

/** Wins with the cheapest card that does, gives honours to its own side, and throws away the rest. */
function follow(world: World, legal: readonly Card[]): Card {
  const { trick, trump } = world;
  const power = powers(suitOf(trick[0] as Card), trump);
  const first = world.complete === 0;
  const place = winning(trick, trump, first);
  const holder = trick[place] as Card;
  const friendly = isOurs(world, (world.leader + place) % 5) === isOurs(world, toPlay(world));
  const last = trick.length === 4;
  const waste = (card: Card): number => -(power[card] as number) - (suitOf(card) === trump ? 5 : 0);
  if (friendly && (last || (power[holder] as number) >= 30 || (holder === YOROMEKI && trick.includes(MIGHTY)))) {
    return most(legal, (card) => (isHonour(card) ? 50 : 0) + waste(card));
  }
  if (!friendly && (last || trick.some(isHonour))) {
    const winners = legal.filter((card) => wouldWin(card, trick, holder, trump, first));
    // The last player needs no more than what wins; before that a strong card is safer.
    const cheap = (card: Card): number => (isHonour(card) ? 1 : 0) - (power[card] as number);
    if (winners.length > 0) return most(winners, last ? cheap : (card) => power[card] as number);
  }
  return most(legal, (card) => (isHonour(card) ? -30 : 0) + waste(card) - height(card) / 20);
}

function most(cards: readonly Card[], worth: (card: Card) => number): Card {
  let best = cards[0] as Card;
  let highest = -Infinity;
  for (const card of cards) {
    const value = worth(card);
    if (value > highest) {
      best = card;
      highest = value;
    }
  }
  return best;
}
