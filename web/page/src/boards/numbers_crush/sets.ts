/**
 * The sets that some cards make, all of them (rules C4, C5, C11.4). The service lists 2,000 legal moves at most, and a
 * large hand has a million: so what the pointed cards can be is found here. Cards and faces are the contract's numbers.
 */
import { rankOf, suitOf } from "~/cards/french_names";
import type { Limits } from "~/boards/numbers_crush/limits";

/** A set, laid from the bottom to the top. */
export interface CardSet {
  readonly cards: readonly number[];
  /** What each of them stands for. */
  readonly faces: readonly number[];
  /** The suit that a 9 names, 0 to 3; -1 where none does. */
  readonly suit: number;
}

/** In which way cards may be set: in any order, on a carrier, as a run, alone by suit. */
type Way = "any" | "carried" | "run" | "suited";

const JOKER = 53;
const ANY = 54;
const FIVE = 5;
const NINE = 9;
const TEN = 10;
const JACK = 11;
export const NUMBERS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13];
const ALL_SUITS = [0, 1, 2, 3];

export function isJoker(card: number): boolean {
  return card === JOKER || card === JOKER + 1;
}

/** The number of a face, 1 to 13; 0 of a declared joker. */
export function numberOfFace(face: number): number {
  return face > ANY ? face - ANY : rankOf(face);
}

/** The number of a role card that counts as `number`: a real 10 is one in any case; 0 of a plain card. */
export function roleOf(card: number, number: number): number {
  if (!isJoker(card) && rankOf(card) === TEN) return TEN;
  return number >= FIVE ? number : 0;
}

/** Every legal set of exactly these cards. */
export function setsOf(cards: readonly number[], limits: Limits): CardSet[] {
  const sorted = [...cards].sort((left, right) => left - right);
  const real = sorted.filter((card) => !isJoker(card));
  const jokers = sorted.length - real.length;
  const found: CardSet[] = [];
  if (sorted.length === 1 && jokers === 1 && limits.joker) found.push({ cards: sorted, faces: sorted, suit: -1 });
  if (sorted.length === 0) return found;
  for (const numbers of realNumbers(real)) {
    for (const meant of jokerNumbers(jokers)) {
      const all = [...numbers, ...meant];
      const way = wayOf(sorted, all, limits);
      if (way !== undefined) found.push(...arranged(sorted, all, way.way, way.suits, limits));
    }
  }
  return found;
}

/** The numbers that a card can count as: a 10 is also an ace, a joker anything. */
export function numbersOf(card: number): readonly number[] {
  if (isJoker(card)) return NUMBERS;
  return rankOf(card) === TEN ? [TEN, 1] : [rankOf(card)];
}

/** The numbers that cards, none of them a joker, can count as together. */
export function realNumbers(cards: readonly number[]): number[][] {
  let ways: number[][] = [[]];
  for (const card of cards) {
    ways = ways.flatMap((way) => numbersOf(card).map((value) => [...way, value]));
  }
  return ways;
}

/** The numbers that so many jokers can count as, the lower one first. */
function jokerNumbers(count: number): number[][] {
  if (count === 0) return [[]];
  if (count === 1) return NUMBERS.map((number) => [number]);
  return NUMBERS.flatMap((low) => NUMBERS.filter((high) => high >= low).map((high) => [low, high]));
}

/** In which way cards that count as some numbers may be set, and the suits that a joker on top may have. */
function wayOf(cards: readonly number[], numbers: readonly number[], limits: Limits) {
  const real = cards.filter((card) => !isJoker(card));
  const size = cards.length;
  const [first = 0] = numbers;
  const anyOrder = { way: "any" as Way, suits: ALL_SUITS };
  if (limits.onlyJoker) return size === 1 && real.length === 0 ? anyOrder : undefined;
  if (!real.every(limits.allows)) return undefined;
  const equal = numbers.every((number) => number === first);
  const carries = limits.suit >= 0 && (real.length < size || real.some((card) => suitOf(card) === limits.suit));
  if ((equal && limits.groups.includes(first)) || (size === 1 && limits.anySingle)) return anyOrder;
  if (size === 1) return carries ? { way: "suited" as Way, suits: [limits.suit] } : undefined;
  if (limits.target > 0 && numbers.reduce((sum, number) => sum + number, 0) === limits.target) return anyOrder;
  if (equal) return carries ? { way: "carried" as Way, suits: ALL_SUITS } : undefined;
  if (!inRow(numbers)) return undefined;
  const lanes = limits.lanes.filter((lane) => real.every((card) => lane.includes(suitOf(card))));
  // In a bind suits mix, and a joker may have any; else it has the run's.
  const suits = ALL_SUITS.filter((suit) => lanes.some((lane) => lane.length > 1 || lane.includes(suit)));
  return lanes.length > 0 ? { way: "run" as Way, suits } : undefined;
}

function inRow(numbers: readonly number[]): boolean {
  return new Set(numbers).size === numbers.length && Math.max(...numbers) - Math.min(...numbers) === numbers.length - 1;
}

