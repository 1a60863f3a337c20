/** Napoleon's cards as numbers, and who wins a trick. By the rule page (CatalogService.GetGame) of `napoleon`. */
import type { NapoleonCard__Output as NapoleonCard } from '../gen/fudaba/v1/NapoleonCard.js';
import type { NapoleonSuit__Output as NapoleonSuit } from '../gen/fudaba/v1/NapoleonSuit.js';

/** A card, 0 to 51: 13 times the suit (clubs, diamonds, hearts, spades) plus the rank (0 ace, 1 two, ... 12 king). */
export type Card = number;
/** A suit, 0 to 3; as a trump also `NO_TRUMP`. */
export type Suit = number;

export const NO_TRUMP: Suit = 4;
const RANKS = 'A23456789TJQK';
const SUITS = 'CDHS';
const TEXTS = [...SUITS].flatMap((suit) => [...RANKS].map((rank) => rank + suit));
const CARDS = new Map(TEXTS.map((text, card) => [text, card]));
const TRUMPS = ['CLUBS', 'DIAMONDS', 'HEARTS', 'SPADES', 'NO_TRUMP'];

/** The card of a text such as `QH`. */
export function cardOf(text: string): Card {
  const card = CARDS.get(text);
  if (card === undefined) throw new Error(`${text} is not a card of Napoleon`);
  return card;
}

/** The cards of a message. */
export function cardsOf(names: readonly NapoleonCard[]): Card[] {
  return names.map((name) => cardOf(name.slice('NAPOLEON_CARD_'.length)));
}

/** The trump of a message; -1 when there is none yet. */
export function trumpOf(name: NapoleonSuit): Suit {
  return TRUMPS.indexOf(name.slice('NAPOLEON_SUIT_'.length));
}

export const MIGHTY = cardOf('AS');
export const YOROMEKI = cardOf('QH');
const JACK = RANKS.indexOf('J');
const TWO = RANKS.indexOf('2');

export function suitOf(card: Card): Suit {
  return Math.floor(card / 13);
}

/** Whether it is one of the twenty cards that count: 10 J Q K A. */
export function isHonour(card: Card): boolean {
  const rank = card % 13;
  return rank === 0 || rank >= 9;
}

/** The height of a card in its suit, 1 to 13; the ace is high. */
export function height(card: Card): number {
  return card % 13 || 13;
}

/** The jack of trumps; -1 without a trump. */
export function rightJack(trump: Suit): Card {
  return trump === NO_TRUMP ? -1 : 13 * trump + JACK;
}

/** The other jack of the trump's colour; -1 without a trump. */
export function leftJack(trump: Suit): Card {
  return trump === NO_TRUMP ? -1 : 13 * (3 - trump) + JACK;
}

function powerOf(card: Card, led: Suit, trump: Suit): number {
  if (card === MIGHTY) return 100;
  if (card === rightJack(trump)) return 90;
  if (card === leftJack(trump)) return 80;
  const suit = suitOf(card);
  if (suit === trump) return 20 + height(card);
  return suit === led ? height(card) : 0;
}

const POWERS = [0, 1, 2, 3, 4].map((trump) =>
  [0, 1, 2, 3].map((led) => Array.from({ length: 52 }, (_, card) => powerOf(card, led, trump))));

/** How strong each card is in a trick to which `led` was led, Yoromeki and Same two aside; 0 when it cannot win. */
export function powers(led: Suit, trump: Suit): readonly number[] {
  return POWERS[trump]?.[led] as number[];
}

/** Which card of a trick is winning so far: its place in the order of play. `first`: the first trick of the deal. */
export function winning(trick: readonly Card[], trump: Suit, first: boolean): number {
  const led = suitOf(trick[0] as Card);
  const power = powers(led, trump);
  let best = 0;
  for (let place = 1; place < trick.length; place += 1) {
    if ((power[trick[place] as Card] as number) > (power[trick[best] as Card] as number)) best = place;
  }
  if (trick[best] === MIGHTY) {
    const yoromeki = trick.indexOf(YOROMEKI);
    return yoromeki >= 0 ? yoromeki : best;
  }
  // Same two: below the jacks, above everything else.
  if (trick.length === 5 && !first && (power[trick[best] as Card] as number) < 80) {
    const two = trick.indexOf(13 * led + TWO);
    if (two >= 0 && trick.every((card) => suitOf(card) === led)) return two;
  }
  return best;
}

/** Whether a card that is played now, to a trick whose winning card is `holder`, would be winning. */
export function wouldWin(card: Card, trick: readonly Card[], holder: Card, trump: Suit, first: boolean): boolean {
  if (trick.length === 4) return winning([...trick, card], trump, first) === 4; // Same two is judged now
  if (trick.includes(MIGHTY)) return card === YOROMEKI;
  if (card === MIGHTY) return !trick.includes(YOROMEKI);
  const power = powers(suitOf(trick[0] as Card), trump);
  return (power[card] as number) > (power[holder] as number);
}

/** The cards of a hand that may be played: of the suit led, if there is one. */
export function playable(hand: readonly Card[], trick: readonly Card[]): readonly Card[] {
  if (trick.length === 0) return hand;
  const from = 13 * suitOf(trick[0] as Card);
  const following = hand.filter((card) => card >= from && card < from + 13);
  return following.length > 0 ? following : hand;
}
