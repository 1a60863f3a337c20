/** The boards of the games, each a part of its own that is loaded when one of its matches is shown. */
import type { ComponentType } from "preact";
import type { Ask } from "~/boards/asks";
import type { Event, Move, View } from "~/gen/fudaba/v1/game_pb";
import { loadTexts } from "~/i18n";

/**
 * A thing on a board that can be pointed at, by a name that is unique on that board and stays while the thing does:
 * `hand:♠9`, `island:3`, `seat:2`, `say:pass`.
 */
export type PieceId = string;

/** Who sits where, as the board writes it. */
export interface SeatLabel {
  readonly name: string;
  /** Whether a person's or program's connection is there; undefined where nobody can know. */
  readonly connected?: boolean | undefined;
}

/** The seat that moves, and the labels of all seats. */
export interface Viewer {
  readonly seat: number;
  readonly seats: readonly SeatLabel[];
}

/** Of one game: `G` is its key in the contract's `oneof`s, such as "naga". */
export type GameKey = NonNullable<View["game"]["case"]>;
export type ViewOf<G extends GameKey> = Extract<View["game"], { case: G }>["value"];
export type MoveOf<G extends GameKey> = Extract<Move["game"], { case: G }>["value"];
export type EventOf<G extends GameKey> = Extract<Event["game"], { case: G }>["value"];

export interface BoardProps<G extends GameKey> {
  /** What is shown: a seat's view or a spectator's. Nothing that it lacks is drawn as anything but a back or a gap. */
  readonly view: ViewOf<G>;
  readonly seats: readonly SeatLabel[];
  /** Whose eyes these are; null is a spectator. The board turns so that this seat is nearest. */
  readonly seat: number | null;
  /** What has happened since the picture before, to be marked. */
  readonly events: readonly EventOf<G>[];
  /** All that has happened so far, the oldest first, these events included; only they where no more is known. */
  readonly eventsSoFar?: readonly EventOf<G>[] | undefined;
}

/**
 * What a board knows of its game. Its component draws each thing that a move can touch as a `Piece` (`~/boards/piece`),
 * and `touches` says which pieces a move is made of; pointing, keys and the list of moves follow from that alone.
 */
export interface GameBoard<G extends GameKey> {
  readonly Board: ComponentType<BoardProps<G>>;
  /** One line: who leads, and why. */
  lead(view: ViewOf<G>, seats: readonly SeatLabel[]): string;
  /** The pieces that a player points at to make this move, in the order in which they are usually pointed at. */
  touches(move: MoveOf<G>, view: ViewOf<G>): readonly PieceId[];
  /** What a decision asks for, of which these are the legal moves, or the first of very many. */
  ask(moves: readonly MoveOf<G>[], view: ViewOf<G>): Ask;
  /** The move in words, for lists of moves and for screen readers. With a `viewer` it can name cards and seats better. */
  describe(move: MoveOf<G>, view: ViewOf<G>, viewer?: Viewer): string;
  /**
   * What the chosen pieces can become in a position with more legal moves than the service lists (2,000): `open` are the pieces
   * that may be pointed at next, `moves` the legal moves of exactly the chosen cards that have all chosen pieces. Only
   * the board of a game that has such positions knows this.
   */
  beyond?(
    chosen: ReadonlySet<PieceId>,
    view: ViewOf<G>,
  ): { readonly open: ReadonlySet<PieceId>; readonly moves: readonly MoveOf<G>[] };
  /**
   * Which of these legal moves, all with this piece, a double click makes: its place in the list, or undefined where none
   * is obvious. Only the board of a game with obvious places knows this.
   */
  obvious?(piece: PieceId, moves: readonly MoveOf<G>[], view: ViewOf<G>): number | undefined;
  /** What happened, in words; the log beside the board and the live region say it. Empty: not worth a line. */
  narrate(event: EventOf<G>, seats: readonly SeatLabel[]): string;
}

/** Found by convention: the board of a game is what the folder of its id exports; `i18n` has its texts under the same id. */
const BOARDS = import.meta.glob<{ board: unknown }>("./*/index.tsx");

/**
 * Loads the board of a game; without a folder of its own it is made of the fields of its messages. A game of a newer service
 * that this page does not know has none: undefined.
 */
export async function loadBoard(game: string): Promise<GameBoard<GameKey> | undefined> {
  const load = BOARDS[`./${game}/index.tsx`];
  if (load === undefined) return (await import("~/boards/fields/board")).fallbackBoard(game);
  const [{ board }] = await Promise.all([load(), loadTexts(`boards/${game}`)]);
  // A board gets only views, moves and events of its own game: what calls it looks at the `oneof`'s case first.
  return board as GameBoard<GameKey>;
}
