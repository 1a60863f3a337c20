/**
 * Names of cards that can be pointed at. Copies of a card are equal, and a move is made of the first ones: of three `r1` in
 * hand a pair touches `hand:r1` and `hand:r1.2`.
 */
import type { PieceId } from "~/boards";
import type { Face } from "~/cards/kamikisen_names";

/** The piece of the `copy`th equal card, from 0, of an area such as "hand". */
export function pieceId(area: string, code: string, copy: number): PieceId {
  return copy === 0 ? `${area}:${code}` : `${area}:${code}.${copy + 1}`;
}

/** The pieces of some cards of an area, in their order. */
export function pieceIds(area: string, faces: readonly Face[]): PieceId[] {
  return numbered(faces).map(({ face, copy }) => pieceId(area, face.code, copy));
}

/** Each card with the number of equal ones before it. */
export function numbered(faces: readonly Face[]): { face: Face; copy: number }[] {
  const seen = new Map<string, number>();
  return faces.map((face) => {
    const copy = seen.get(face.code) ?? 0;
    seen.set(face.code, copy + 1);
    return { face, copy };
  });
}

/** How the copies of a card are pointed at: `order[place]` is the number of the piece that lies at a place. */
export type Order = readonly number[];

/** What pointing at one of several equal cards does: how they lie then, and which piece is toggled, if any. */
export interface Pointed {
  readonly order: Order;
  readonly toggle: number | undefined;
}

/**
 * Points at the card at `place`. As moves are made of the first copies, it becomes the first that is not chosen, or, to be
 * put back, the last that is. Where no move takes another copy, the choice only goes over to the card pointed at.
 */
export function pointAt(
  order: Order,
  place: number,
  isChosen: (copy: number) => boolean,
  isOpen: (copy: number) => boolean,
): Pointed {
  const chosen = order.filter(isChosen).sort((left, right) => left - right);
  const free = order.filter((copy) => !isChosen(copy)).sort((left, right) => left - right);
  const here = order[place];
  const last = chosen.at(-1);
  const next = free[0];
  if (here === undefined) return { order, toggle: undefined };
  if (isChosen(here)) return { order: swapped(order, here, last ?? here), toggle: last };
  if (next === undefined || (!isOpen(next) && last !== undefined)) {
    return { order: swapped(order, here, last ?? here), toggle: undefined };
  }
  return { order: swapped(order, here, next), toggle: next };
}

function swapped(order: Order, first: number, second: number): Order {
  return order.map((copy) => (copy === first ? second : copy === second ? first : copy));
}
