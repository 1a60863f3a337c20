/** Naga's cards and places: numbers as in the contract's enums, their names, and what the rules say of them. */
import { NagaPlace } from "~/gen/fudaba/v1/naga_pb";
import { type MessageKey, t } from "~/i18n";
import { listed } from "~/cards/french_names";

export const PLACES: readonly NagaPlace[] = [
  NagaPlace.KUTO,
  NagaPlace.ONOTOA,
  NagaPlace.AVORIA,
  NagaPlace.ELTAM,
  NagaPlace.SIRITAS,
  NagaPlace.CHERES,
  NagaPlace.EIL,
];
/** The place of each of the nine entries of a table. */
export const PLACE_OF_ENTRY: readonly number[] = [1, 2, 3, 4, 4, 4, 5, 6, 7];
/** By attribute: 0 dark, 1 light, 2 fire, 3 wind, 4 water, 5 wood, 6 earth. */
const ATTRIBUTES: readonly MessageKey[] = [
  "naga.dark",
  "naga.light",
  "naga.fire",
  "naga.wind",
  "naga.water",
  "naga.wood",
  "naga.earth",
];
const LETTERS = "DLFWATE";
/** By place, the first is none. */
const TRUMPS = [-1, 0, 2, 5, 4, 6, 1, 3];
const NAMES: readonly MessageKey[] = [
  "naga.nowhere",
  "naga.kuto",
  "naga.onotoa",
  "naga.avoria",
  "naga.eltam",
  "naga.siritas",
  "naga.cheres",
  "naga.eil",
];

/** A moon's attribute: it has none. */
export const MOON = 7;

/** 0 dark to 6 earth, 7 of a moon. */
export function attributeOf(card: number): number {
  return Math.floor((card - 1) / 7);
}

/** 1 to 7; of a moon 1 for the greater, 2 for the lesser. */
export function numberOf(card: number): number {
  return ((card - 1) % 7) + 1;
}

/** The attribute that is trump at a place. */
export function trumpOf(place: number): number {
  return TRUMPS[place] ?? -1;
}

/** A card as the rule page writes it: `D7`, `MI`. */
export function nagaCode(card: number): string {
  if (attributeOf(card) === MOON) return numberOf(card) === 1 ? "MI" : "MC";
  return `${LETTERS.charAt(attributeOf(card))}${numberOf(card)}`;
}

export function attributeName(attribute: number): string {
  return t(ATTRIBUTES[attribute] ?? "naga.nowhere");
}

export function placeName(place: number): string {
  return t(NAMES[place] ?? "naga.nowhere");
}

/** A card's name: dark 7. */
export function nagaName(card: number): string {
  if (attributeOf(card) === MOON) return t(numberOf(card) === 1 ? "naga.ilbeck" : "naga.corseltel");
  return t("naga.card", { attribute: attributeName(attributeOf(card)), number: String(numberOf(card)) });
}

export function nagaNames(cards: readonly number[]): string {
  return listed(cards.map(nagaName));
}

/** The cards of a place that are still on the table. */
export function cardsAt(table: readonly number[], place: number): number[] {
  return table.filter((card, entry) => card !== 0 && PLACE_OF_ENTRY[entry] === place);
}
