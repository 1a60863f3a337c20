/** What a hand of Naga makes (rules N6, N8): its category, moons at their best. Who wins a battle is the service's word. */
import { MOON, attributeOf, numberOf } from "~/boards/naga/names";
import { type MessageKey, t } from "~/i18n";

/** From the least to the best. */
const CATEGORIES: readonly MessageKey[] = [
  "naga.nothing",
  "naga.onePair",
  "naga.twoPair",
  "naga.three",
  "naga.straight",
  "naga.flush",
  "naga.fullHouse",
  "naga.four",
  "naga.straightFlush",
  "naga.five",
];
const STRAIGHT_KIND = 4;
const FLUSH_KIND = 5;
const STRAIGHT_FLUSH_KIND = 8;

/** The category of four cards, or of five: 0 nothing to 9 five of a kind, in the rules' order. */
export function categoryOf(cards: readonly number[]): number {
  const real = cards.filter((card) => attributeOf(card) !== MOON);
  const best = bestOfNumbers(real.map(numberOf), cards.length - real.length);
  if (new Set(real.map(attributeOf)).size > 1) return best;
  return best === STRAIGHT_KIND && cards.length === 5 ? STRAIGHT_FLUSH_KIND : Math.max(best, FLUSH_KIND);
}

/** The category in words; empty where the cards are no whole hand. */
export function categoryName(cards: readonly number[]): string {
  const whole = cards.length === 4 || cards.length === 5;
  return whole ? t(CATEGORIES[categoryOf(cards)] ?? "naga.nothing") : "";
}

function bestOfNumbers(numbers: readonly number[], moons: number): number {
  if (moons === 0) return ofNumbers(numbers);
  const meant = [1, 2, 3, 4, 5, 6, 7].map((number) => bestOfNumbers([...numbers, number], moons - 1));
  return Math.max(...meant);
}

function ofNumbers(numbers: readonly number[]): number {
  const counts = [...new Set(numbers)].map((value) => numbers.filter((other) => other === value).length);
  counts.sort((left, right) => right - left);
  const [most = 0, next = 0] = counts;
  if (most === 1) return Math.max(...numbers) - Math.min(...numbers) === numbers.length - 1 ? STRAIGHT_KIND : 0;
  if (most === 2) return next === 2 ? 2 : 1;
  if (most === 3) return next === 2 ? 6 : 3;
  return most === 4 ? 7 : 9;
}
