/**
 * A sensible way to play Napoleon: deals the hidden cards by chance as the view allows, tries each choice in each of
 * these deals, plays them out by rules of thumb, and takes what did best. Keeps nothing from one decision to the next.
 */
import { Chance } from '../chance.js';
import type { Question } from '../games.js';
import type { NapoleonMove__Output as NapoleonMove } from '../gen/fudaba/v1/NapoleonMove.js';
import { cardsOf, height, isHonour, leftJack, MIGHTY, NO_TRUMP, powers, rightJack } from './cards.js';
import { suitOf, trumpOf, YOROMEKI } from './cards.js';
import type { Card, Suit } from './cards.js';
import { dealHidden, knowledgeOf, worldOf, type Knowledge } from './knowledge.js';
import { copyOf, play, playOut, worthTo, type World } from './playout.js';

/** So many samples are enough. */
const SAMPLES = 120;
/** A bid has to promise so much: what comes of approving is not nothing, and the rules of thumb see all cards. */
const BID_FROM = 0.5;
/** So many of the cards that are least worth keeping are thought of for burying. */
const BURY_FROM = 5;

/** Tries choices in one sample; gives what each is worth, in their order. */
type Trial = (chance: Chance) => number[];

export function choose({ decision, seat, options, hasTime }: Question): number {
  const view = decision.view?.napoleon;
  if (!view) throw new Error('a decision of Napoleon without a view of Napoleon');
  const moves = decision.legal_moves.map(({ napoleon }) => napoleon as NapoleonMove);
  // `specials` and `off`, the other values of the option, hardly change what is best.
  const known = knowledgeOf(view, seat, (options['sweep']?.choice ?? 'honours') === 'honours');
  const chance = new Chance(JSON.stringify([view.hand, view.calls, view.tricks, view.trick, view.deal]));
  const average = (choices: number, trial: Trial): number[] => averages(choices, trial, chance, hasTime);
  switch (view.phase) {
    case 'NAPOLEON_PHASE_AUCTION':
      return bid(known, moves, average);
    case 'NAPOLEON_PHASE_EXCHANGE':
      return bury(known, moves, average);
    case 'NAPOLEON_PHASE_NAMING':
      return name(known, moves, average);
    default:
      return playCard(known, moves, average);
  }
}

type Average = (choices: number, trial: Trial) => number[];

function averages(choices: number, trial: Trial, chance: Chance, hasTime: () => boolean): number[] {
  const sums: number[] = Array.from({ length: choices }, () => 0);
  let count = 0;
  while (choices > 1 && count < SAMPLES && hasTime()) {
    trial(chance).forEach((one, choice) => (sums[choice] = (sums[choice] as number) + one));
    count += 1;
  }
  return sums.map((sum) => (count > 0 ? sum / count : 0));
}

function best(values: readonly number[]): number {
  return values.indexOf(Math.max(...values));
}

// The auction

/** The lowest bid in each suit, and what it would come to: with the widow, the burying and the naming of a beginner. */
function bid(known: Knowledge, moves: readonly NapoleonMove[], average: Average): number {
  const lowest = new Map<Suit, number>();
  moves.forEach((move, index) => {
    if (!move.bid) return;
    const suit = trumpOf(move.bid.suit);
    if (!lowest.has(suit)) lowest.set(suit, index);
  });
  const places = [...lowest.values()];
  if (places.length === 0) return 0;
  // A choice more than there are bids, so that a single one is tried, too.
  const values = average(places.length + 1, (chance) => {
    const { hands, rest } = dealHidden(known, chance);
    const worlds = places.map((place) => {
      const { number, suit } = moves[place]?.bid ?? { number: 13, suit: 'NAPOLEON_SUIT_CLUBS' as const };
      return asNapoleon(known.seat, hands, rest, trumpOf(suit), number);
    });
    return [...worlds.map((world) => (playOut(world, chance), worthTo(known.seat, world))), 0];
  }).slice(0, places.length);
  const place = places[best(values)] as number;
  return moves[0]?.approve && Math.max(...values) < BID_FROM ? 0 : place;
}