/** One set for each base and effect that the cards can have. Jokers come last, by their numbers. */
function arranged(
  cards: readonly number[],
  numbers: readonly number[],
  way: Way,
  suits: readonly number[],
  limits: Limits,
): CardSet[] {
  const places = cards.map((_, place) => place);
  if (cards.length === 1) return laid(cards, numbers, places, undefined, suits);
  const number = (place: number) => numbers[place] ?? 0;
  const low = Math.min(...numbers);
  const ends = inRow(numbers) ? [low, Math.max(...numbers)] : [];
  const found: CardSet[] = [];
  for (const top of places) {
    if (ends.includes(number(top))) {
      const falls = number(top) === low;
      const order = places.toSorted((left, right) => (number(left) - number(right)) * (falls ? -1 : 1));
      found.push(...laid(cards, numbers, order, undefined, suits));
      continue;
    }
    if (way === "run" || sameJokers(cards, numbers, top)) continue;
    const rest = below(cards, top, way, limits);
    if (rest === undefined) continue;
    for (const { place, colour } of rolesUnder(cards, numbers, top)) {
      const order = place === undefined ? [...rest, top] : [...rest.filter((other) => other !== place), place, top];
      found.push(...laid(cards, numbers, order, colour, suits));
    }
  }
  return found;
}

/** Whether the second joker is on top and the first stands for the same: then it may as well be the first. */
function sameJokers(cards: readonly number[], numbers: readonly number[], top: number): boolean {
  return cards[top] === JOKER + 1 && cards[top - 1] === JOKER && numbers[top - 1] === numbers[top];
}

/** The places under the one on top, the carrier first where one is needed; undefined where there is none. */
function below(cards: readonly number[], top: number, way: Way, limits: Limits): number[] | undefined {
  const rest = cards.map((_, place) => place).filter((place) => place !== top);
  if (way !== "carried") return rest;
  const carrier = rest.find((place) => isJoker(cards[place] ?? 0) || suitOf(cards[place] ?? 0) === limits.suit);
  return carrier === undefined ? undefined : [carrier, ...rest.filter((place) => place !== carrier)];
}

interface Role {
  readonly place: number | undefined;
  /** Of a joker as a J: the suit that gives the bind its colour. */
  readonly colour: number | undefined;
}
const NO_ROLE: readonly Role[] = [{ place: undefined, colour: undefined }];
const COLOURS = [0, 1]; // clubs for black, diamonds for red

/** The role cards that may be the topmost one under the card on top, one for each effect. */
function rolesUnder(cards: readonly number[], numbers: readonly number[], top: number): readonly Role[] {
  if (roleOf(cards[top] ?? 0, numbers[top] ?? 0) > 0) return NO_ROLE;
  const found: Role[] = [];
  const seen = new Set<number>();
  cards.forEach((card, place) => {
    const role = place === top ? 0 : roleOf(card, numbers[place] ?? 0);
    if (role === 0 || seen.has(role)) return;
    seen.add(role);
    if (role === JACK && isJoker(card)) found.push(...COLOURS.map((colour) => ({ place, colour })));
    else found.push({ place, colour: undefined });
  });
  return seen.size === 0 || (seen.size === 1 && seen.has(TEN)) ? NO_ROLE : found;
}

/** The sets of one order from the bottom to the top: one for each suit of a joker on top, or that a 9 names. */
function laid(
  cards: readonly number[],
  numbers: readonly number[],
  order: readonly number[],
  colour: number | undefined,
  suits: readonly number[],
): CardSet[] {
  const jokers = cards.filter(isJoker);
  const down = order.map((place) => cards[place] ?? 0).map((card) => (isJoker(card) ? (jokers.shift() ?? card) : card));
  const counted = order.map((place) => numbers[place] ?? 0);
  const under = down.length - 2;
  const faces = down.map((card, at) => {
    const number = counted[at] ?? 0;
    if (!isJoker(card)) return number === 1 && rankOf(card) === TEN ? card - 9 : card;
    return at === under && number === JACK && colour !== undefined ? 13 * colour + JACK : ANY + number;
  });
  if (effectOf(down, faces) === NINE) return ALL_SUITS.map((suit) => ({ cards: down, faces, suit }));
  const top = down.length - 1;
  if (!isJoker(down[top] ?? 0)) return [{ cards: down, faces, suit: -1 }];
  return suits.map((suit) => ({
    cards: down,
    faces: [...faces.slice(0, -1), 13 * suit + (counted[top] ?? 0)],
    suit: -1,
  }));
}

/** The number whose effect takes place: that of the topmost role card; 0 for none. */
export function effectOf(cards: readonly number[], faces: readonly number[]): number {
  for (let at = cards.length - 1; at >= 0; at--) {
    const role = roleOf(cards[at] ?? 0, numberOfFace(faces[at] ?? 0));
    if (role > 0) return role === TEN ? 0 : role;
  }
  return 0;
}
