/** Cards as texts write them, and their numbers in the contract's enums. */

export type Deck = "naga" | "french" | "kamikisen";

const FRENCH = new Set(["napoleon", "nerts", "numbers_crush"]);
const RANKS = "A23456789TJQK";
const SUITS = "CDHS";
const ATTRIBUTES = "DLFWATE";
const KINDS = "S012345678KT";

/** With which cards a game is played. */
export function deckOf(game: string): Deck {
  if (game === "naga") return "naga";
  return FRENCH.has(game) ? "french" : "kamikisen";
}

/** `QH`, `X1`. */
export function frenchCard(code: string): number {
  if (code.startsWith("X")) return 52 + Number(code.slice(1));
  return SUITS.indexOf(code.charAt(1)) * 13 + RANKS.indexOf(code.charAt(0)) + 1;
}

/** `D7`, `MI`. */
export function nagaCard(code: string): number {
  if (code.startsWith("M")) return code === "MI" ? 50 : 51;
  return ATTRIBUTES.indexOf(code.charAt(0)) * 7 + Number(code.charAt(1));
}

/** `r7`, `bS`. */
export function kamikisenCard(code: string): number {
  return (code.startsWith("r") ? 0 : KINDS.length) + KINDS.indexOf(code.charAt(1)) + 1;
}

/** `7`, `S`: a card of which only the strength counts. */
export function kamikisenStrength(code: string): number {
  return KINDS.indexOf(code) + 1;
}
