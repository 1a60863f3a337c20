/** What a hand of Naga is worth, by the rule page (CatalogService.GetGame), N6 to N9. */
import { attribute, CORSELTEL, ILBECK, number, TRUMP, type Card } from './cards.js';

/** The categories; the greater is the better one. Hands of four and of five have the same order of those they share. */
const enum Category {
  Nothing, OnePair, TwoPair, Three, Straight, Flush, FullHouse, Four, StraightFlush, Five,
}

const NO_MOON = 0;
const AS_ILBECK = 1;
const AS_CORSELTEL = 2;
const DIGIT = 64;

/**
 * The value of a hand of four cards, or of five at Eltam, the table's cards included: the greater is the better hand,
 * equal values tie. Values compare between hands of as many cards at the same place.
 */
export function handValue(cards: readonly Card[], place: number): number {
  const real = cards.filter((card) => card < ILBECK);
  const moons = cards.filter((card) => card >= ILBECK);
  const held = real.map((card) => new Held(card, NO_MOON, place));
  if (moons.length === 0) return valueOf(held);
  // The rules give moons the best meaning. Only two attributes can be the best: the trump, and that of a flush.
  const attributes = new Set([TRUMP[place] as number, ...real.map(attribute).slice(0, 1)]);
  let best = -1;
  const assign = (moon: number, hand: Held[]): void => {
    if (moon === moons.length) {
      best = Math.max(best, valueOf(hand));
      return;
    }
    const kind = moons[moon] === CORSELTEL ? AS_CORSELTEL : AS_ILBECK;
    for (const one of attributes) {
      for (let n = 0; n < 7; n += 1) assign(moon + 1, [...hand, new Held(7 * one + n, kind, place)]);
    }
  };
  assign(0, held);
  return best;
}

/** A card of a hand, or what a moon stands for. */
class Held {
  readonly attribute: number;
  readonly number: number;
  /** N7: trump, heaven, ground; then the number; a moon just above the card that it stands for (N8). */
  readonly strength: number;

  constructor(card: Card, moon: number, place: number) {
    this.attribute = attribute(card);
    this.number = number(card);
    const tier = this.attribute === TRUMP[place] ? 2 : this.attribute < 2 ? 1 : 0;
    this.strength = (tier * 7 + this.number) * 3 + moon;
  }
}

function valueOf(hand: readonly Held[]): number {
  const counts = new Uint8Array(7);
  for (const { number: n } of hand) counts[n]! += 1;
  // The numbers that are there, the most frequent first, then the higher.
  const groups = [6, 5, 4, 3, 2, 1, 0].filter((n) => counts[n]).sort((a, b) => counts[b]! - counts[a]!);
  const most = counts[groups[0]!]!;
  const second = groups.length > 1 ? counts[groups[1]!]! : 0;
  const flush = hand.every((card) => card.attribute === hand[0]?.attribute);
  const straight = most === 1 && groups[0]! - groups[groups.length - 1]! === hand.length - 1;
  const group = (place: number): Held[] => hand.filter((card) => card.number === groups[place]);

  if (most === 5) return value(Category.Five, [hand]);
  if (flush && straight && hand.length === 5) return value(Category.StraightFlush, [hand]);
  if (most === 4) return value(Category.Four, [group(0)]);
  if (most === 3 && second === 2) return value(Category.FullHouse, [group(0), group(1)]);
  if (flush) return value(Category.Flush, [hand]);
  if (straight) return value(Category.Straight, [hand]);
  if (most === 3) return value(Category.Three, [group(0)]);
  if (second === 2) return value(Category.TwoPair, [group(0), group(1)]);
  if (most === 2) return value(Category.OnePair, [group(0)]);
  const strongest = hand.reduce((a, b) => (a.strength >= b.strength ? a : b));
  return value(Category.Nothing, [[strongest]]);
}

/** The category, then the forming cards of each group, strongest first, as digits of one number (below 2^34). */
function value(category: Category, groups: readonly (readonly Held[])[]): number {
  let total: number = category;
  let digits = 0;
  for (const group of groups) {
    for (const strength of group.map((card) => card.strength).sort((a, b) => b - a)) {
      total = total * DIGIT + strength;
      digits += 1;
    }
  }
  return total * DIGIT ** (5 - digits);
}
