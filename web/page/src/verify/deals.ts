/** The first cards of each deal, from the seed alone, as the rule pages say how they are dealt. */
import type { GameKey } from "~/boards";
import { shuffled } from "~/verify/chance";

/** What everybody is told of a deal. */
export interface Dealt {
  readonly deal: number;
  readonly dealer: number;
  /** The number of its shuffle: how often it was thrown in before. */
  readonly shuffle: number;
  /** Who is dealt cards; all seats where the game does not say. */
  readonly playing: readonly number[];
}

/** The copies of each kind of the Kamikisen deck, in one colour: ship, 0 to 8, king, emperor (K1.1). */
const COPIES = [1, 3, 4, 2, 2, 2, 2, 2, 2, 2, 1, 1];
/** By place in the deck: the card's value in the contract's enum. */
const KAMIKISEN = [0, 12].flatMap((colour) =>
  COPIES.flatMap((copies, kind) => Array<number>(copies).fill(colour + kind + 1)),
);
/** The same as strengths: king and emperor are one. */
const STRENGTHS = KAMIKISEN.map((card) => Math.min((card - 1) % 12, 10) + 1);

function inOrder(cards: number): number[] {
  return Array.from({ length: cards }, (_, place) => place + 1);
}

/** A deck by the values of its cards, and how far from the dealer the first card goes: one at a time, clockwise. */
const ONE_BY_ONE: Partial<Record<GameKey, { deck: readonly number[]; first: 0 | 1 }>> = {
  napoleon: { deck: inOrder(52), first: 1 },
  numbersCrush: { deck: inOrder(54), first: 0 },
  mokkaik: { deck: KAMIKISEN, first: 0 },
  niekhi: { deck: STRENGTHS, first: 0 },
  houniek: { deck: KAMIKISEN, first: 0 },
  makhop: { deck: KAMIKISEN, first: 0 },
  makkaik: { deck: KAMIKISEN, first: 0 },
  namto: { deck: KAMIKISEN, first: 0 },
  tashot: { deck: KAMIKISEN, first: 0 },
};

/** The first hands of a deal, `size` cards each, by seat, in the order of their values. Undefined for unknown games. */
export async function handsOf(
  game: GameKey,
  seed: Uint8Array,
  seats: number,
  dealt: Dealt,
  size: number,
): Promise<number[][] | undefined> {
  if (game === "naga") return await nagaHands(seed, dealt);
  const way = ONE_BY_ONE[game];
  if (way === undefined) return undefined;
  const order = await shuffled(way.deck.length, seed, dealt.deal, dealt.shuffle);
  const cards = order.map((place) => way.deck[place] ?? 0);
  const around = Array.from({ length: seats }, (_, place) => (dealt.dealer + way.first + place) % seats);
  const playing = around.filter((seat) => dealt.playing.includes(seat));
  return Array.from({ length: seats }, (_, seat) => {
    const place = playing.indexOf(seat);
    return place < 0 ? [] : sorted(cards.filter((_, at) => at % playing.length === place).slice(0, size));
  });
}

/** Nine cards to the table, then five to the child and five to the dealer (N3.1, N3.2). */
async function nagaHands(seed: Uint8Array, dealt: Dealt): Promise<number[][]> {
  const cards = (await shuffled(51, seed, dealt.deal, 0)).map((place) => place + 1);
  const child = sorted(cards.slice(9, 14));
  const dealer = sorted(cards.slice(14, 19));
  return dealt.dealer === 0 ? [dealer, child] : [child, dealer];
}

/** Naga's table: the cards of the places 1, 2, 3, 4, 4, 4, 5, 6, 7; those of place 4 in deck order. */
export async function nagaTable(seed: Uint8Array, deal: number): Promise<number[]> {
  const cards = (await shuffled(51, seed, deal, 0)).slice(0, 9).map((place) => place + 1);
  return [...cards.slice(0, 3), ...sorted(cards.slice(3, 6)), ...cards.slice(6)];
}

/** What is seen of the decks of Nerts, one for each seat: the top of the Nerts pile, then the four work cards (NE3.1). */
export async function nertsTable(seed: Uint8Array, deal: number, seats: number) {
  const decks = await Promise.all(Array.from({ length: seats }, (_, seat) => shuffled(52, seed, deal, seat)));
  return {
    tops: decks.map((deck) => (deck[12] ?? 0) + 1),
    works: decks.flatMap((deck) => deck.slice(13, 17).map((card) => card + 1)),
  };
}

function sorted(cards: readonly number[]): number[] {
  return cards.toSorted((left, right) => left - right);
}
