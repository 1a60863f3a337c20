/** Which legal moves go on from what is chosen: the generic part of pointing, from what a board says of each move. */
import type { PieceId } from "~/boards";

/** A legal move with the pieces that it touches. */
export interface Choice {
  /** Its place among the legal moves. */
  readonly index: number;
  readonly pieces: ReadonlySet<PieceId>;
}

/** What can be done from here. */
export interface Choices {
  /** The moves that touch all that is chosen, in their order. */
  readonly left: readonly Choice[];
  /** Those among them that touch nothing else. */
  readonly complete: readonly Choice[];
  /** The pieces that lead on to a move. */
  readonly open: ReadonlySet<PieceId>;
}

/** What goes on from what is chosen. */
export function choicesFrom(all: readonly Choice[], chosen: ReadonlySet<PieceId>): Choices {
  const left = all.filter((choice) => chosen.size <= choice.pieces.size && isWithin(chosen, choice.pieces));
  const open = new Set<PieceId>();
  for (const choice of left) {
    for (const piece of choice.pieces) if (!chosen.has(piece)) open.add(piece);
  }
  return { left, complete: left.filter((choice) => choice.pieces.size === chosen.size), open };
}

/**
 * What is chosen once a piece is pointed at: it joins what is chosen, or leaves it. A piece that no move has together
 * with what is chosen begins anew, so that nobody has to take back what was chosen before.
 */
export function toggled(all: readonly Choice[], chosen: ReadonlySet<PieceId>, piece: PieceId): ReadonlySet<PieceId> {
  const next = new Set(chosen);
  if (next.delete(piece)) return next;
  next.add(piece);
  return all.some((choice) => isWithin(next, choice.pieces)) ? next : new Set([piece]);
}

/** What is still chosen when other moves are legal: all of it, or nothing. */
export function kept(all: readonly Choice[], chosen: ReadonlySet<PieceId>): ReadonlySet<PieceId> {
  return all.some((choice) => isWithin(chosen, choice.pieces)) ? chosen : new Set();
}

function isWithin(some: ReadonlySet<PieceId>, all: ReadonlySet<PieceId>): boolean {
  for (const one of some) if (!all.has(one)) return false;
  return true;
}