/** The deal in which a seat is Napoleon and has done what is obvious until the first trick. It will avoid a sweep. */
function asNapoleon(seat: number, dealt: Card[][], widow: Card[], trump: Suit, number: number): World {
  const hands = dealt.map((cards) => cards.slice());
  const twelve = [...(hands[seat] as Card[]), ...widow].sort((a, b) => keeping(b, trump) - keeping(a, trump));
  hands[seat] = twelve.slice(0, 10);
  const named = wishes(trump).find((card) => !twelve.includes(card)) ?? (twelve[0] as Card);
  return {
    hands, leader: seat, trick: [], complete: 0, ours: 0, trump, bid: number, napoleon: seat,
    adjutant: holder(hands, named, seat), buriedHonours: 0, sweep: false,
  };
}

function holder(hands: readonly Card[][], card: Card, otherwise: number): number {
  const found = hands.findIndex((cards) => cards.includes(card));
  return found < 0 ? otherwise : found;
}

/** How much a card is worth keeping, for Napoleon. */
function keeping(card: Card, trump: Suit): number {
  const strength = powers(suitOf(card), trump)[card] as number;
  return strength + (card === YOROMEKI ? 6 : 0) + (isHonour(card) ? 4 : 0) + (height(card) === 13 ? 8 : 0);
}

/** The cards that Napoleon would like an adjutant to have, the best first. */
function wishes(trump: Suit): Card[] {
  const aces = [0, 1, 2, 3].map((suit) => 13 * suit);
  if (trump === NO_TRUMP) return [MIGHTY, ...aces, ...aces.map((ace) => ace + 12)];
  return [MIGHTY, rightJack(trump), leftJack(trump), 13 * trump, 13 * trump + 12, ...aces];
}

// Napoleon

function bury(known: Knowledge, moves: readonly NapoleonMove[], average: Average): number {
  const trump = trumpOf(known.view.trump);
  const worst = known.hand.slice().sort((a, b) => keeping(a, trump) - keeping(b, trump)).slice(0, BURY_FROM);
  const pairs = moves.flatMap((move, index) => {
    const cards = cardsOf(move.bury?.cards ?? []);
    return cards.every((card) => worst.includes(card)) ? [{ index, cards }] : [];
  });
  const named = wishes(trump).find((card) => !known.hand.includes(card));
  const values = average(pairs.length, (chance) => {
    const world = worldOf(known, chance);
    return pairs.map(({ cards }) => {
      const hands = world.hands.map((hand) => hand.filter((card) => !cards.includes(card)));
      const adjutant = named === undefined ? known.seat : holder(hands, named, known.seat);
      const one = { ...world, hands, trick: [], adjutant, buriedHonours: cards.filter(isHonour).length };
      playOut(one, chance);
      return worthTo(known.seat, one);
    });
  });
  return pairs[best(values)]?.index ?? 0;
}

function name(known: Knowledge, moves: readonly NapoleonMove[], average: Average): number {
  const own = new Set([...known.hand, ...cardsOf(known.view.buried)]);
  const wanted = wishes(trumpOf(known.view.trump)).filter((card) => !own.has(card));
  const choices = moves.flatMap((move, index) => {
    const [card] = move.name ? cardsOf([move.name.card]) : [];
    return card !== undefined && wanted.includes(card) ? [{ index, card }] : [];
  });
  const values = average(choices.length, (chance) => {
    const world = worldOf(known, chance);
    return choices.map(({ card }) => {
      const one = { ...copyOf(world), adjutant: holder(world.hands, card, known.seat) };
      playOut(one, chance);
      return worthTo(known.seat, one);
    });
  });
  return choices[best(values)]?.index ?? 0;
}

// The tricks

function playCard(known: Knowledge, moves: readonly NapoleonMove[], average: Average): number {
  const cards = moves.map((move) => (move.play ? (cardsOf([move.play.card])[0] as Card) : -1));
  const values = average(cards.length, (chance) => {
    const world = worldOf(known, chance);
    return cards.map((card) => {
      const one = copyOf(world);
      play(one, card);
      playOut(one, chance);
      return worthTo(known.seat, one);
    });
  });
  return best(values);
}

