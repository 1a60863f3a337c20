/** The French cards in words. Cards are numbers as in `french.tsx`. */
import { type MessageKey, language, t } from "~/i18n";

const LETTERS = ["", "A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"];
const CODES = ["", "A", "2", "3", "4", "5", "6", "7", "8", "9", "T", "J", "Q", "K"];
const SUIT_CODES = "CDHS";
const SUITS: readonly MessageKey[] = ["french.clubs", "french.diamonds", "french.hearts", "french.spades"];
const RANKS: Readonly<Record<number, MessageKey>> = {
  1: "french.ace",
  11: "french.jack",
  12: "french.queen",
  13: "french.king",
};

/** 0 clubs, 1 diamonds, 2 hearts, 3 spades; -1 of a joker. */
export function suitOf(card: number): number {
  return card > 52 ? -1 : Math.floor((card - 1) / 13);
}

/** 1 ace to 13 king; 0 of a joker. */
export function rankOf(card: number): number {
  return card > 52 ? 0 : ((card - 1) % 13) + 1;
}

/** A rank as it is printed on the card. */
export function rankLetter(rank: number): string {
  return LETTERS[rank] ?? "";
}

/** A card as the rule pages write it: `9S`, `TD`, `X1`. Pieces have these names. */
export function cardCode(card: number): string {
  return card > 52 ? `X${card - 52}` : `${CODES[rankOf(card)] ?? ""}${SUIT_CODES.charAt(suitOf(card))}`;
}

/** A suit's name; 0 clubs to 3 spades. */
export function suitName(suit: number): string {
  return t(SUITS[suit] ?? "french.clubs");
}

/** A rank's name: ace, 2, king. */
export function rankName(rank: number): string {
  const key = RANKS[rank];
  return key === undefined ? rankLetter(rank) : t(key);
}

/** A card's name: queen of hearts. */
export function cardName(card: number): string {
  if (card > 52) return t("french.joker", { which: String(card - 52) });
  return t("french.card", { rank: rankName(rankOf(card)), suit: suitName(suitOf(card)) });
}

/** Things one after the other, as the language lists them. */
export function listed(words: readonly string[]): string {
  return new Intl.ListFormat(language.value, { type: "conjunction" }).format(words);
}

/** Cards' names in one list. */
export function cardNames(cards: readonly number[]): string {
  return listed(cards.map(cardName));
}
