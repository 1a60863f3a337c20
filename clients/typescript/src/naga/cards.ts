/** Naga's cards and places as numbers: faster to think with than the names of the contract's enums. */
import type { NagaCard__Output as NagaCard } from '../gen/fudaba/v1/NagaCard.js';
import type { NagaPlace__Output as NagaPlace } from '../gen/fudaba/v1/NagaPlace.js';

/** A card, 0 to 50 in deck order: seven attributes of seven numbers, then the moons Ilbeck and Corseltel. */
export type Card = number;

export const ILBECK: Card = 49;
export const CORSELTEL: Card = 50;

/** The attributes in deck order, as the text of a card begins: dark, light, fire, wind, water, wood, earth. */
const ATTRIBUTES = 'DLFWATE';
const TEXTS = [...ATTRIBUTES].flatMap((letter) => [1, 2, 3, 4, 5, 6, 7].map((number) => `${letter}${number}`));
TEXTS.push('MI', 'MC');
const CARDS = new Map(TEXTS.map((text, card) => [text, card]));

const PLACES = ['UNSPECIFIED', 'KUTO', 'ONOTOA', 'AVORIA', 'ELTAM', 'SIRITAS', 'CHERES', 'EIL'];
export const ELTAM = 4;
/** The trump attribute of each place; no place 0. */
export const TRUMP: readonly number[] = [-1, ...[...'DFTAELW'].map((letter) => ATTRIBUTES.indexOf(letter))];
/** For each of the nine entries of a table its place. */
const PLACE_OF_ENTRY = [1, 2, 3, 4, 4, 4, 5, 6, 7];

/** The attribute of a card that is not a moon, 0 to 6. */
export function attribute(card: Card): number {
  return Math.floor(card / 7);
}

/** The number of a card that is not a moon, 0 to 6: one less than what is printed. */
export function number(card: Card): number {
  return card % 7;
}

/** The card of a text such as `D7`. */
export function cardOf(text: string): Card {
  const card = CARDS.get(text);
  if (card === undefined) throw new Error(`${text} is not a card of Naga`);
  return card;
}

/** The cards of a message; entries without a card (a gap of the table) are left out. */
export function cardsOf(names: readonly NagaCard[]): Card[] {
  const cards = names.filter((name) => name !== 'NAGA_CARD_UNSPECIFIED');
  return cards.map((name) => cardOf(name.slice('NAGA_CARD_'.length)));
}

/** The number of a place, 1 to 7; 0 when there is none. */
export function placeOf(name: NagaPlace): number {
  return PLACES.indexOf(name.slice('NAGA_PLACE_'.length));
}

/** The cards on the table by place: one or none, at Eltam three. */
export function tableOf(table: readonly NagaCard[]): Card[][] {
  const places: Card[][] = PLACES.map(() => []);
  table.forEach((name, entry) => places[PLACE_OF_ENTRY[entry] ?? 0]?.push(...cardsOf([name])));
  return places;
}
