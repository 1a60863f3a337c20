/** Which legal moves go on from what is chosen: the generic part of pointing, from what a board says of each move. */
import { create } from "@bufbuild/protobuf";
import type { GameBoard, GameKey, PieceId } from "~/boards";
import { type Move, MoveSchema, type View } from "~/gen/fudaba/v1/game_pb";

/** A legal move with the pieces that it touches. */
export interface Choice {
  readonly move: Move;
  /** Its place among the legal moves that were sent; undefined for one that was not. */
  readonly index: number | undefined;
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

/** The moves of one decision; `more` of those that were too many to be sent. */
export interface LegalMoves {
  readonly all: readonly Choice[];
  readonly more?: ((chosen: ReadonlySet<PieceId>) => Choices) | undefined;
}

/** The moves of a decision, as the board of their game sees them. Without a board nothing can be pointed at. */
export function legalMoves(
  board: GameBoard<GameKey> | undefined,
  view: View,
  moves: readonly Move[],
  count: number,
): LegalMoves {
  const seen = view.game.value;
  const all = moves.map((move, index): Choice => {
    const made = move.game.value;
    const known = board !== undefined && made !== undefined && seen !== undefined;
    return { move, index, pieces: new Set(known ? board.touches(made, seen) : []) };
  });
  if (board?.beyond === undefined || seen === undefined || count <= moves.length) return { all };
  const beyond = board.beyond.bind(board);
  const more = (chosen: ReadonlySet<PieceId>) => {
    const { open, moves: found } = beyond(chosen, seen);
    const complete = found.map((value): Choice => {
      const game = { case: view.game.case, value } as Move["game"];
      return { move: create(MoveSchema, { game }), index: undefined, pieces: new Set(board.touches(value, seen)) };
    });
    return { open, complete, left: complete };
  };
  return { all, more };
}

/** What goes on from what is chosen. */
export function choicesFrom({ all, more }: LegalMoves, chosen: ReadonlySet<PieceId>): Choices {
  const left = all.filter((choice) => isWithin(chosen, choice.pieces));
  const open = new Set<PieceId>();
  for (const choice of left) {
    for (const piece of choice.pieces) if (!chosen.has(piece)) open.add(piece);
  }
  const complete = left.filter((choice) => choice.pieces.size === chosen.size);
  if (more === undefined) return { left, complete, open };
  const beyond = more(chosen); // also before anything is chosen: the moves that were sent may lack whole cards
  return {
    open: new Set([...open, ...beyond.open].filter((piece) => !chosen.has(piece))),
    complete: chosen.size === 0 || beyond.complete.length === 0 ? complete : beyond.complete,
    left: left.length === 0 ? beyond.left : left,
  };
}

/** Whether any move goes on from here. */
function goesOn(choices: Choices): boolean {
  return choices.left.length > 0 || choices.open.size > 0;
}

/**
 * What is chosen once a piece is pointed at: it joins what is chosen, or leaves it. A piece that no move has together
 * with what is chosen begins anew, so that nobody has to take back what was chosen before.
 */
export function toggled(moves: LegalMoves, chosen: ReadonlySet<PieceId>, piece: PieceId): ReadonlySet<PieceId> {
  const next = new Set(chosen);
  if (next.delete(piece)) return next;
  next.add(piece);
  return goesOn(choicesFrom(moves, next)) ? next : new Set([piece]);
}

/** What is still chosen when other moves are legal: all of it, or nothing. */
export function kept(moves: LegalMoves, chosen: ReadonlySet<PieceId>): ReadonlySet<PieceId> {
  return goesOn(choicesFrom(moves, chosen)) ? chosen : new Set();
}

/** The move that is played without another word: what is chosen can mean nothing else, and nothing goes on from it. */
export function onlyMove({ left, complete, open }: Choices): Choice | undefined {
  return left.length === 1 && complete.length === 1 && open.size === 0 ? complete[0] : undefined;
}

function isWithin(some: ReadonlySet<PieceId>, all: ReadonlySet<PieceId>): boolean {
  for (const member of some) if (!all.has(member)) return false;
  return true;
}
